// Proves that the suites can fail, and for the right reason: plants one fault at a time into a copy of the checkout and
// expects the tests that the plan names to fail. The checkout itself is only read.
// `bun tools/planted-faults.ts [--changed] [--seconds=<n>] [plan …]`; plans are the files of test/planted-faults/ that
// export `plan`. --changed plants the faults that the change affects; --seconds limits the time and prints what did not
// fit. --places plants nothing: it lists the faults whose anchor is no longer in the program, and those whose test does
// not exist (part of make check).

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, normalize, resolve } from "node:path";
import { type FaultPlan, type PlantedFault, planFolder } from "#test/planted-faults/fault.ts";
import { changedFiles } from "./changed-files.ts";
import { failuresIn, faultsOfChange, namePattern, planProblems, planted } from "./planting.ts";
import { TestNames } from "./test-names.ts";
import { noTests, sumTotals, type Totals, tellTotals } from "./test-totals.ts";

const copied = ["src", "test", "tools", "types", "package.json", "tsconfig.json", "tsconfig.base.json"];
/** Kills a suite that a fault makes hang, which no test notices. A busy machine may need ten minutes. */
const suiteLimitMs = 900_000;
/** As in `make test`: some tests wait for seconds, and longer on a busy machine. */
const testTimeoutMs = 60_000;
const outputBytesMax = 256 << 20;

/** In a temporary folder that is removed when this process ends. */
function copyOfCheckout(): string {
  const directory = mkdtempSync(join(tmpdir(), "steersman-faults-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  for (const name of copied) cpSync(name, join(directory, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
  return directory;
}

/** The command that checks some faults of a plan: only the tests that they name, or all its plays. */
function commandFor(plan: FaultPlan, faults: readonly PlantedFault[]): readonly string[] {
  const { suites, plays = [], areWhole = false } = plan;
  if (suites === undefined) return ["test/stage/play-faults.ts", ...plays];
  const pattern = areWhole ? [] : [`--test-name-pattern=${namePattern(faults)}`];
  return ["test", `--timeout=${testTimeoutMs}`, ...pattern, ...suites];
}

interface Outcome {
  readonly isGreen: boolean;
  /** Names of failed tests and plays. */
  readonly failures: readonly string[];
}

function run(directory: string, command: readonly string[]): Outcome {
  const { STEERSMAN_TEST_TOTALS: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: directory,
    env: { ...env, NO_COLOR: "1" },
    timeout: suiteLimitMs,
    killSignal: "SIGKILL",
    maxBuffer: outputBytesMax,
    encoding: "utf8",
  });
  const failures = failuresIn(stdout + stderr);
  return { isGreen: status === 0, failures: status === null ? [...failures, "cut off: it did not end"] : failures };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isNoticed(directory: string, plan: FaultPlan, fault: PlantedFault): boolean {
  const path = join(directory, fault.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, planted(source, fault));
  const { isGreen, failures } = run(directory, commandFor(plan, [fault]));
  writeFileSync(path, source);
  const reason = failures.find((failure) => failure.includes(fault.noticedBy));
  const others = failures.length === 0 ? "nothing that was named" : failures.slice(0, 6).join("; ");
  if (isGreen) say(`MISSED   ${fault.name}`);
  else if (reason === undefined) say(`MISSED   ${fault.name}: not by "${fault.noticedBy}", but by ${others}`);
  else say(`noticed  ${fault.name}: ${reason}`);
  return !isGreen && reason !== undefined;
}

function carryOut(directory: string, plan: FaultPlan, hasTime: () => boolean): Totals {
  if (!hasTime()) {
    say("left out for want of time");
    return { ...noTests, skipped: plan.faults.length };
  }
  const command = commandFor(plan, plan.faults);
  const { isGreen, failures } = run(directory, command);
  if (!isGreen) {
    say(`FAILED: ${command.join(" ")} is red without any fault: ${failures.join("; ")}`);
    return { ...noTests, failed: 1 };
  }
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const fault of plan.faults) {
    if (!hasTime()) totals.skipped++;
    else if (isNoticed(directory, plan, fault)) totals.passed++;
    else totals.failed++;
  }
  if (totals.skipped > 0) say(`${totals.skipped} faults were left out for want of time`);
  return totals;
}

/** The plans of these names, or all. */
async function plansOf(wanted: readonly string[]): Promise<{ file: string; name: string; plan: FaultPlan }[]> {
  const files = globSync(`${planFolder}/*.ts`)
    .map((file) => ({ file, name: basename(file, ".ts") }))
    .filter(({ name }) => name !== "fault" && (wanted.length === 0 || wanted.includes(name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return Promise.all(
    files.map(async (each) => ({ ...each, plan: ((await import(resolve(each.file))) as { plan: FaultPlan }).plan })),
  );
}

/** The files with the tests of a plan: its suites, which may be folders, or all scenarios and their plays. */
function testFilesOf({ suites }: FaultPlan): readonly string[] {
  if (suites === undefined) return globSync(["test/scenarios/**/*.ts", "test/stage/*.ts"]);
  return suites.flatMap((suite) =>
    suite.endsWith(".ts") ? [normalize(suite)] : globSync(join(suite, "**/*.test.ts")),
  );
}

async function checkPlaces(): Promise<number> {
  const read = (path: string): string => readFileSync(path, "utf8");
  const names = new TestNames(read);
  const problems = (await plansOf([])).flatMap(({ file, plan }) =>
    planProblems(plan, read, (part) => names.has(part, testFilesOf(plan))).map((problem) => `${file}: ${problem}`),
  );
  for (const problem of problems) say(problem);
  return problems.length > 0 ? 1 : 0;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--places")) return await checkPlaces();
  const wanted = args.filter((argument) => !argument.startsWith("--"));
  const changed = args.includes("--changed") ? changedFiles() : undefined;
  const seconds = Number(
    args.find((argument) => argument.startsWith("--seconds="))?.slice("--seconds=".length) ?? Infinity,
  );
  const endMs = performance.now() + seconds * 1000;
  if (args.includes("--changed") && changed === undefined) {
    say("SKIPPED: the commit before is not known, so neither is what changed (STEERSMAN_BASE names a commit)");
    tellTotals({ ...noTests, skipped: 1 });
    return 0;
  }
  const directory = copyOfCheckout();
  const parts: Totals[] = [];
  for (const { file, name, plan } of await plansOf(wanted)) {
    const faults = changed === undefined ? plan.faults : faultsOfChange(plan, file, changed);
    if (faults.length === 0) continue;
    say(`==> ${name}: ${faults.length} of ${plan.faults.length} faults`);
    parts.push(carryOut(directory, { ...plan, faults }, () => performance.now() < endMs));
  }
  if (parts.length === 0) say(`no planted fault ${changed === undefined ? "has that name" : "is in what changed"}`);
  const totals = sumTotals(parts);
  tellTotals(totals);
  const isEmptyOnPurpose = changed !== undefined || seconds !== Infinity;
  return totals.failed === 0 && (totals.passed > 0 || isEmptyOnPurpose) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
