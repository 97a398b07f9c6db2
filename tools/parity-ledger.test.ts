import { describe, expect, it } from "vitest";
import { checkLedger, countRows, idsInTests, parseIndex, parsePage, syncPage } from "./parity-ledger.ts";

const prefixes = new Set(["replicaset", "machinery", "workloads", "namespace"]);

describe("idsInTests", () => {
  it.each([
    { source: `it("replicaset/7 counts pods", () => {})`, ids: ["replicaset/7"] },
    { source: "test.concurrent(\n  `machinery/5.2.7 backs off`, f)", ids: ["machinery/5.2.7"] },
    { source: `describeReal("workloads/S7: expectations", f)`, ids: ["workloads/S7"] },
    { source: `it("replicaset/events", f)`, ids: ["replicaset/events"] },
    { source: `it("replicaset/7, replicaset/8 both", f)`, ids: ["replicaset/7", "replicaset/8"] },
    { source: `it("replicaset/7 as replicaset/8 does", f)`, ids: ["replicaset/7"] },
    { source: `it.each([{ a: 1 }])("replicaset/9 case $a", f)`, ids: ["replicaset/9"] },
    {
      source: `it("machinery/1.7.r9..r11 flags", f)`,
      ids: ["machinery/1.7.r9", "machinery/1.7.r10", "machinery/1.7.r11"],
    },
    { source: `const cases = [{ id: "machinery/6.r3", name: "x" }]`, ids: ["machinery/6.r3"] },
    { source: `{ name: "replicaset/7, replicaset/8 both", play() {} }`, ids: ["replicaset/7", "replicaset/8"] },
    { source: `it("counts pods like replicaset/7", f)`, ids: [] },
    { source: `it("apps/v1 is not an id", f)`, ids: [] },
  ])("finds $ids in $source", ({ source, ids }) => {
    expect(idsInTests(source, "a.test.ts", prefixes)).toEqual(
      ids.map((id) => ({ id, file: "a.test.ts", isVirtualOnly: false })),
    );
  });

  it("finds the scenarios that play in virtual time only; an id that also plays elsewhere is not virtual", () => {
    const source = [
      `{ name: "replicaset/1 waits a day", virtualOnly: "a day", play() {} },`,
      `{ name: "replicaset/2 acts", play() {} },`,
      `{ name: "replicaset/3 waits an hour", virtualOnly: "an hour", play() {} },`,
      `{ name: "replicaset/3 acts", play() {} },`,
    ].join("\n");
    const found = idsInTests(source, "a.ts", prefixes).map(({ id, isVirtualOnly }) => [id, isVirtualOnly]);
    expect(found).toEqual([
      ["replicaset/1", true],
      ["replicaset/2", false],
      ["replicaset/3", false],
    ]);
  });
});

const page = [
  "# replicaset-controller",
  "",
  "- **replicaset/1** (planned): a",
  "",
  "- **replicaset/2** (done): b | c",
  "  Note: seen on the real server.",
  "",
  "- **replicaset/3** (deviates): d",
  "  Deviation: cannot be replayed",
  "",
  "  no note of a row",
].join("\n");
const rows = parsePage(page);
const index = parseIndex("### Workloads\n\n| [replicaset](parity/replicaset.md) | replicaset-controller | 3 |\n");
const carries = (...ids: string[]) => ids.map((id) => ({ id, file: "src/a.test.ts", isVirtualOnly: false }));

describe("parsePage and parseIndex", () => {
  it("read the rows with the notes below them, and the page's entry in the index", () => {
    expect(rows).toEqual([
      { id: "replicaset/1", state: "planned", text: "a", notes: [] },
      { id: "replicaset/2", state: "done", text: "b | c", notes: ["Note: seen on the real server."] },
      { id: "replicaset/3", state: "deviates", text: "d", notes: ["Deviation: cannot be replayed"] },
    ]);
    expect([...index]).toEqual([["replicaset", { area: "Workloads", rows: 3 }]]);
  });
});

describe("checkLedger", () => {
  const problemsOf = (
    changed: Partial<{ rows: typeof rows; index: typeof index; tested: ReturnType<typeof carries> }>,
  ): string[] =>
    checkLedger(
      [{ name: "replicaset", rows: changed.rows ?? rows }],
      changed.index ?? index,
      changed.tested ?? carries("replicaset/2"),
    );

  it("accepts a true ledger", () => {
    expect(problemsOf({})).toEqual([]);
  });
  it("refuses a done row without a test, and a planned one with a test", () => {
    expect(problemsOf({ tested: carries("replicaset/1") })).toEqual([
      "replicaset/1: has a test: run bun tools/parity.ts sync (docs/parity/replicaset.md)",
      "replicaset/2: is done, but no test carries it (docs/parity/replicaset.md)",
    ]);
  });
  it("refuses a test whose id does not exist", () => {
    expect(problemsOf({ tested: carries("replicaset/2", "replicaset/99") })).toEqual([
      "replicaset/99: src/a.test.ts carries it, but it does not exist",
    ]);
  });
  it("lets a suite be named after a section", () => {
    const section = [...rows.slice(1), { id: "machinery/7.4.r1", state: "planned", text: "x", notes: [] } as const];
    expect(problemsOf({ rows: section, tested: carries("replicaset/2", "machinery/7.4") })).toEqual([]);
  });
  it("refuses a lost row and a duplicate row", () => {
    expect(problemsOf({ rows: rows.slice(1) })).toEqual([
      "docs/parity/replicaset.md: has 2 rows, docs/parity.md says 3",
    ]);
    expect(problemsOf({ rows: [...rows.slice(0, 2), ...rows.slice(0, 1)] })).toEqual([
      "replicaset/1: has two rows (docs/parity/replicaset.md)",
    ]);
  });
  it("refuses a page without an entry, and an entry without a page", () => {
    const others = parseIndex("| [job](parity/job.md) | job-controller | 3 |");
    expect(problemsOf({ index: others })).toEqual([
      "docs/parity/replicaset.md: is not in the index (docs/parity.md)",
      "docs/parity/job.md: is in the index, but does not exist",
    ]);
  });
  it("refuses a text that is cut off, and a deviation without a description", () => {
    const [first = rows[0], , third] = rows;
    if (first === undefined || third === undefined) throw new Error("three rows");
    const bad = [
      { ...first, text: "a pod that …" },
      { ...third, notes: [] },
    ];
    expect(problemsOf({ rows: [...bad, ...rows.slice(1, 2)] })).toEqual([
      "replicaset/1: its text is cut off (docs/parity/replicaset.md)",
      'replicaset/3: deviates, but no line "Deviation: …" below it says how (docs/parity/replicaset.md)',
    ]);
  });
});

describe("syncPage", () => {
  it("marks rows as done, keeps everything else, and never unmarks a row", () => {
    const synced = syncPage(page, carries("replicaset/1", "replicaset/3"));
    expect(synced).toBe(page.replace("replicaset/1** (planned)", "replicaset/1** (done)"));
  });
});

describe("countRows", () => {
  it("counts rows by state, and those done in virtual time only", () => {
    expect(countRows(rows, carries("replicaset/2"))).toEqual({
      rows: 3,
      done: 1,
      virtualOnly: 0,
      deviate: 1,
      planned: 1,
    });
    const virtual = carries("replicaset/2").map((each) => ({ ...each, isVirtualOnly: true }));
    expect(countRows(rows, virtual).virtualOnly).toBe(1);
    expect(countRows(rows, [...virtual, ...carries("replicaset/2")]).virtualOnly).toBe(0);
  });
});
