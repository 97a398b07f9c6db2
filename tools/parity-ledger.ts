// The parity ledger as data: reads its rows, finds the ids that tests carry, and says where they disagree.

export interface LedgerRow {
  readonly id: string;
  readonly behaviour: string;
  readonly state: "planned" | "done" | "deviates";
  /** The part it comes with, the test files, or the reason. */
  readonly detail: string;
}

export interface TestedId {
  readonly id: string;
  readonly file: string;
}

const rowPattern = /^\| (\S+) \| (.*) \| (planned|done|deviates): (.*) \|$/;
const idSource = String.raw`[a-z][a-z0-9-]*\/[A-Za-z0-9][A-Za-z0-9.-]*?(?:\.\.[a-zA-Z]?\d+)?`;
// The first argument of it(), test(), describe() and what wraps them, or of the call that each(…) returns; or the
// name of a scenario that a suite plays.
const namePattern = new RegExp(
  String.raw`(?:(?:\b(?:it|test|describe)\w*(?:\.\w+)*|\))\s*\(|\bname:)\s*["'\`]((?:${idSource}[,: ]+)+|${idSource}(?=["'\`]))`,
  "g",
);
const casePattern = new RegExp(String.raw`\bid:\s*["'\`](${idSource})["'\`]`, "g");

export function parseLedger(markdown: string): LedgerRow[] {
  return markdown.split("\n").flatMap((line) => {
    const match = rowPattern.exec(line);
    if (match === null) return [];
    const [, id = "", behaviour = "", state, detail = ""] = match;
    return [{ id, behaviour, state: state as LedgerRow["state"], detail }];
  });
}

/** The ids carried by the tests of one file, ranges written out. */
export function idsInTests(source: string, knownPrefixes: ReadonlySet<string>): string[] {
  const names = [...source.matchAll(namePattern), ...source.matchAll(casePattern)];
  const ids = names.flatMap(([, text = ""]) => text.split(/[,: ]+/).filter((id) => id !== ""));
  return [...new Set(ids.filter((id) => knownPrefixes.has(prefixOf(id))).flatMap(expandRange))];
}

export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}

/** `a/1.r3..r5` is a/1.r3, a/1.r4, a/1.r5. */
function expandRange(id: string): string[] {
  const range = /^(.*?)(\d+)\.\.[a-zA-Z]?(\d+)$/.exec(id);
  if (range === null) return [id];
  const [, stem = "", first = "", last = ""] = range;
  const count = Number(last) - Number(first) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, offset) => `${stem}${Number(first) + offset}`);
}

/** What is wrong, one sentence each; empty when the ledger is true. */
export function checkLedger(rows: readonly LedgerRow[], ids: readonly string[], tested: readonly TestedId[]): string[] {
  const problems: string[] = [];
  const known = new Set(ids);
  const seen = new Set<string>();
  const carriers = groupFiles(tested);
  for (const { id, state, detail } of rows) {
    if (seen.has(id)) problems.push(`${id}: has two rows`);
    seen.add(id);
    if (!known.has(id)) problems.push(`${id}: is not in the list of ids`);
    if (detail.trim() === "") problems.push(`${id}: says nothing after "${state}:"`);
    if (state !== "done") continue;
    const files = carriers.get(id) ?? new Set();
    if (files.size === 0) problems.push(`${id}: is done, but no test carries it`);
    for (const file of detail.split(", ")) {
      if (files.size > 0 && !files.has(file)) problems.push(`${id}: ${file} does not carry it`);
    }
  }
  for (const id of ids) if (!seen.has(id)) problems.push(`${id}: its row has vanished`);
  for (const { id, file } of tested) {
    // A suite may be named after a whole section; that proves no row.
    const exists = known.has(id) || ids.some((other) => other.startsWith(`${id}.`));
    if (!exists) problems.push(`${id}: ${file} carries it, but it does not exist`);
  }
  return problems;
}

/** The ledger with the rows done whose tests exist. A row never goes back by itself: the check complains instead. */
export function syncLedger(markdown: string, tested: readonly TestedId[]): string {
  const carriers = groupFiles(tested);
  return markdown
    .split("\n")
    .map((line) => {
      const [row] = parseLedger(line);
      const files = row === undefined ? undefined : carriers.get(row.id);
      if (row === undefined || files === undefined || row.state === "deviates") return line;
      return `| ${row.id} | ${row.behaviour} | done: ${[...files].sort().join(", ")} |`;
    })
    .join("\n");
}

function groupFiles(tested: readonly TestedId[]): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  for (const { id, file } of tested) files.set(id, (files.get(id) ?? new Set()).add(file));
  return files;
}
