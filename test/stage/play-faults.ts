// Plays scenarios with faults, in a few processes at the same time.
//   bun test/stage/play-faults.ts [--seconds=<budget>] [--most=<n>] [controller, or part of a scenario's name …]
// With a budget, scenarios of changed controllers come first, then the others in an order derived from the commit; the
// number of scenarios that did not fit is printed. --most plays only the first n of that order, so that a run can be
// repeated.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { argv, execPath, stdout } from "node:process";
import { createInterface } from "node:readline";
import { errorMessage } from "#base/errors.ts";
import { sumTotals, type Totals, tellTotals } from "#tools/test-totals.ts";
import { type FaultFinding, playFaults } from "./faults.ts";
import { listed } from "./report.ts";
import { findScenarios } from "./scenario-files.ts";
import { mostTellingFirst } from "./scenario-order.ts";

const PROCESSES_MAX = 4;
const SECOND_MS = 1000;

const argument = (name: string): string | undefined =>
  argv.find((text) => text.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
const words = argv.slice(2).filter((text) => !text.startsWith("--"));
const seconds = Number(argument("seconds") ?? Number.POSITIVE_INFINITY);
const most = Number(argument("most") ?? Number.POSITIVE_INFINITY);
const share = argument("share");

/** The result that a process prints at its end. */
interface Told {
  readonly totals: Totals;
  readonly plays: number;
  readonly failures: readonly string[];
}

if (share === undefined) await playAll();
else await playShare(share);

async function playAll(): Promise<void> {
  const processes = Math.min(availableParallelism(), PROCESSES_MAX);
  const beganMs = performance.now();
  const told = await Promise.all(Array.from({ length: processes }, (_, index) => startShare(`${index}/${processes}`)));
  const totals = sumTotals(told.map((each) => each.totals));
  const plays = told.reduce((sum, each) => sum + each.plays, 0);
  const took = ((performance.now() - beganMs) / SECOND_MS).toFixed(0);
  stdout.write(
    `${plays} plays with faults in ${took} s; ${totals.skipped} scenarios were left out for want of time.\n`,
  );
  tellTotals(
    { ...totals, skipped: 0 },
    told.flatMap(({ failures }) => failures),
  );
  process.exitCode = totals.failed > 0 ? 1 : 0;
}

/** Passes on all output of the process but the last line. */
function startShare(text: string): Promise<Told> {
  const child = spawn(execPath, [...argv.slice(1), `--share=${text}`], { stdio: ["ignore", "pipe", "inherit"] });
  let last: string | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith('{"totals"')) last = line;
    else stdout.write(`${line}\n`);
  });
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const failure = `a process that plays faults ended with code ${code}`;
      resolve(
        last === undefined
          ? { totals: { passed: 0, failed: 1, skipped: 0 }, plays: 0, failures: [failure] }
          : (JSON.parse(last) as Told),
      );
    });
  });
}

async function playShare(text: string): Promise<void> {
  const [index = 0, processes = 1] = text.split("/").map(Number);
  const found = await findScenarios(words);
  const ordered = (seconds === Number.POSITIVE_INFINITY ? found : mostTellingFirst(found))
    .filter(({ realOnly }) => realOnly === undefined)
    .slice(0, most)
    .filter((_, position) => position % processes === index);
  const endMs = performance.now() + seconds * SECOND_MS;
  const isDue = (): boolean => performance.now() < endMs;
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  let plays = 0;
  let toldMs = performance.now();
  for (const scenario of ordered) {
    if (!isDue()) {
      totals.skipped++;
      continue;
    }
    const report = await playFaults(scenario, isDue).catch(errorMessage);
    if (typeof report === "string") {
      totals.failed++;
      failures.push(`${scenario.name}: without faults: ${report}`);
      continue;
    }
    const { played, isWhole, findings, outdated } = report;
    plays += played;
    const isGood = findings.length === 0 && outdated.length === 0;
    if (!isGood) totals.failed++;
    else if (isWhole) totals.passed++;
    else totals.skipped++;
    for (const reason of outdated) failures.push(`${scenario.name}: no play needs the exception: ${reason}`);
    for (const finding of findings) failures.push(`${scenario.name}: ${shown(finding)}`);
    if (!isGood) stdout.write(`FAIL  ${scenario.name}\n${findings.map(explained).join("")}`);
    if (performance.now() - toldMs > 8 * SECOND_MS) {
      toldMs = performance.now();
      stdout.write(`${plays} plays with faults so far, last: ${scenario.name}\n`);
    }
  }
  stdout.write(`${JSON.stringify({ totals, plays, failures } satisfies Told)}\n`);
}

function faultText({ fault }: FaultFinding): string {
  switch (fault.kind) {
    case "death":
      return fault.afterWrites === 0 ? "killed before its first write" : `killed after write ${fault.afterWrites}`;
    case "cut watches":
      return "watches cut after each write";
    case "lag":
      return `caches ${fault.ms} ms behind`;
  }
}

function shown(finding: FaultFinding): string {
  return `${faultText(finding)}: ${finding.error ?? finding.differences.map(({ where }) => where).join("; ")}`;
}

function explained(finding: FaultFinding): string {
  const error = finding.error === undefined ? [] : [`      ${finding.error.replaceAll("\n", "\n      ")}`];
  const lines = [`    ${faultText(finding)}`, ...error, ...listed(finding.differences, "calm", "faulty")];
  return `${lines.join("\n")}\n`;
}
