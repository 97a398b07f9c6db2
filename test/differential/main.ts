// Runs every scenario with the Go manager, with ours, and with the Go manager again, on one control plane, and
// compares. The second Go run is the control: where Go differs from Go, the comparison says nothing.
//   bun test/differential/main.ts [--json=<file>] [--go=<file>] [name of a scenario or part of it …]
// --json writes the normalised runs to a file; --go takes those of the Go manager from such a file, and plays only ours.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stdout } from "node:process";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import { eventually } from "#test/real/suite.ts";
import { tellTotals } from "#tools/test-totals.ts";
import { followAuditLog } from "./audit-follower.ts";
import { compare } from "./compare.ts";
import type { Section } from "./items.ts";
import { knownDifferences } from "./known-differences.ts";
import { type Normalised, normalise } from "./normalise.ts";
import { type Props, playScenario } from "./play.ts";
import { distinct, overallWriteItem, readItem } from "./reads.ts";
import { judge, type Played, printReport, totalsOf } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { endingScenarios } from "./scenarios-endings.ts";
import { replicaSetScenarios } from "./scenarios-replicaset.ts";
import { replicationControllerScenarios } from "./scenarios-replicationcontroller.ts";
import { cameThroughProxy, startWatchingProxy, type WatchingProxy } from "./watching-proxy.ts";

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
const option = (name: string): string | undefined =>
  argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
const [jsonFile, goFile] = [option("json"), option("go")];
const scenarios = [...replicaSetScenarios, ...replicationControllerScenarios, ...endingScenarios].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);

type Outcome = Normalised | { readonly error: string };

/** All scenarios with one manager. */
interface Run {
  /** By the names of scenarios. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** What belongs to no scenario. */
  readonly overall: readonly Section[];
}

interface Runs {
  readonly go: Run;
  readonly ours: Run;
  readonly control: Run;
}

/** What is compared over all scenarios, under the name of one. */
const wholeRun: Scenario = {
  name: "whole-run",
  about: "what informers list and watch, what the manager writes for itself",
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
    const proxy = await startWatchingProxy(plane);
    const kubeconfig = plane.kubeconfigFor({ user: managerUser }, proxy.server);
    const options = { controllers, flags: [...flags, `--kubeconfig=${kubeconfig}`] };
    const startGo = (): Promise<RunningManager> => plane.startGoManager(options);
    const startOurs = (): Promise<RunningManager> => plane.startManager([process.execPath, ourProgram], options);
    const props = { client, follower, proxy, plane };
    const known = goFile === undefined ? undefined : (JSON.parse(readFileSync(goFile, "utf8")) as Runs);
    const go = known?.go ?? (await playAll("go", startGo, props));
    const ours = await playAll("ours", startOurs, props);
    const control = known?.control ?? (await playAll("control", startGo, props));
    const played = scenarios.map((scenario): Played => {
      const [left, right, again] = [go, ours, control].map(({ outcomes }) => outcomes[scenario.name]);
      const runs = { go: left, ours: right, control: again };
      const errors = Object.entries(runs).flatMap(([run, outcome = { error: "not played" }]) =>
        "error" in outcome ? [`${run}: ${outcome.error}`] : [],
      );
      if (errors.length > 0) return { scenario, errors, ...nothing };
      const normalised = [left, right, again] as readonly Normalised[];
      const [leftSections, rightSections, againSections] = normalised.map(({ sections }) => sections);
      const statusWrites = normalised.map((run) => run.statusWrites);
      return { ...compared(scenario, leftSections, rightSections, againSections), statusWrites };
    });
    played.push(compared(wholeRun, go.overall, ours.overall, control.overall));
    if (jsonFile !== undefined)
      writeFileSync(jsonFile, JSON.stringify({ go, ours, control } satisfies Runs, undefined, 1));
    const verdict = judge(played, wanted.length === 0 ? knownDifferences : knownIn(scenarios));
    stdout.write(printReport(played, verdict));
    tellTotals(totalsOf(played, verdict));
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
  { plane, ...props }: Props & { readonly plane: ControlPlane },
): Promise<Run> {
  const begin = performance.now();
  const { follower } = props;
  // Each manager makes the accounts of its controllers.
  for (const name of identities) {
    await plane.request("DELETE", `/api/v1/namespaces/kube-system/serviceaccounts/${name}`);
  }
  follower.takeOverall();
  const manager = await start();
  const outcomes: Record<string, Outcome> = {};
  const play = async (scenario: Scenario): Promise<void> => {
    const outcome = playScenario(props, scenario, `${run}-${scenario.name}`).then(normalise);
    outcomes[scenario.name] = await outcome.catch((error: Error) => ({ error: error.message }));
  };
  for (const company of [undefined, "refused", "none"]) {
    const waiting = scenarios.filter((scenario) => scenario.company === company);
    const player = async (): Promise<void> => {
      for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) await play(scenario);
    };
    await Promise.all(Array.from({ length: company === "none" ? 1 : SCENARIOS_AT_ONCE }, player));
  }
  await untilWatchedAgain(props.proxy);
  const isAlive = manager.isRunning;
  const end = await manager.stop();
  if (!isAlive) stdout.write(`The manager of run ${run} ended by itself (${end}):\n${manager.log().slice(-2000)}\n`);
  stdout.write(`${run}: ${scenarios.length} scenarios in ${((performance.now() - begin) / 1000).toFixed(0)} s\n`);
  const { reads, writes } = follower.takeOverall();
  const overall = [
    { name: "reads", items: distinct(reads.map((event) => readItem(event))) },
    { name: "writes", items: distinct(writes.map(overallWriteItem)) },
  ];
  return { outcomes, overall };
}

/** Watches end now and then, by chance; how they are taken up again is compared. So once in each run all of them end. */
async function untilWatchedAgain(proxy: WatchingProxy): Promise<void> {
  const before = proxy.watched();
  proxy.endWatches();
  await eventually(() => before.every((resource) => proxy.watched().includes(resource)) || undefined);
}

async function adminClient(plane: ControlPlane): Promise<Client> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  return createClient({ transport, clock: systemClock, userAgent: "differential" });
}

exit(await main());
