// Runs upstream's own end-to-end tests on `steersman up`: those of the API machinery, or those that match the first
// argument, a regular expression. Several processes share the former, because they mostly wait. --record stores the
// outcomes for `make test`.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaryPath } from "#tools/control-plane-binaries.ts";
import { upstreamTestsPath } from "#tools/upstream-e2e.ts";
import { leftOut, type Outcome, outcomesOf, type SuiteReport, verdictOn } from "./outcomes.ts";

const NODES = 3;
const LIMIT = "20m";
const recordFile = join(import.meta.dirname, "recorded/outcomes.json");
const args = process.argv.slice(2);
const wanted = args.find((arg) => !arg.startsWith("--"));

/** The first part takes the five minutes of the quota controller's full resync; the last part has all other tests. */
const parts = [
  "apply changes to a resourcequota status",
  "ResourceQuota|Generated clientset",
  "Garbage collector|OrderedNamespaceDeletion",
  "CustomResource",
];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The focus and skip patterns of each process. A test belongs to the first part that its name matches. */
function shares(): readonly (readonly [focus: string, skip: string])[] {
  const never = leftOut.map(([where]) => where.source);
  if (wanted !== undefined) return [[wanted, never.join("|")]];
  return [...parts, ".*"].map((part, index) => [
    String.raw`\[sig-api-machinery\].*(?:${part})`,
    [...never, ...parts.slice(0, index)].join("|"),
  ]);
}

async function run(kubeconfig: string, directory: string): Promise<readonly SuiteReport[]> {
  return await Promise.all(
    shares().map(async ([focus, skip], index) => {
      const report = join(directory, `${index}.json`);
      const flags = [
        `--kubeconfig=${kubeconfig}`,
        `--kubectl-path=${binaryPath("kubectl")}`,
        "--provider=skeleton",
        `--ginkgo.focus=${focus}`,
        `--ginkgo.skip=${skip}`,
        `--ginkgo.timeout=${LIMIT}`,
        `--ginkgo.json-report=${report}`,
      ];
      const child = spawn(upstreamTestsPath(), flags, { stdio: "ignore" });
      await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
      const [suite] = JSON.parse(readFileSync(report, "utf8")) as [SuiteReport];
      say(`upstream-e2e: part ${index + 1} ended, ${outcomesOf([suite]).length} tests`);
      return suite;
    }),
  );
}

/** Keeps the recorded outcomes of tests that did not run this time. */
function record(outcomes: readonly Outcome[]): void {
  const known = existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, "utf8")) as readonly Outcome[]) : [];
  const newest = new Map([...known, ...outcomes].map(({ name, isPassed }) => [name, isPassed]));
  const lines = [...newest].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = lines.map(([name, isPassed]) => `  ${JSON.stringify({ name, isPassed })}`);
  writeFileSync(recordFile, `[\n${texts.join(",\n")}\n]\n`);
}

/** `up` runs this file again as its command, with the cluster in KUBECONFIG. */
function start(): Promise<number> {
  const root = join(import.meta.dirname, "../..");
  const directory = mkdtempSync(join(tmpdir(), "upstream-e2e-"));
  const flags = ["-q", "--port=0", `--nodes=${NODES}`, `--state=${directory}`, "--"];
  const again = [process.execPath, import.meta.filename, ...args, "--inside"];
  const command = [join(root, "src/cmd/steersman.ts"), "up", ...flags, ...again];
  const child = spawn(process.execPath, command, { stdio: "inherit" });
  return new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  }).finally(() => rmSync(directory, { recursive: true, force: true }));
}

async function inside(kubeconfig: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "upstream-e2e-"));
  try {
    const outcomes = outcomesOf(await run(kubeconfig, directory));
    const { passed, surprises, known, mended } = verdictOn(outcomes);
    for (const { name, message } of surprises) say(`FAILED ${name}\n  ${message?.slice(0, 1000)}`);
    for (const { name } of known) say(`failed, as known: ${name}`);
    for (const { name } of mended) say(`PASSED, though known to fail: ${name}`);
    say(`upstream-e2e: ${passed} of ${outcomes.length} passed, ${known.length} failed as known`);
    if (args.includes("--record")) record(outcomes);
    return surprises.length + mended.length === 0 && outcomes.length > 0 ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

process.exitCode = args.includes("--inside") ? await inside(process.env.KUBECONFIG ?? "") : await start();
