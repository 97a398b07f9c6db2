// Memory and CPU of a process that watches every built-in resource of an idle real cluster, from a
// bundle or from its sources. Starts the control plane itself.
//   bun bench/idle-watch.ts [--source]
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane } from "#test/real/control-plane.ts";
import type { IdleFigures } from "./idle-watcher.ts";

const RSS_MB_MAX = 45;
const ROUNDS = 3;

const directory = mkdtempSync(join(tmpdir(), "idle-watch-"));
process.on("exit", () => rmSync(directory, { recursive: true }));

/** Splits the bundle into chunks: a single file would load every built-in module at the start. */
function bundle(): string {
  const entry = join(import.meta.dirname, "idle-watcher.ts");
  const flags = ["--target=bun", "--minify", "--splitting", `--outdir=${directory}`];
  const { status, stderr } = spawnSync(process.execPath, ["build", ...flags, entry]);
  if (status !== 0) throw new Error(String(stderr));
  return join(directory, "idle-watcher.js");
}

async function measure(program: string, kubeconfig: string): Promise<IdleFigures> {
  const child = spawn(process.execPath, [program, kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  return JSON.parse(output) as IdleFigures;
}

const program = process.argv.includes("--source") ? join(import.meta.dirname, "idle-watcher.ts") : bundle();
const plane = await startControlPlane();
const rounds: IdleFigures[] = [];
for (let i = 0; i < ROUNDS; i++) rounds.push(await measure(program, plane.adminKubeconfig));
await plane.stop();

const figures = rounds.toSorted((a, b) => a.rssMb - b.rssMb)[Math.floor(ROUNDS / 2)] as IdleFigures;
const isGood = figures.rssMb <= RSS_MB_MAX;
const memory = `${figures.rssMb.toFixed(1)} MB resident (limit ${RSS_MB_MAX})${isGood ? "" : "  OVER THE LIMIT"}`;
const effort = `${figures.cpuSeconds.toFixed(2)} CPU-s, synced ${figures.syncedAfterMs.toFixed(0)} ms after the start`;
process.stdout.write(`${figures.resources} resources, ${figures.objects} objects: ${memory}, ${effort}\n`);
process.exit(isGood ? 0 : 1);
