// Implements the interface of log.ts: a tree of names and values over one output. A disabled line costs one comparison.
import type { Clock } from "./clock.ts";
import type { Logger, LogValues } from "./log.ts";
import { jsonLine } from "./log-json.ts";
import { textLine } from "./log-text.ts";
import type { LogVerbosity } from "./log-verbosity.ts";

export type LogSeverity = "info" | "error";

/** Where a line was logged. */
export interface LogCaller {
  readonly file: string;
  readonly line: number;
}

export interface LogEntry {
  readonly severity: LogSeverity;
  readonly timeMs: number;
  readonly level: number;
  readonly caller: LogCaller;
  /** Names joined by dots; empty for the root. */
  readonly name: string;
  readonly message: string;
  /** An info line that needs attention; only the text format shows it. */
  readonly isWarning?: boolean;
  /** The message is the line's whole text, as klog's formatted (unstructured) calls write it. */
  readonly isPlain?: boolean;
  readonly err?: unknown;
  /** From the root logger's values to the line's own, which are always present, possibly empty. */
  readonly values: readonly LogValues[];
}

export interface LoggerOptions {
  readonly clock: Clock;
  readonly format: "text" | "json";
  readonly verbosity: LogVerbosity;
  /** Takes whole lines with their line breaks. */
  readonly write: (line: string, severity: LogSeverity) => void;
  readonly pid?: number;
  /** Local time minus UTC at that time. Headers of the text format show local time; UTC when absent. */
  readonly utcOffsetMs?: (timeMs: number) => number;
  /** Finds the source location. Called only for lines that are written, and for those that --vmodule may enable. */
  readonly caller?: () => LogCaller | undefined;
}

export function createLogger(options: LoggerOptions): Logger {
  return new TreeLogger(options, { name: "", level: 0, values: [] });
}

/** Writes one line of plain text at a level. Lines that operators grep for must not be quoted. */
export function logPlainLine(options: LoggerOptions, level: number, message: string, isWarning = false): void {
  const { clock, format, verbosity, pid = 0, utcOffsetMs, write } = options;
  if (!verbosity.isEnabled(level, options.caller)) return;
  const timeMs = clock.now();
  const caller = options.caller?.() ?? unknownCaller;
  const line = { severity: "info", timeMs, level, caller, name: "", message } as const;
  const entry: LogEntry = { ...line, isWarning, isPlain: true, values: [{}] };
  write(format === "json" ? jsonLine(entry) : textLine(entry, pid, utcOffsetMs?.(timeMs) ?? 0), "info");
}

/** As klog writes it. */
const unknownCaller: LogCaller = { file: "???", line: 1 };

interface Place {
  readonly name: string;
  readonly level: number;
  readonly values: readonly LogValues[];
}

class TreeLogger implements Logger {
  readonly #options: LoggerOptions;
  readonly #place: Place;
  readonly #byLevel: (Logger | undefined)[] = [];

  constructor(options: LoggerOptions, place: Place) {
    this.#options = options;
    this.#place = place;
  }

  get isEnabled(): boolean {
    return this.#options.verbosity.isEnabled(this.#place.level, this.#options.caller);
  }

  info(message: string, values?: LogValues): void {
    if (this.isEnabled) this.#write("info", message, values, undefined);
  }

  error(err: unknown, message: string, values?: LogValues): void {
    this.#write("error", message, values, err);
  }

  v(level: number): Logger {
    if (level <= 0) return this;
    let logger = this.#byLevel[level];
    if (logger === undefined) {
      logger = new TreeLogger(this.#options, { ...this.#place, level: this.#place.level + level });
      this.#byLevel[level] = logger;
    }
    return logger;
  }

  with(values: LogValues): Logger {
    return new TreeLogger(this.#options, { ...this.#place, values: [...this.#place.values, values] });
  }

  named(name: string): Logger {
    const { name: parent } = this.#place;
    return new TreeLogger(this.#options, { ...this.#place, name: parent === "" ? name : `${parent}.${name}` });
  }

  #write(severity: LogSeverity, message: string, values: LogValues = {}, err: unknown): void {
    const { clock, format, pid = 0, utcOffsetMs, caller, write } = this.#options;
    const { name, level, values: inherited } = this.#place;
    const timeMs = clock.now();
    const entry: LogEntry = {
      severity,
      timeMs,
      level,
      caller: caller?.() ?? unknownCaller,
      name,
      message,
      err: err ?? undefined,
      values: [...inherited, values],
    };
    write(format === "json" ? jsonLine(entry) : textLine(entry, pid, utcOffsetMs?.(timeMs) ?? 0), severity);
  }
}
