// Logging according to the flags, and the only exit of the program, which loses no line.

import { readlinkSync } from "node:fs";
import { durationMs } from "#api/go-duration.ts";
import type { Logger } from "#base/log.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger, type LoggerOptions, logPlainLine } from "#base/logger.ts";
import type { Command } from "#manager/command.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { bufferBytes } from "#manager/options/log-options.ts";
import type { LogOptions } from "#manager/options/options.ts";
import { callSite } from "#platform/system/call-site.ts";
import { openLogOutput, writeAll } from "#platform/system/log-output.ts";
import { systemClock } from "#platform/system/system-clock.ts";

const STDERR = 2;
/** The exit code of a Go program after a panic. */
const PANIC_CODE = 2;

export interface Logging {
  readonly log: Logger;
  readonly verbosity: LogVerbosity;
  /** A line of unquoted text. */
  plain(level: number, text: string): void;
  /** A warning, which is also unquoted text. */
  warn(text: string): void;
  exit(code: number): never;
  /** Ends like a panic in Go: with an unformatted line, whatever the log format. */
  panic(message: string): never;
}

export function startLogging(logs: LogOptions): Logging {
  const isJson = logs.format === "json";
  const output = openLogOutput({
    splitStream: isJson ? logs.jsonSplitStream : logs.textSplitStream,
    infoBufferBytes: bufferBytes(isJson ? logs.jsonInfoBufferSize : logs.textInfoBufferSize),
    flushEveryMs: durationMs(logs.flushFrequency),
  });
  const verbosity = new LogVerbosity(logs.verbosity, logs.moduleLevels);
  const options: LoggerOptions = {
    clock: systemClock,
    format: isJson ? "json" : "text",
    verbosity,
    write: (line, severity) => output.write(line, severity),
    pid: process.pid,
    ...(isUtc() ? {} : { utcOffsetMs: (timeMs) => -new Date(timeMs).getTimezoneOffset() * 60_000 }),
    caller: callSite,
  };
  return {
    log: withoutRepeats(createLogger(options), systemClock),
    verbosity,
    plain: (level, text) => logPlainLine(options, level, text),
    warn: (text) => logPlainLine(options, 0, text, true),
    exit(code) {
      output.flush();
      process.exit(code);
    },
    panic(message) {
      output.flush();
      writeAll(STDERR, `panic: ${message}\n`);
      process.exit(PANIC_CODE);
    },
  };
}

/** Whether the system's time zone is UTC. Asking the runtime costs 5 ms and 4 MB of tables. */
function isUtc(): boolean {
  const { TZ: zone } = process.env;
  if (zone !== undefined) return zone === "" || zone === "UTC";
  try {
    return /\/(?:UTC|UCT|Universal|Zulu)$/.test(readlinkSync("/etc/localtime"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Every flag and its value, by name, for FLAG lines and /flagz. */
export function flagTexts({ sections, flags }: Command): ReadonlyMap<string, string> {
  const texts = sections.flatMap((section) =>
    section.flags.map(({ name, type }) => [name, type.print(flags.values.get(name))] as const),
  );
  return new Map(texts.sort(([a], [b]) => (a < b ? -1 : 1)));
}
