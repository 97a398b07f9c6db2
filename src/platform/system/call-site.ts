// The call site of a log line: file and line of the nearest stack frame outside of logging. Costs 4 us on Bun, 10 us on
// Node, and only for lines that are written.
//
// Stacks of sources and compiled programs contain source positions: compiled programs include source maps, which Bun
// reads without a measurable cost (47 MB resident with and without). On Node source maps would cost 57 MB and 200 ms at
// start, so a Node bundle comes with a table of lines, which tools/line-table.ts makes from the map (1 MB).
//
// JavaScriptCore omits callers in tail position: an arrow function that consists of one log call would be skipped in
// favour of its caller. tools/tidy-rules.ts forbids such functions.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { LogCaller } from "#base/logger.ts";

/** Files of the frames between the code that logs and this function. */
const loggingFiles = [
  "base/logger.ts",
  "base/log-verbosity.ts",
  "manager/log-repeats.ts",
  "daemon/logging.ts",
  "platform/system/call-site.ts",
];
/** Enough for all logging frames and one that the runtime may add. */
const FRAMES_MAX = 8;
const framePattern = /([^\s()]+):(\d+):(\d+)\)?$/;

export function callSite(): LogCaller | undefined {
  const holder: { stack?: string } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_MAX;
  Error.captureStackTrace(holder);
  Error.stackTraceLimit = stackTraceLimit;
  for (const text of (holder.stack ?? "").split("\n")) {
    const frame = framePattern.exec(text);
    if (frame === null) continue;
    const [, file = "", line = "", column = ""] = frame;
    if (file === "native" || file.startsWith("node:")) continue;
    const place = placeInSource(file, Number(line), Number(column));
    if (place !== undefined && !loggingFiles.some((own) => place.file.endsWith(own))) return place;
  }
  return undefined;
}

/** Maps the lines of a bundle to its sources. */
export interface LineTable {
  readonly files: readonly string[];
  /**
   * For each line of the bundle, in order: a column, an index into files (-1 for third-party code), and a source line.
   */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

export const LINE_TABLE_SUFFIX = ".lines.json";
const ENTRY = 3;
const tables = new Map<string, LineTable | undefined>();

function placeInSource(file: string, line: number, column: number): LogCaller | undefined {
  if (!file.endsWith(".mjs")) return { file, line };
  let table = tables.get(file);
  if (!tables.has(file)) {
    table = readTable(file.startsWith("file:") ? fileURLToPath(file) : file);
    tables.set(file, table);
  }
  return table === undefined ? { file, line } : lookUp(table, line, column);
}

/** Undefined if the table is missing; log lines then show lines of the bundle. */
function readTable(bundle: string): LineTable | undefined {
  try {
    return JSON.parse(readFileSync(`${bundle}${LINE_TABLE_SUFFIX}`, "utf8")) as LineTable;
  } catch {
    return undefined;
  }
}

/** Lines and columns count from 1. */
export function lookUp({ files, lines }: LineTable, line: number, column: number): LogCaller | undefined {
  const entries = lines[line] ?? [];
  let last = -ENTRY;
  while (last + ENTRY < entries.length && (entries[last + ENTRY] as number) <= column) last += ENTRY;
  const file = files[entries[last + 1] ?? -1];
  return file === undefined ? undefined : { file, line: entries[last + 2] as number };
}
