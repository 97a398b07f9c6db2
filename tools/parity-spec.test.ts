import { describe, expect, it } from "vitest";
import { importPages, indexOfPages } from "./parity-import.ts";
import { parseIndex, parsePage } from "./parity-ledger.ts";
import { pagesOfSpec } from "./parity-spec.ts";
import { inPlainWords } from "./parity-words.ts";

const checklists: Readonly<Record<string, string>> = {
  "manager-and-machinery.md": `# The daemon

## 1. The command

Source: \`cm/app\`.

### 1.1 Start

1. No subcommands.
2. Order: flags → logs.

### 1.2 Flags

Types: b bool.

**Debugging** (\`debugging\`)
| Flag | Type | Default | Meaning |
|---|---|---|---|
| --profiling | b | true | pprof |

**Per-controller sections**
| Section | Flag | Type | Default | Meaning |
|---|---|---|---|---|
| job | --a | i32 | 5 | workers |
|   | --b | d | 1s | a \\| b |

Traps: none.
`,
  "workloads.md": `# Workloads

Notation: RV = resourceVersion.

## Shared machinery

Source: pkg/controller.

**Queues**
- S1. Default limiter.

**Slow start**: batches.

- Tests: some.

## Controllers

### job-controller
Alias \`job\`. LOC 10/20.
- Watches: jobs. Reads live: GET job (see S1). Writes: SMP pods.
1. First.
2. RV compared.
- Events: Completed N, SawPods W "Saw N pods". Metrics: total c{a}.
`,
  "core-auth-cleanup.md":
    "# Core\n\nFacts common:\n\n- One.\n- Two.\n\n---\n\n### ttl-controller\nAlias.\n\nBehaviour - loop\n1. First.\n\n- Events / metrics: none. Tests: 1 T / ~2 c.\n",
  "network-nodes-devices.md": `# Network

Conventions. SMP.
All informers are
shared.

### endpoints-controller
Alias.
1. First.

### cloud loops inside kube-controller-manager
Skipped.

### service-lb-controller (cloud-provider library)
Library.
1. Wants.
`,
  "storage.md": "# Storage\n\nPlugins.\n\n### ephemeral-volume-controller\nAlias.\n1. First.\n",
};

const pages = pagesOfSpec((file) => checklists[file] ?? "");
const rowsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    pages
      .filter((page) => page.name === name)
      .flatMap(({ sections }) => sections.flatMap(({ rows }) => rows.map(({ id, text }) => [id, text]))),
  );

describe("pagesOfSpec", () => {
  it("makes one page per chapter, area and controller", () => {
    expect(pages.map(({ name, shared }) => [name, shared])).toEqual([
      ["machinery-1-command", undefined],
      ["workloads", undefined],
      ["job", "workloads"],
      ["core", undefined],
      ["ttl", "core"],
      ["network", undefined],
      ["endpoints", "network"],
      ["cloud", "network"],
      ["storage", undefined],
      ["ephemeral-volume", "storage"],
    ]);
  });

  it("numbers items, rows of tables and notes of the machinery", () => {
    expect(rowsOf("machinery-1-command")).toEqual({
      "machinery/1.1.1": "No subcommands.",
      "machinery/1.1.2": "Order: flags → logs.",
      "machinery/1.2.r1": "--profiling (section Debugging; bool, default true): pprof",
      "machinery/1.2.r2": "--a (section job-controller; i32, default 5): workers",
      "machinery/1.2.r3": "--b (section job-controller; duration, default 1s): a | b",
      "machinery/1.2.n1": "Traps: none.",
    });
  });

  it("cuts a bullet at its labels", () => {
    expect(rowsOf("job")).toEqual({
      "job/about": "Alias `job`. 10/20 lines.",
      "job/watches": "Watches: jobs.",
      "job/reads-live": "Reads live: GET job (see workloads/S1).",
      "job/writes": "Writes: strategic merge patch pods.",
      "job/events": 'Events: Completed (Normal), SawPods (Warning) "Saw N pods".',
      "job/metrics": "Metrics: total counter{a}.",
      "job/1": "First.",
      "job/2": "resourceVersion compared.",
    });
    expect(rowsOf("ttl")).toMatchObject({
      "ttl/events": "Events / metrics: none.",
      "ttl/metrics": "Events / metrics: none.",
      "ttl/tests": "Tests: 1 test / about 2 cases.",
    });
  });

  it("keeps the shared facts of an area", () => {
    expect(rowsOf("workloads")).toEqual({
      "workloads/S1": "Default limiter.",
      "workloads/slow-start": "batches.",
      "workloads/tests": "Tests: some.",
    });
    expect(rowsOf("core")).toEqual({ "core/1": "One.", "core/2": "Two." });
    expect(pages.find(({ name }) => name === "network")?.sections[0]?.notes).toEqual(["All informers are shared."]);
    expect(Object.keys(rowsOf("cloud"))).toEqual(["cloud-loops/about", "service-lb/about", "service-lb/1"]);
  });

  it("refuses a bullet without a known label", () => {
    const strange = { ...checklists, "storage.md": "# S\n\n### a-controller\n- Strange: x.\n" };
    expect(() => pagesOfSpec((file) => strange[file as keyof typeof strange] ?? "")).toThrow("no known label");
  });
});

describe("inPlainWords", () => {
  it.each([
    ["RSs of `RS` with RV", "ReplicaSets of `RS` with resourceVersion"],
    ["PUT <target>/scale, `<a>`", "PUT \\<target>/scale, `<a>`"],
    ["process_* and *why* and **now**", "process_\\* and *why* and **now**"],
    ["`cg/tools` and cg/rest", "`staging/src/k8s.io/client-go/tools` and staging/src/k8s.io/client-go/rest"],
  ])("%s", (short, long) => {
    expect(inPlainWords(short)).toBe(long);
  });
});

describe("importPages", () => {
  const ledger = [
    {
      name: "job",
      rows: [
        { id: "job/1", state: "done", text: "Firs…", notes: ["Note: seen"] },
        { id: "job/3", state: "done", text: "Found later.", notes: [] },
      ],
    },
  ] as const;
  const imported = importPages(pages, ledger);
  const job = parsePage(imported.find(({ name }) => name === "job")?.markdown ?? "");

  it("takes the texts of the checklists, and keeps states, notes and rows of the ledger", () => {
    expect(job.filter(({ state }) => state === "done")).toEqual([
      { id: "job/1", state: "done", text: "First.", notes: ["Note: seen"] },
      { id: "job/3", state: "done", text: "Found later.", notes: [] },
    ]);
    expect(job).toHaveLength(9);
  });

  it("gives the same pages the second time", () => {
    const again = imported.map(({ name, markdown }) => ({ name, rows: parsePage(markdown) }));
    expect(importPages(pages, again)).toEqual(imported);
  });

  it("counts the rows of each page for the index", () => {
    const index = parseIndex(indexOfPages(imported));
    expect(index.get("job")).toEqual({ area: "Workloads", rows: 9 });
    expect(index.size).toBe(imported.length);
  });
});
