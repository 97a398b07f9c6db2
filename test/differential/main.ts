// Runs every scenario with the Go manager, with ours, and with the Go manager again, on one control plane, and
// compares. The second Go run is the control: where Go differs from Go, the comparison says nothing.
//   bun test/differential/main.ts [--json=<file>] [name of a scenario or part of it …]

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stdout } from "node:process";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client.ts";
import { systemClock } from "#platform/system-clock.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { eventually } from "#test/real/suite.ts";
import { type AuditFollower, followAuditLog } from "./audit-follower.ts";
import { compare, type Difference } from "./compare.ts";
import type { Item, Section } from "./items.ts";
import { knownDifferences } from "./known-differences.ts";
import { type Normalised, normalise } from "./normalise.ts";
import { cameThroughProxy, startPatchTypeProxy } from "./patch-type-proxy.ts";
import { playScenario } from "./play.ts";
import { distinct, readItem } from "./reads.ts";
import { judge, type Played, printReport } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { replicaSetScenarios } from "./scenarios-replicaset.ts";
import { replicationControllerScenarios } from "./scenarios-replicationcontroller.ts";

const SCENARIOS_AT_ONCE = 6;

const controllers = ["replicaset-controller", "replicationcontroller-controller"];
const identities = ["replicaset-controller", "replication-controller"];
/** What scenarios rely on, always Go's. The namespace controller is not among them: namespaces stay as they are left. */
const helpers = [
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "garbage-collector-controller",
  "resourcequota-controller",
];
const flags = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
const ourProgram = join(import.meta.dirname, "..", "..", "src", "cmd", "kube-controller-manager.ts");

const wanted = argv.slice(2).filter((argument) => !argument.startsWith("--"));
const jsonFile = argv.find((argument) => argument.startsWith("--json="))?.slice("--json=".length);
const scenarios = [...replicaSetScenarios, ...replicationControllerScenarios].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);

type Outcome = Normalised | Error;

/** All scenarios with one manager. */
interface Run {
  readonly outcomes: readonly Outcome[];
  /** What belongs to no scenario. */
  readonly overall: readonly Section[];
  /** Forms of what was written and read of objects while they ended. */
  readonly lastWords: readonly Item[];
}

/** What is compared over all scenarios, under the name of one. */
const wholeRun: Scenario = {
  name: "whole-run",
  about: "what informers list and watch, what is written and read of objects while they end",
  play: async () => undefined,
};

async function main(): Promise<number> {
  const plane = await startControlPlane();
  try {
    await plane.startGoManager({ controllers: helpers, flags });
    await untilCollected(plane);
    for (const name of ["node-1", "node-2"]) await plane.request("POST", "/api/v1/nodes", { metadata: { name } });
    const client = await adminClient(plane);
    const managerUser = "system:kube-controller-manager";
    const follower = followAuditLog(join(plane.directory, "audit.log"), {
      users: identities.map((name) => `system:serviceaccount:kube-system:${name}`),
      managerUser,
      cameThroughProxy,
    });
    const proxy = await startPatchTypeProxy(plane);
    const kubeconfig = plane.kubeconfigFor({ user: managerUser }, proxy.server);
    const options = { controllers, flags: [...flags, `--kubeconfig=${kubeconfig}`] };
    const startGo = (): Promise<RunningManager> => plane.startGoManager(options);
    const startOurs = (): Promise<RunningManager> => plane.startManager([process.execPath, ourProgram], options);
    const go = await playAll("go", startGo, client, follower);
    const ours = await playAll("ours", startOurs, client, follower);
    const control = await playAll("control", startGo, client, follower);
    const played = scenarios.map((scenario, index): Played => {
      const runs = { go: go.outcomes[index], ours: ours.outcomes[index], control: control.outcomes[index] };
      const errors = Object.entries(runs).flatMap(([run, outcome]) =>
        outcome instanceof Error ? [`${run}: ${outcome.message}`] : [],
      );
      if (errors.length > 0) return { scenario, errors, ...nothing };
      const [left, right, again] = [runs.go, runs.ours, runs.control].map((outcome) => outcome as Normalised);
      const statusWrites = [left, right, again].map((run) => run?.statusWrites ?? 0);
      return { ...compared(scenario, left?.sections, right?.sections, again?.sections), statusWrites };
    });
    const overall = compared(wholeRun, go.overall, ours.overall, control.overall);
    const foreign = foreignWords(ours, [go, control]);
    played.push({ ...overall, differences: [...overall.differences, ...foreign] });
    if (jsonFile !== undefined) writeFileSync(jsonFile, JSON.stringify({ go, ours, control }, undefined, 1));
    const verdict = judge(played, wanted.length === 0 ? knownDifferences : knownIn(scenarios));
    stdout.write(printReport(played, verdict));
    return verdict.isGood ? 0 : 1;
  } finally {
    await plane.stop();
  }
}

