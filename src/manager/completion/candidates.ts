// What may stand where the cursor is: names of flags, or of shells after `completion`.
// Upstream: github.com/spf13/cobra, completions.go.

import { errorMessage } from "#base/errors.ts";
import { type FlagDefinition, type ParsedFlags, parseFlags } from "../flags/flag-set.ts";

export interface SubCommand {
  readonly flags: readonly FlagDefinition[];
  /** What its first argument can be; undefined: anything. */
  readonly choices: readonly Candidate[] | undefined;
}

export interface Candidate {
  readonly name: string;
  readonly help: string;
}

export interface Completion {
  /** Candidates and their help, and the directive on a line of its own. */
  readonly text: string;
  /** Why there are none. */
  readonly problem?: string;
}

/** Nothing but our candidates fits. */
const NO_FILES = ":4\n";
/** The shell may do as it likes, which is to offer files. */
const AS_USUAL = ":0\n";

/** args: those of the sub-command, the last one as far as it has been typed. */
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

/** Does the next word belong to this one? Undefined: it is an unknown flag. */
export function waitsForValue(word: string, flags: readonly FlagDefinition[]): boolean | undefined {
  if (word.includes("=") || !/^--|^-.$/.test(word)) return false;
  const flag = flags.find(({ name, shorthand }) => word === `--${name}` || word === `-${shorthand}`);
  return flag && flag.type.valueWhenAlone === undefined;
}

/** Flags that fit and can be given again, or have not been given yet. */
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
