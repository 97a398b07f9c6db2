// Runs the stages of a target and ends with one line: N passed, N failed, N skipped. It first prints the expected
// duration, then progress at least every ten seconds, and the suites that it leaves out with the commands that run
// them. In CI a skipped real suite is a failure.

import { spawnSync } from "node:child_process";
import { missingPrograms } from "./control-plane-binaries.ts";
import { inMinutes, lastDurations, rememberDuration } from "./durations.ts";
import { type Stage, suitesIn, targets } from "./test-stages.ts";
import { noTests, sumTotals, type Totals, tellTotals } from "./test-totals.ts";

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function expectedMs(stage: Stage): number {
  return lastDurations()[stage.name] ?? stage.calmSeconds * 1000;
}

function tellPlan(target: string, stages: readonly Stage[]): void {
  const isKnown = stages.every(({ name }) => lastDurations()[name] !== undefined);
  const total = inMinutes(stages.reduce((sum, stage) => sum + expectedMs(stage), 0));
  const parts = stages.map((stage) => `${stage.title} ${inMinutes(expectedMs(stage))}`).join(", ");
  const basis = isKnown ? "as it did here last time" : "on two calm cores";
  say(`${target}: takes about ${total} ${basis} (${parts}).`);
}

/**
 * Prints the suites that the fast target does not run, with their commands. They count as skipped only if they cannot
 * run at all.
 */
function tellLeftOut(): Totals {
  const folders = [
    "test/real",
    "test/torture",
    "test/hand-over",
    "test/outage",
    "test/swap",
    "test/sample-apiserver",
    "test/kubectl",
  ];
  const suites = folders.reduce((sum, folder) => sum + suitesIn(folder), 0);
  const missing = missingPrograms();
  say(
    "Not part of this run: all scenarios with faults (make test-faults), make differential, make planted-faults, make clients, and",
  );
  if (missing.length === 0) {
    say(
      `  ${suites} suites on the real control plane: make test-real, test-torture, hand-over, outage, swap, sample-apiserver, kubectl.`,
    );
    return noTests;
  }
  say(`  SKIPPED: ${suites} suites on the real control plane, which lacks ${missing.join(", ")}.`);
  say(`  ${hasGo() ? "make test-real builds it once (about 10 minutes) and runs them." : needsGo}`);
  return { ...noTests, skipped: suites };
}

const needsGo = "It is built with Go 1.26 or newer, which is not on the PATH (https://go.dev/dl); then make test-real.";

function hasGo(): boolean {
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(spawnSync("go", ["version"]).stdout?.toString() ?? "") ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 26);
}

/** Whether the control plane exists; builds it if it can. */
function isReady(): boolean {
  if (missingPrograms().length === 0) return true;
  return spawnSync(process.execPath, ["tools/real-control-plane.ts"], { stdio: "inherit" }).status === 0;
}

async function runStages(target: string, stages: readonly Stage[], failures: string[]): Promise<Totals[]> {
  tellPlan(target, stages);
  const parts: Totals[] = [];
  for (const stage of stages) {
    const { totals, failed, tookMs } = await stage.run({ expectedMs: expectedMs(stage) });
    say(`${stage.title}: ${inMinutes(tookMs)}`);
    if (totals.failed === 0 && totals.passed > 0) rememberDuration(stage.name, tookMs);
    failures.push(...failed);
    parts.push(totals);
  }
  return parts;
}

async function main(name: string): Promise<number> {
  const target = targets[name];
  if (target === undefined) throw new Error(`usage: bun tools/run-tests.ts ${Object.keys(targets).join("|")}`);
  const failures: string[] = [];
  if (target.needsControlPlane && !isReady()) {
    const skipped = target.stages.reduce((sum, { files }) => sum + files, 0);
    say(`SKIPPED: ${skipped} suites (no ${missingPrograms().join(", ")}).`);
    if (!hasGo()) say(needsGo);
    tellTotals({ ...noTests, skipped });
    return (process.env.CI ?? "") === "" ? 0 : 1;
  }
  const parts = await runStages(target.command, target.stages, failures);
  if (name === "fast") parts.push(tellLeftOut());
  const totals = sumTotals(parts);
  const isSkipAFailure = (process.env.CI ?? "") !== "" && target.needsControlPlane && totals.skipped > 0;
  if (isSkipAFailure) say("In CI a skipped real suite is a failure.");
  tellTotals(totals, failures);
  return totals.failed > 0 || isSkipAFailure ? 1 : 0;
}

process.exitCode = await main(process.argv[2] ?? "");
