// Makes the table with which a bundle names the source lines of its log calls (src/platform/system/call-site.ts), from
// the bundle's source map: one entry for each change of the source line; library code is one entry.

import type { LineTable } from "#platform/system/call-site.ts";

export interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CONTINUES = 32;
const BITS = 5;

export function lineTable({ sources, mappings }: SourceMap): LineTable {
  const files = sources.map((source) => source.replace(/^(?:\.\.\/)+/, ""));
  const lines: Record<string, number[]> = {};
  let [source, sourceLine] = [0, 0];
  for (const [index, text] of mappings.split(";").entries()) {
    if (text === "") continue;
    const entries: number[] = [];
    let column = 0;
    for (const segment of text.split(",")) {
      const [columns = 0, sourceSteps, lineSteps = 0] = readNumbers(segment);
      column += columns;
      if (sourceSteps === undefined) continue;
      source += sourceSteps;
      sourceLine += lineSteps;
      const place = files[source]?.startsWith("src/") ? [source, sourceLine + 1] : [-1, 0];
      if (entries.at(-2) !== place[0] || entries.at(-1) !== place[1]) entries.push(column + 1, ...place);
    }
    lines[index + 1] = entries;
  }
  return { files, lines };
}

/** The base64 variable-length numbers of one segment. */
function readNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const char of segment) {
    const digit = digits.indexOf(char);
    value += (digit & (CONTINUES - 1)) << shift;
    if (digit >= CONTINUES) {
      shift += BITS;
      continue;
    }
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
