// The logging interface: structured, contextual, leveled like klog. Formats (klog text and JSON) are sinks; platform/
// decides where lines go.

/** Structured values. API objects appear only as references, never whole, which keeps secrets out of logs. */
export type LogValues = Readonly<Record<string, unknown>>;

export interface Logger {
  /** Logs at klog verbosity 0. */
  info(message: string, values?: LogValues): void;
  /** Logs an error; err may be undefined where upstream logs an error without one. */
  error(err: unknown, message: string, values?: LogValues): void;
  /** A logger whose info lines need verbosity `level`. Its errors are logged at any level. */
  v(level: number): Logger;
  /** Whether info() of this logger writes a line. Check it before computing costly values. */
  readonly isEnabled: boolean;
  /** A child that adds values to each line. */
  with(values: LogValues): Logger;
  /** A child whose name is appended to the logger's name with a dot. */
  named(name: string): Logger;
}

/** A logger that writes nothing. */
export const noLog: Logger = {
  info: () => {},
  error: () => {},
  v: () => noLog,
  isEnabled: false,
  with: () => noLog,
  named: () => noLog,
};
