// Help text in pflag's layout: one block per section, with types and defaults, wrapped to the terminal's width if there
// is a terminal.
// Upstream: github.com/spf13/pflag, FlagUsagesWrapped; k8s.io/component-base/cli/flag/sectioned.go.

import { goQuote } from "#api/go-text.ts";
import type { FlagDefinition, FlagSection } from "./flag-set.ts";

/** columns 0: lines are not wrapped. */
export function printSections(sections: readonly FlagSection[], columns: number): string {
  return sections
    .map((section) => ({ ...section, flags: section.flags.filter((flag) => !flag.isHidden) }))
    .filter((section) => section.flags.length > 0)
    .map(({ name, flags }) => `\n${name[0]?.toUpperCase()}${name.slice(1)} flags:\n\n${printFlags(flags, columns)}`)
    .join("");
}

function printFlags(flags: readonly FlagDefinition[], columns: number): string {
  const lines = flags
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => ({ left: leftPart(flag), right: rightPart(flag) }));
  if (columns > 0) return lines.map(({ left, right }) => `${left}\n${indented(right, columns)}\n`).join("");
  const width = Math.max(...lines.map((line) => line.left.length));
  const padding = " ".repeat(width + 3);
  return lines.map(({ left, right }) => `${left.padEnd(width)}   ${right.replaceAll("\n", `\n${padding}`)}\n`).join("");
}

function leftPart({ name, shorthand, type }: FlagDefinition): string {
  const names = shorthand === undefined ? `      --${name}` : `  -${shorthand}, --${name}`;
  const alone = type.valueWhenAlone !== undefined && type.shownAs !== "" ? `[=${type.valueWhenAlone}]` : "";
  return type.shownAs === "" ? names : `${names} ${type.shownAs}${alone}`;
}

function rightPart({ help, type, default: value, deprecated }: FlagDefinition): string {
  const text = type.print(value);
  const shown = type.zeroText.includes(text) ? "" : ` (default ${type.quotesDefault ? goQuote(text) : text})`;
  return `${help}${shown}${deprecated === undefined ? "" : ` (DEPRECATED: ${deprecated})`}`;
}

const HELP_INDENT = 16;
const HELP_WIDTH_MIN = 24;

/** On a terminal the text is below its flag. Words are never broken. */
function indented(text: string, columns: number): string {
  const padding = " ".repeat(HELP_INDENT);
  const width = Math.max(columns - HELP_INDENT, HELP_WIDTH_MIN);
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, width))
    .map((line) => padding + line)
    .join("\n");
}

function wrapLine(line: string, width: number): string[] {
  const result: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      result.push(current);
      current = word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...result, current];
}
