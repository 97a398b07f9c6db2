// A populated cluster on a real control plane, without a manager yet: its nodes, the work that can run in it, and the
// wait until a manager has finished it. Managers reach the API server through a fault proxy.

import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { type ControlPlane, type RunningManager, startControlPlane } from "#test/real/control-plane.ts";
import type { FaultProxy } from "#test/real/fault-proxy.ts";
import type { Command } from "#test/real/processes.ts";
import { eventually } from "#test/real/suite.ts";
import { isDecision } from "#test/stage/requests.ts";
import { definitions, population, TEAMS } from "./cluster-objects.ts";
import { labelOf } from "./cluster-state.ts";
import { type NodePlayer, startNodePlayer } from "./node-player.ts";
import { unsettled, type Work, workOn } from "./work.ts";

export const PATIENCE_MS = 240_000;
const QUIET_MS = 3000;
const LOOK_MS = 500;

const managerFlags = [
  "--leader-elect=true",
  "--kube-api-qps=300",
  "--kube-api-burst=600",
  "--node-monitor-grace-period=16s",
  // Usage that admission has charged and a cache has not seen is corrected only by the next full resync.
  "--resource-quota-sync-period=10s",
  "-v=2",
];
const apiServerFlags = ["--default-not-ready-toleration-seconds=1", "--default-unreachable-toleration-seconds=1"];
/** Does not log reads and the writes of the players. */
const auditRules = [
  { level: "None", users: ["test-admin"] },
  { level: "None", verbs: ["get", "list", "watch"] },
];

export interface PopulatedCluster {
  readonly plane: ControlPlane;
  readonly proxy: FaultProxy;
  readonly players: NodePlayer;
  readonly work: Work;
  start(command: Command): Promise<RunningManager>;
  /** Creates the objects. A manager must run: without its service accounts, pods are refused. */
  populate(): Promise<void>;
  /** Resolves with the managers' writes since the last call, when all work is done and decisions have stopped. */
  settled(leader: RunningManager): Promise<readonly AuditEvent[]>;
  stop(): Promise<void>;
}

/** `flags`: additional flags of the managers; the last value of a flag wins. */
export async function startCluster(flags: readonly string[]): Promise<PopulatedCluster> {
  const plane = await startControlPlane({ apiServerFlags, auditRules });
  try {
    const proxy = await plane.startFaultProxy();
    const kubeconfig = plane.kubeconfigFor({ user: "system:kube-controller-manager" }, proxy.server);
    const through = ["", "authentication-", "authorization-"].map((kind) => `--${kind}kubeconfig=${kubeconfig}`);
    const { certificatePem: cert, keyPem: key } = plane.admin;
    const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
    const client = createClient({ transport, clock: systemClock, userAgent: "players" });
    const players = await startNodePlayer(client, (pod) => labelOf("pods", pod));
    const newEvents = plane.audit.follow();
    return {
      plane,
      proxy,
      players,
      work: workOn(plane),
      start: (command) => plane.startManager(command, { flags: [...managerFlags, ...flags, ...through] }),
      populate: () => populate(plane),
      settled: (leader) => settled(plane, leader, newEvents),
      async stop() {
        await players.stop();
        await plane.stop();
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function populate(plane: ControlPlane): Promise<void> {
  await create(plane, definitions);
  for (const team of TEAMS) {
    const account = `/api/v1/namespaces/${team}/serviceaccounts/default`;
    await eventually(async () => ((await plane.request("GET", account)).status === 200 ? true : undefined));
  }
  await create(plane, population);
}

async function create(plane: ControlPlane, items: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const { code, stderr } = await plane.kubectl(["create", "--validate=false", "-f", "-"], list);
  if (code !== 0) throw new Error(stderr);
}

async function settled(
  plane: ControlPlane,
  leader: RunningManager,
  newEvents: () => readonly AuditEvent[],
): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  const deadline = performance.now() + PATIENCE_MS;
  let quietSince = performance.now();
  for (;;) {
    const added = newEvents();
    for (const event of added) events.push(event);
    const left = await unsettled(plane);
    if (left.length > 0 || added.some(isDecision)) quietSince = performance.now();
    if (performance.now() - quietSince >= QUIET_MS) return events;
    if (!leader.isRunning) {
      const election = leader.log().match(/^.* (?:elector\.ts|leaderelection\.go).*$/gm) ?? [];
      throw new Error(`the leader has ended: ${leader.log().slice(-2000)}\nits election:\n${election.join("\n")}`);
    }
    if (performance.now() > deadline) {
      throw new Error(`not settled: ${left.slice(0, 20).join(", ")}\n${leader.log().slice(-3000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
