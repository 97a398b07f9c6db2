import { describe, expect, it } from "vitest";
import { checkLedger, idsInTests, parseLedger, syncLedger } from "./parity-ledger.ts";

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
    { source: `it("apps/v1 is no id", f)`, ids: [] },
  ])("finds $ids in $source", ({ source, ids }) => {
    expect(idsInTests(source, prefixes)).toEqual(ids);
  });
});

const ledger = [
  "| id | behaviour | state |",
  "|---|---|---|",
  "| replicaset/1 | a | planned: first controllers |",
  "| replicaset/2 | b \\| c | done: src/a.test.ts |",
  "| replicaset/3 | d | deviates: cannot be replayed |",
].join("\n");
const ids = ["replicaset/1", "replicaset/2", "replicaset/3"];

describe("checkLedger", () => {
  const rows = parseLedger(ledger);
  const tested = [{ id: "replicaset/2", file: "src/a.test.ts" }];

  it("accepts a true ledger, and a planned row that already has a test", () => {
    expect(checkLedger(rows, ids, tested)).toEqual([]);
    expect(checkLedger(rows, ids, [...tested, { id: "replicaset/1", file: "src/a.test.ts" }])).toEqual([]);
  });
  it("refuses a done row without a test, or with another one", () => {
    expect(checkLedger(rows, ids, [])).toEqual(["replicaset/2: is done, but no test carries it"]);
    expect(checkLedger(rows, ids, [{ id: "replicaset/2", file: "src/b.test.ts" }])).toEqual([
      "replicaset/2: src/a.test.ts does not carry it",
    ]);
  });
  it("refuses a test whose id does not exist", () => {
    expect(checkLedger(rows, ids, [...tested, { id: "replicaset/99", file: "src/a.test.ts" }])).toEqual([
      "replicaset/99: src/a.test.ts carries it, but it does not exist",
    ]);
  });
  it("lets a suite be named after a section", () => {
    const section = { id: "machinery/7.4", file: "src/a.test.ts" };
    const row = { id: "machinery/7.4.r1", behaviour: "x", state: "planned", detail: "y" } as const;
    expect(checkLedger([...rows, row], [...ids, row.id], [...tested, section])).toEqual([]);
  });
  it("refuses a row that vanished, one that is not listed, and one that is there twice", () => {
    expect(checkLedger(rows.slice(1), ids, tested)).toEqual(["replicaset/1: its row has vanished"]);
    expect(checkLedger(rows, ids.slice(1), tested)).toEqual(["replicaset/1: is not in the list of ids"]);
    expect(checkLedger([...rows, ...rows.slice(0, 1)], ids, tested)).toEqual(["replicaset/1: has two rows"]);
  });
});

describe("syncLedger", () => {
  it("marks rows done, keeps deviations, and never takes a row back", () => {
    const tested = [
      { id: "replicaset/1", file: "src/z.test.ts" },
      { id: "replicaset/1", file: "src/a.test.ts" },
      { id: "replicaset/3", file: "src/a.test.ts" },
    ];
    expect(parseLedger(syncLedger(ledger, tested)).map(({ state, detail }) => `${state}: ${detail}`)).toEqual([
      "done: src/a.test.ts, src/z.test.ts",
      "done: src/a.test.ts",
      "deviates: cannot be replayed",
    ]);
  });
});
