// `make profile SCENARIO=<piece>`: runs that piece of the whole manager's benchmark with our manager, from source,
// under the CPU and heap profilers of the runtime. Prints the most expensive functions and the types that fill the heap
// at the end.
//   bun bench/profile.ts <piece> [--quick] [--keep=<folder>]
// The profile covers the whole process, including its start. Shares are of samples, not of time: a sample that waits
// for a busy processor counts once.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stdout } from "node:process";

const TOP = 40;
const HEAP_TOP = 25;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
}

const repository = join(import.meta.dirname, "..");

function placeOf({ functionName, url, lineNumber }: CallFrame): string {
  const file = url.replace("file://", "").replace(`${repository}/`, "");
  return `${functionName || "(anonymous)"} ${file === "" ? "(the runtime)" : `${file}:${lineNumber + 1}`}`;
}

/** The layer of src, the package, or the runtime. */
function partOf({ url }: CallFrame): string {
  const file = url.replace("file://", "").replace(`${repository}/`, "");
  const [first = "", second = "", third = ""] = file.split("/");
  if (first === "src") return second === "controllers" ? `controllers/${third}` : second;
  return first === "node_modules" ? second : "the runtime";
}

class Shares {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  print(title: string, total: number): void {
    stdout.write(`\n${title}\n`);
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a);
    for (const [name, count] of sorted.slice(0, TOP)) {
      stdout.write(`${((100 * count) / total).toFixed(1).padStart(6)} %  ${name}\n`);
    }
  }
}

function printCpu({ nodes, samples }: CpuProfile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const self = new Shares();
  const total = new Shares();
  const parts = new Shares();
  for (const sample of samples) {
    const stack: CallFrame[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (frame !== undefined && frame.functionName !== "(root)") stack.push(frame);
    }
    const [top] = stack;
    if (top === undefined) continue;
    self.add(placeOf(top));
    for (const place of new Set(stack.filter(({ url }) => url.includes("/src/")).map(placeOf))) total.add(place);
    // Work of the runtime counts for its caller.
    parts.add(partOf(stack.find(({ url }) => url.includes("/src/")) ?? top));
  }
  parts.print(`CPU by part, what it calls in the runtime included: ${samples.length} samples`, samples.length);
  self.print("CPU by function, by itself", samples.length);
  total.print("CPU by function of ours, with all that it calls", samples.length);
}

/** The first table of types that the runtime writes. */
function printHeap(report: string): void {
  const summary = report.indexOf("## Summary");
  const table = report.slice(summary, report.indexOf("\n## ", report.indexOf("## Top 50 Types", summary) + 1));
  stdout.write(`\nHeap at the end\n${table.split("\n").slice(1, HEAP_TOP).join("\n")}\n`);
}

const [piece = "", ...more] = process.argv.slice(2);
const kept = more.find((argument) => argument.startsWith("--keep="))?.slice("--keep=".length);
const folder = kept ?? mkdtempSync(join(tmpdir(), "steersman-profile-"));
const measured = spawnSync(
  process.execPath,
  [
    ...["bench/manager.ts", "--whole", "--only=ours", "--rounds=1", `--piece=${piece}`, `--profile=${folder}`],
    ...more.filter((argument) => argument === "--quick"),
  ],
  { cwd: repository, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" },
);
stdout.write(measured.stdout.slice(0, Math.max(0, measured.stdout.indexOf("\n<!--"))));
if (measured.status === 0) {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const read = (ending: string): string => readFileSync(files.find((file) => file.endsWith(ending)) ?? ending, "utf8");
  printCpu(JSON.parse(read(".cpuprofile")) as CpuProfile);
  printHeap(read(".md"));
}
if (kept === undefined) rmSync(folder, { recursive: true, force: true });
process.exitCode = measured.status ?? 1;
