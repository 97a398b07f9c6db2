// How often a program says the same thing: a cause that lasts must not fill the disk.

/** A line of klog's text format: level and day, time, process, source, message. */
const LINE = /^([IWEF])\d{4} (\d\d:\d\d:\d\d)\.\d+ +\d+ [^\]]+\] (.*)$/;

/** How often each cause was logged in each second; a cause is a line without what differs from try to try. */
export function linesPerSecond(log: string): readonly { cause: string; second: string; count: number }[] {
  const counts = new Map<string, { cause: string; second: string; count: number }>();
  for (const line of log.split("\n")) {
    const [, severity, second = "", text = ""] = LINE.exec(line) ?? [];
    // What has no cause is not about one.
    if (text === "" || (severity === "I" && !text.includes(" err="))) continue;
    const cause = text.replaceAll(/\b\d+(\.\d+)?(ms|µs|s|m)\b/g, "TIME").replaceAll(/:\d+->/g, ":PORT->");
    const key = `${second} ${cause}`;
    const entry = counts.get(key) ?? { cause, second, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  return [...counts.values()];
}
