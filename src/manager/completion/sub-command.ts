// The sub-commands beside the daemon: `completion <shell>`, which prints a script, and the hidden `__complete`, which
// that script calls for candidates. Scripts of the Go program call it in the same way.
// Upstream: github.com/spf13/cobra, command.go, completions.go.

import { goQuote } from "#api/go-text.ts";
import { errorMessage } from "#base/errors.ts";
import { type FlagDefinition, flag, type ParsedFlags, parseFlags } from "../flags/flag-set.ts";
import { bool } from "../flags/flag-types.ts";
import { complete, type SubCommand, waitsForValue } from "./candidates.ts";
import { completionScript, loading, type Shell, shells } from "./scripts.ts";

export interface Outcome {
  readonly kind: "print" | "refuse";
  readonly text: string;
  /** For standard error. */
  readonly notices: readonly string[];
}

const NAME = "kube-controller-manager completion";
const COMPLETE = "__complete";
const COMPLETE_NAMES = "__completeNoDesc";

/** The flags that all sub-commands take too. */
const COMMON = new Set(["log-flush-frequency", "v", "vmodule", "version", "help"]);

const choices = shells.map((name) => ({ name, help: `Print the completion script of ${name}` }));

/** Undefined: the arguments are the daemon's. usageOf prints the help below a line of usage. */
export function runSubCommand(
  args: readonly string[],
  flags: readonly FlagDefinition[],
  usageOf: (line: string) => string,
): Outcome | undefined {
  const common = flags.filter(({ name }) => COMMON.has(name));
  const { name, rest } = firstWord(args, flags);
  switch (name) {
    case "completion":
      return printCompletion(rest, common, usageOf);
    case COMPLETE:
    case COMPLETE_NAMES: {
      if (rest.length === 0) return refuse("requires at least 1 arg(s), only received 0");
      const { command, words } = commandOf(rest, flags, common);
      const { text, problem } = complete(command, words, name === COMPLETE);
      return { kind: "print", text, notices: problem === undefined ? [] : [problem] };
    }
    default:
      return undefined;
  }
}

function printCompletion(
  args: readonly string[],
  common: readonly FlagDefinition[],
  usageOf: (line: string) => string,
): Outcome {
  const { name, rest } = firstWord(args, common);
  const shell = shells.find((known) => known === name);
  let parsed: ParsedFlags;
  try {
    const flags = shell === undefined ? common : [...common, noDescriptions];
    parsed = parseFlags([{ name: "all", flags }], shell === undefined ? args : rest);
  } catch (error) {
    return refuse(errorMessage(error));
  }
  if (shell === undefined) return print(`${overview}\n\n${usageOf(`${NAME} [flags]`)}`);
  if (parsed.isHelpWanted) return print(`${helpOf(shell)}\n\n${usageOf(`${NAME} ${shell}`)}`);
  const [surplus] = parsed.positional;
  if (surplus !== undefined) return refuse(`unknown command ${goQuote(surplus)} for "${NAME} ${shell}"`);
  const isBare = parsed.values.get(noDescriptions.name) === true;
  return print(completionScript(shell, isBare ? COMPLETE_NAMES : COMPLETE));
}

const overview = `Prints a script by which a shell completes the command line of kube-controller-manager:
one of ${shells.join(", ")}. The help of each says how to load it.`;

function helpOf(shell: Shell): string {
  return `Prints the completion script of ${shell}. To load it into the current session:\n\n\t${loading[shell]}`;
}

const noDescriptions = flag("no-descriptions", bool, false, "Complete names without their help.");

/** The command whose arguments are being typed. The last word is incomplete, so it names no command. */
function commandOf(
  args: readonly string[],
  flags: readonly FlagDefinition[],
  common: readonly FlagDefinition[],
): { readonly command: SubCommand; readonly words: readonly string[] } {
  const typed = args.slice(-1);
  const { name, rest } = firstWord(args.slice(0, -1), flags);
  if (name !== "completion") return { command: { flags, choices: undefined }, words: args };
  const { name: shell, rest: after } = firstWord(rest, common);
  if (!choices.some((choice) => choice.name === shell)) {
    return { command: { flags: common, choices }, words: [...rest, ...typed] };
  }
  return { command: { flags: [...common, noDescriptions], choices: [] }, words: [...after, ...typed] };
}

/** The first argument that is neither a flag nor the value of one, and the others without it. */
function firstWord(
  args: readonly string[],
  flags: readonly FlagDefinition[],
): { readonly name: string | undefined; readonly rest: readonly string[] } {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") break;
    if (arg !== "" && !arg.startsWith("-")) return { name: arg, rest: args.toSpliced(index, 1) };
    // Unknown flags are taken to have a value: the command refuses them later.
    if (waitsForValue(arg, flags) !== false) index++;
  }
  return { name: undefined, rest: args };
}

const print = (text: string): Outcome => ({ kind: "print", text, notices: [] });
const refuse = (problem: string): Outcome => ({ kind: "refuse", text: `Error: ${problem}\n`, notices: [] });
