// The parity ledger as data: reads the rows of its pages, finds the ids in test names, and reports where they disagree.

export type RowState = "planned" | "done" | "deviates";

export interface LedgerRow {
  readonly id: string;
  readonly state: RowState;
  readonly text: string;
  /** The indented lines below the row: `Deviation: …`, `Note: …`. */
  readonly notes: readonly string[];
}

export interface LedgerPage {
  /** Without folder and extension: `job`. */
  readonly name: string;
  readonly rows: readonly LedgerRow[];
}

export interface TestedId {
  readonly id: string;
  readonly file: string;
  /** The scenario plays only under the virtual clock. */
  readonly isVirtualOnly: boolean;
}

const rowPattern = /^- \*\*(\S+)\*\* \((planned|done|deviates)\): (.*)$/;
const notePattern = /^ {2}(\S.*)$/;
const indexPattern = /^\| \[([\w-]+)\]\(parity\/[\w-]+\.md\) \|.*\| (\d+) \|$/;

const idSource = String.raw`[a-z][a-z0-9-]*\/[A-Za-z0-9][A-Za-z0-9.-]*?(?:\.\.[a-zA-Z]?\d+)?`;
// The first argument of it(), test(), describe() and their wrappers, or of the call that each(…) returns; or the name
// of a scenario; or the id of a case in a table.
const namePattern = new RegExp(
  String.raw`(?:(?:\b(?:it|test|describe)\w*(?:\.\w+)*|\))\s*\(|\bname:)\s*["'\`]((?:${idSource}[,: ]+)+|${idSource}(?=["'\`]))` +
    String.raw`|\bid:\s*["'\`](${idSource})["'\`]`,
  "g",
);
const virtualOnlyPattern = /\bvirtualOnly:/;

export function parsePage(markdown: string): LedgerRow[] {
  const rows: (LedgerRow & { notes: string[] })[] = [];
  let isInRow = false;
  for (const line of markdown.split("\n")) {
    const [, id, state, text] = rowPattern.exec(line) ?? [];
    const note = notePattern.exec(line)?.[1];
    if (id !== undefined) rows.push({ id, state: state as RowState, text: text ?? "", notes: [] });
    else if (isInRow && note !== undefined) rows.at(-1)?.notes.push(note);
    isInRow = id !== undefined || (isInRow && note !== undefined);
  }
  return rows;
}

export function rowLines({ id, state, text, notes }: LedgerRow): string {
  return [`- **${id}** (${state}): ${text}`, ...notes.map((note) => `  ${note}`)].join("\n");
}

export interface IndexEntry {
  /** The heading above the entry. */
  readonly area: string;
  readonly rows: number;
}

/** The pages of the index, with their numbers of rows. */
export function parseIndex(markdown: string): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  let area = "";
  for (const line of markdown.split("\n")) {
    const [, name, rows] = indexPattern.exec(line) ?? [];
    if (line.startsWith("### ")) area = line.slice(4);
    if (name !== undefined) entries.set(name, { area, rows: Number(rows) });
  }
  return entries;
}

/** The ids in the test names of one file, with ranges expanded. A scenario's `virtualOnly:` comes after its name. */
export function idsInTests(source: string, file: string, prefixes: ReadonlySet<string>): TestedId[] {
  const names = [...source.matchAll(namePattern)];
  const tested = new Map<string, TestedId>();
  for (const [at, name] of names.entries()) {
    const isVirtualOnly = virtualOnlyPattern.test(source.slice(name.index, names[at + 1]?.index));
    const ids = (name[1] ?? name[2] ?? "").split(/[,: ]+/).filter((id) => prefixes.has(prefixOf(id)));
    for (const id of ids.flatMap(expandRange)) {
      tested.set(id, { id, file, isVirtualOnly: isVirtualOnly && (tested.get(id)?.isVirtualOnly ?? true) });
    }
  }
  return [...tested.values()];
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

/** The problems, one sentence each; empty if ledger and tests agree. */
export function checkLedger(
  pages: readonly LedgerPage[],
  index: ReadonlyMap<string, IndexEntry>,
  tested: readonly TestedId[],
): string[] {
  const carried = new Set(tested.map(({ id }) => id));
  const known = new Set<string>();
  const problems = pages.flatMap(({ name, rows }) =>
    rows.flatMap((row) => {
      const isTwice = known.has(row.id);
      known.add(row.id);
      const complaints = [...(isTwice ? ["has two rows"] : []), ...rowProblems(row, carried)];
      return complaints.map((complaint) => `${row.id}: ${complaint} (docs/parity/${name}.md)`);
    }),
  );
  const counted = new Map(pages.map(({ name, rows }) => [name, rows.length]));
  for (const name of new Set([...counted.keys(), ...index.keys()])) {
    const [has, says] = [counted.get(name), index.get(name)?.rows];
    if (has === undefined) problems.push(`docs/parity/${name}.md: is in the index, but does not exist`);
    else if (says === undefined) problems.push(`docs/parity/${name}.md: is not in the index (docs/parity.md)`);
    else if (has !== says) problems.push(`docs/parity/${name}.md: has ${has} rows, docs/parity.md says ${says}`);
  }
  for (const { id, file } of tested) {
    // A suite may be named after a whole section; that does not prove any row.
    const exists = known.has(id) || [...known].some((other) => other.startsWith(`${id}.`));
    if (!exists) problems.push(`${id}: ${file} carries it, but it does not exist`);
  }
  return problems;
}

function rowProblems({ id, state, text, notes }: LedgerRow, carried: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  if (text.trim() === "" || text.trimEnd().endsWith("…")) problems.push("its text is cut off");
  if (state === "done" && !carried.has(id)) problems.push("is done, but no test carries it");
  if (state === "planned" && carried.has(id)) problems.push("has a test: run bun tools/parity.ts sync");
  if (state === "deviates" && !notes.some((note) => /^Deviation: \S/.test(note))) {
    problems.push('deviates, but no line "Deviation: …" below it says how');
  }
  return problems;
}

/**
 * The page with each row marked as done whose tests exist. A row is never unmarked here: the check reports it instead.
 */
export function syncPage(markdown: string, tested: readonly TestedId[]): string {
  const carried = new Set(tested.map(({ id }) => id));
  return markdown
    .split("\n")
    .map((line) => {
      const [row] = parsePage(line);
      return row?.state === "planned" && carried.has(row.id) ? rowLines({ ...row, state: "done" }) : line;
    })
    .join("\n");
}

export interface RowCounts {
  readonly rows: number;
  readonly done: number;
  /** The done rows whose tests all play only under the virtual clock. */
  readonly virtualOnly: number;
  readonly deviate: number;
  readonly planned: number;
}

export function countRows(rows: readonly LedgerRow[], tested: readonly TestedId[]): RowCounts {
  const carried = new Set(tested.map(({ id }) => id));
  const real = new Set(tested.filter(({ isVirtualOnly }) => !isVirtualOnly).map(({ id }) => id));
  const of = (state: RowState): readonly LedgerRow[] => rows.filter((row) => row.state === state);
  return {
    rows: rows.length,
    done: of("done").length,
    virtualOnly: of("done").filter(({ id }) => carried.has(id) && !real.has(id)).length,
    deviate: of("deviates").length,
    planned: of("planned").length,
  };
}