/** Waits until the garbage collector works: before it knows all objects it decides wrongly about those it does not. */
async function untilCollected(plane: ControlPlane): Promise<void> {
  const path = "/api/v1/namespaces/default/configmaps";
  const owner = await plane.request("POST", path, { metadata: { name: "owner" } });
  const { uid } = (JSON.parse(owner.text) as { metadata: { uid: string } }).metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  await plane.request("POST", path, { metadata: { name: "owned", ownerReferences } });
  await plane.request("DELETE", `${path}/owner`);
  await eventually(async () => ((await plane.request("GET", `${path}/owned`)).status === 404 ? true : undefined));
}

/** With a selection of scenarios, what is known about the others cannot occur. */
function knownIn(selection: readonly Scenario[]) {
  return knownDifferences.filter((known) => selection.some(({ name }) => known.scenarios.test(name)));
}

const nothing = { differences: [], controlDifferences: [], writes: 0, reads: 0, statusWrites: [] };

/** Which forms a run shows is chance; one that Go never has is not. */
function foreignWords(ours: Run, theirs: readonly Run[]): readonly Difference[] {
  const known = new Set(theirs.flatMap(({ lastWords }) => lastWords).map((item) => JSON.stringify(item)));
  return ours.lastWords
    .filter((item) => !known.has(JSON.stringify(item)))
    .map(({ label, value }) => ({ where: `ending objects › ${label}`, left: undefined, right: value }));
}

function compared(
  scenario: Scenario,
  left: readonly Section[] = [],
  right: readonly Section[] = [],
  again: readonly Section[] = [],
): Played {
  const count = (kind: string): number =>
    left.filter(({ name }) => name.startsWith(kind)).flatMap(({ items }) => items).length;
  return {
    scenario,
    errors: [],
    differences: compare(left, right),
    controlDifferences: compare(left, again),
    writes: count("writes"),
    reads: count("reads"),
    statusWrites: [],
  };
}

async function playAll(
  run: string,
  start: () => Promise<RunningManager>,
  client: Client,
  follower: AuditFollower,
): Promise<Run> {
  const begin = performance.now();
  follower.takeOverallReads();
  const manager = await start();
  const outcomes: Outcome[] = [];
  let next = 0;
  const player = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index] as Scenario;
      try {
        outcomes[index] = normalise(await playScenario(client, follower, scenario, `${run}-${scenario.name}`));
      } catch (error) {
        outcomes[index] = error as Error;
      }
    }
  };
  await Promise.all(Array.from({ length: SCENARIOS_AT_ONCE }, player));
  const isAlive = manager.isRunning;
  const end = await manager.stop();
  if (!isAlive) stdout.write(`The manager of run ${run} ended by itself (${end}):\n${manager.log().slice(-2000)}\n`);
  stdout.write(`${run}: ${scenarios.length} scenarios in ${((performance.now() - begin) / 1000).toFixed(0)} s\n`);
  const lastWords = outcomes.flatMap((outcome): readonly Item[] => (outcome instanceof Error ? [] : outcome.lastWords));
  const reads = distinct(follower.takeOverallReads().map((event) => readItem(event)));
  return { outcomes, overall: [{ name: "reads", items: reads }], lastWords: distinct(lastWords) };
}

async function adminClient(plane: ControlPlane): Promise<Client> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  return createClient({ transport, clock: systemClock, userAgent: "differential" });
}

exit(await main());
