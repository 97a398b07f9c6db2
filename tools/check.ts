// `make check`: all checks that do not run the product. The gates run at the same time; each prints its output only
// when it fails. `check.ts <gate>… [-- <path>…]` runs only the named gates, on these paths.

import { spawn } from "node:child_process";

const bin = (name: string): string => `node_modules/.bin/${name}`;
const gates: Readonly<Record<string, readonly [string, ...string[]]>> = {
  types: [bin("tsc"), "-b"],
  lint: [bin("biome"), "check", "--error-on-warnings", "--diagnostic-level=warn", "--max-diagnostics=500"],
  promises: [bin("oxlint"), "--type-aware", "--quiet", "--format=unix"],
  "dead-code": [bin("knip"), "--no-progress"],
  tidy: [process.execPath, "tools/tidy.ts"],
  parity: [process.execPath, "tools/parity.ts", "check"],
  faults: [process.execPath, "tools/planted-faults.ts", "--places"],
};

const named = process.argv.slice(2);
const end = named.includes("--") ? named.indexOf("--") : named.length;
const paths = named.slice(end + 1);

async function run(name: string): Promise<boolean> {
  const [command, ...args] = [...(gates[name] ?? []), ...paths];
  if (command === undefined) throw new Error(`no such gate: ${name}. There are ${Object.keys(gates).join(", ")}.`);
  const startedMs = performance.now();
  const chunks: Buffer[] = [];
  // Some tools colour their output in CI, where colours are not shown.
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (status !== 0) process.stdout.write(Buffer.concat(chunks));
  process.stdout.write(`${status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)\n`);
  return status === 0;
}

const chosen = end > 0 ? named.slice(0, end) : Object.keys(gates);
const outcomes = await Promise.all(chosen.map(run));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
