// The rate of repeated log lines: a lasting cause must not fill the disk. Every line counts, whatever its severity.
// Failures of all objects with the same error are one cause; other lines are the same if only numbers differ.

/** A line of klog's text format: level and day, time, process, source, message. */
const LINE = /^([IWEF])\d{4} (\d\d:\d\d:\d\d)\.\d+ +\d+ [^\]]+\] (.*)$/;

export interface CauseInSecond {
  readonly cause: string;
  readonly second: string;
  readonly count: number;
}

/** The number of lines per cause and second. */
export function linesPerSecond(log: string): readonly CauseInSecond[] {
  const counts = new Map<string, { cause: string; second: string; count: number }>();
  for (const line of log.split("\n")) {
    const [, severity = "", second = "", text = ""] = LINE.exec(line) ?? [];
    if (text === "") continue;
    const cause = causeOf(severity, text);
    const key = `${second} ${cause}`;
    const entry = counts.get(key) ?? { cause, second, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  return [...counts.values()];
}

/** For reports: the number of lines and of causes, and the most lines of one cause in one second. */
export function logFigures(logs: readonly string[]): { lines: number; causes: number; most: number } {
  const seconds = logs.flatMap(linesPerSecond);
  return {
    lines: seconds.reduce((sum, { count }) => sum + count, 0),
    causes: new Set(seconds.map(({ cause }) => cause)).size,
    most: seconds.reduce((most, { count }) => Math.max(most, count), 0),
  };
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const MESSAGE = new RegExp(`^(${QUOTED}|[^"]*?)(?= [A-Za-z]+=|$)`);
const ERROR = new RegExp(`\\berr=(${QUOTED})`);

function causeOf(severity: string, text: string): string {
  const err = ERROR.exec(text)?.[1];
  if (err === undefined && severity === "I") return plain(text);
  return `${severity} ${plain(MESSAGE.exec(text)?.[1] ?? text)} err=${plain(err ?? "")}`;
}

/** The text without the parts that differ between attempts and objects. */
function plain(text: string): string {
  return text
    .replaceAll(/https?:\/\/[^\s"\\]+/g, "URL")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\b\d+(\.\d+)*(ms|µs|s|m|h)?\b/g, "N");
}
