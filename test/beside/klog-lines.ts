// The warnings and errors of a Go program's log, without the parts that differ from run to run, so that two logs can be
// compared.

const HEADER = /^([EW])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ([\w.-]+):\d+\] (.*)$/;

/** The number of times that each line occurs: "E garbagecollector.go error syncing item". */
export function complaintsIn(log: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split("\n")) {
    const [, level, file, text] = HEADER.exec(line) ?? [];
    if (level === undefined || file === undefined || text === undefined) continue;
    const key = `${level} ${file} ${plain(text)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const plain = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\b(load|node)-\d+/g, "$1-N")
    .replace(/\b(web|api|work|db)-[a-z0-9]+(-[a-z0-9]{5})?\b/g, "$1-<suffix>")
    .replace(/0x[0-9a-f]+/g, "<address>")
    .replace(/127\.0\.0\.1:\d+/g, "<server>")
    .replace(/\d+(\.\d+)?(µs|ms|s|m)\b/g, "<duration>")
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| [+-]\d{4} UTC)?( m=[+-][\d.]+)?/g, "<time>")
    .replace(/\d+/g, "<number>");

/** The lines that only the first log has, most frequent first. */
export function onlyIn(
  ours: ReadonlyMap<string, number>,
  theirs: ReadonlyMap<string, number>,
): readonly (readonly [line: string, count: number])[] {
  return [...ours].filter(([line]) => !theirs.has(line)).sort(([, a], [, b]) => b - a);
}
