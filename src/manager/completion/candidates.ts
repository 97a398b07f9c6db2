// Completion candidates at the cursor: names of flags, or of shells after `completion`.
// Upstream: github.com/spf13/cobra, completions.go.

import { errorMessage } from "#base/errors.ts";
import { type FlagDefinition, type ParsedFlags, parseFlags } from "../flags/flag-set.ts";

export interface SubCommand {
  readonly flags: readonly FlagDefinition[];
  /** The choices for the first argument; undefined: anything. */
  readonly choices: readonly Candidate[] | undefined;
}

export interface Candidate {
  readonly name: string;
  readonly help: string;
}

export interface Completion {
  /** Candidates with their help, then the directive on a separate line. */
  readonly text: string;
  /** Why there are no candidates. */
  readonly problem?: string;
}

/** The shell must not offer file names. */
const NO_FILES = ":4\n";
/** The shell uses its default, which is to offer file names. */
const AS_USUAL = ":0\n";

/** args: the arguments of the sub-command; the last one may be incomplete. */
export function complete({ flags, choices }: SubCommand, args: readonly string[], hasHelp: boolean): Completion {
  const before = args.slice(0, -1);
  const typed = args.at(-1) ?? "";
  const isAfterFlags = before.includes("--");
  const isFlag = typed.startsWith("-") && !isAfterFlags;
  const isFlagName = isFlag && !typed.includes("=");
  if (!isFlagName && !isAfterFlags && waitsForValue(before.at(-1) ?? "", flags) === true) return { text: AS_USUAL };
  let parsed: ParsedFlags;
  try {
    parsed = parseFlags([{ name: "all", flags }], before);
  } catch (error) {
    const problem = `[Debug] [Error] Error while parsing flags from args [${before.join(" ")}]: ${errorMessage(error)}`;
    return { text: AS_USUAL, problem };
  }
  if (isFlagName) return listed(flagNames(flags, parsed.changed, typed), hasHelp);
  if (isFlag || choices === undefined) return { text: AS_USUAL };
  const fitting = parsed.positional.length > 0 ? [] : choices.filter(({ name }) => name.startsWith(typed));
  return listed(fitting, hasHelp);
}

function listed(candidates: readonly Candidate[], hasHelp: boolean): Completion {
  const lines = candidates.map(({ name, help }) => (hasHelp ? `${name}\t${help.split("\n", 1)[0]}\n` : `${name}\n`));
  return { text: lines.join("") + NO_FILES };
}

/** True if the next word is the value of this one. Undefined: an unknown flag. */
export function waitsForValue(word: string, flags: readonly FlagDefinition[]): boolean | undefined {
  if (word.includes("=") || !/^--|^-.$/.test(word)) return false;
  const flag = flags.find(({ name, shorthand }) => word === `--${name}` || word === `-${shorthand}`);
  return flag && flag.type.valueWhenAlone === undefined;
}

/** Flags that match and can be repeated or have not been given yet. */
function flagNames(flags: readonly FlagDefinition[], given: ReadonlySet<string>, typed: string): readonly Candidate[] {
  return flags
    .filter(({ name, type, isHidden, deprecated }) => {
      if (isHidden === true || deprecated !== undefined) return false;
      return !given.has(name) || /^strings$|Slice$|^stringTo/.test(type.shownAs);
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, shorthand, help }) => [
      { name: `--${name}`, help },
      ...(shorthand === undefined ? [] : [{ name: `-${shorthand}`, help }]),
    ])
    .filter(({ name }) => name.startsWith(typed));
}
