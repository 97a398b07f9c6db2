// One cluster that goes through hand-overs: the leader ends in the middle of rollouts, Jobs and deletions, the next
// manager takes over, and the cluster settles. Returns the data of each hand-over that a comparison with another
// cluster needs.

import type { KubeObject } from "#api/object.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import type { RunningManager } from "#test/real/control-plane.ts";
import { daemonOf, type Side } from "#test/real/daemon.ts";
import { holderOf } from "#test/real/leadership.ts";
import { eventually } from "#test/real/suite.ts";
import { BIG, FRAIL } from "./cluster-objects.ts";
import { type ClusterState, readState } from "./cluster-state.ts";
import { FRAIL_NODES } from "./node-player.ts";
import { PATIENCE_MS, type PopulatedCluster, startCluster } from "./populated-cluster.ts";
import { frailIsReady } from "./work.ts";

export const LEASE = "kube-controller-manager";
const REFUSED_MS = 1000;
const BETWEEN_CUTS_MS = 1500;
/** New pods of the big rollout when the leader ends. */
const MIDDLE = BIG.replicas / 4;
const NODE_FAILURE_EVERY = 3;

/**
 * How a leader ends, and the fault that comes with it.
 * - kill: SIGKILL while the next manager stands by.
 * - restart: the API server is killed, then the leader; the API server comes back.
 * - stop: SIGTERM; the next manager is started only then, as an operator does it.
 * - cut: all watches are cut before the end and after the take-over.
 * - refuse: the API server refuses connections for a moment, as soon as the next manager tolerates that.
 * - pause: SIGSTOP until the next manager leads, then SIGCONT: the old leader must end without a write.
 */
export type Ending = "kill" | "restart" | "stop" | "cut" | "refuse" | "pause";
const endings: readonly Ending[] = ["kill", "restart", "stop", "cut", "refuse"];

/**
 * The cycle has an odd length, so that each program gets each ending. Only ours promises not to write after a pause.
 */
export function endingOf(step: number): Ending {
  return step % 10 === 5 ? "pause" : (endings[step % endings.length] ?? "kill");
}

export interface HandOver {
  readonly step: number;
  readonly ending: Ending;
  readonly from: Side;
  readonly to: Side;
  /** The previous holder of the lease. */
  readonly previousHolder: string;
  readonly state: ClusterState;
  /** Labels of new objects, by UID. */
  readonly added: ReadonlyMap<string, string>;
  /** Names that now belong to another object, by label. */
  readonly replaced: readonly string[];
  /** Pods that were created, including deleted ones, by label. */
  readonly born: readonly string[];
  readonly died: readonly string[];
  readonly audit: readonly AuditEvent[];
}

/** Long enough for a busy machine that refuses connections for a moment. */
const leaseFlags = [
  "--leader-elect-lease-duration=10s",
  "--leader-elect-renew-deadline=8s",
  "--leader-elect-retry-period=500ms",
];

/** `sides`: the leaders, in order. */
export async function live(
  name: string,
  sides: readonly Side[],
  tell: (line: string) => void,
): Promise<readonly HandOver[]> {
  const cluster = await startCluster(leaseFlags);
  const { plane, players, work } = cluster;
  try {
    const began = performance.now();
    let leader = await cluster.start(daemonOf(sides[0] ?? "go"));
    await cluster.populate();
    await work.prepare(0);
    await cluster.settled(leader);
    let before = await readState(plane);
    tell(`${name}: ${before.objects} objects of ${before.kinds} kinds after ${seconds(began)}\n`);

    const handOvers: HandOver[] = [];
    for (const [step, to] of sides.slice(1).entries()) {
      const from = sides[step] ?? "go";
      players.takeHistory();
      const ending = endingOf(step);
      const known = before.labels;
      const startMs = performance.now();
      const previousHolder = await holderOf(plane, LEASE);
      leader = await handOver(cluster, { step, ending, leader, from, to, previousHolder });
      const audit = await cluster.settled(leader);
      const state = await readState(plane);
      const { born, died } = players.takeHistory();
      const told = { step, ending, from, to, previousHolder, state, audit };
      const pods = { born: [...born.values()].sort(), died: [...died.values()].sort() };
      const added = new Map([...state.labels].filter(([uid]) => !known.has(uid)));
      handOvers.push({ ...told, ...pods, added, replaced: replacedBetween(before, state) });
      before = state;
      tell(`${name}: hand-over ${step + 1} from ${from} to ${to} (${ending}), settled after ${seconds(startMs)}\n`);
    }
    await leader.stop("SIGKILL");
    return handOvers;
  } finally {
    await cluster.stop();
  }
}

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(0)} s`;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface HandOverPlan {
  readonly step: number;
  readonly ending: Ending;
  readonly leader: RunningManager;
  readonly from: Side;
  readonly to: Side;
  readonly previousHolder: string;
}

/** Returns the new leader. */
async function handOver(cluster: PopulatedCluster, plan: HandOverPlan): Promise<RunningManager> {
  const { plane, proxy, players, work } = cluster;
  const { step, ending, leader, from, to, previousHolder } = plan;
  const standby = ending === "stop" ? undefined : await cluster.start(daemonOf(to));
  const fails = step % NODE_FAILURE_EVERY === 0;
  const node = FRAIL_NODES[(step / NODE_FAILURE_EVERY) % FRAIL_NODES.length] ?? "";
  const old = new Set(players.pods().map(({ metadata }) => metadata.uid));
  if (fails) players.fail(node);
  await work.begin(step);
  await work.prepare(step + 1);
  const isNewBig = ({ metadata }: KubeObject): boolean =>
    metadata?.namespace === BIG.namespace && metadata.labels?.app === BIG.name && !old.has(metadata.uid ?? "");
  await eventually(() => (players.pods().filter(isNewBig).length >= MIDDLE ? true : undefined), PATIENCE_MS);

  if (ending === "cut") proxy.strike({ isWatch: true }, "reset");
  if (ending === "restart") await plane.killApiServer();
  const isPaused = ending === "pause" && from === "ours";
  if (isPaused) process.kill(leader.pid, "SIGSTOP");
  else await leader.stop(ending === "stop" ? "SIGTERM" : "SIGKILL");
  if (ending === "restart") await plane.reviveApiServer();
  const next = standby ?? (await cluster.start(daemonOf(to)));
  await eventually(async () => {
    const holder = await holderOf(plane, LEASE);
    return holder !== previousHolder && holder !== "" ? true : undefined;
  }, PATIENCE_MS);
  if (isPaused) {
    process.kill(leader.pid, "SIGCONT");
    await leader.ended;
  }
  if (ending === "cut") {
    for (const _ of [1, 2]) {
      await sleep(BETWEEN_CUTS_MS);
      proxy.strike({ isWatch: true }, "reset");
    }
  }
  if (ending === "refuse") {
    await discovered(next);
    await proxy.down();
    await sleep(REFUSED_MS);
    await proxy.up();
  }
  await work.finish(step);
  if (fails) {
    await eventually(async () => ((await evicted(cluster, node)) ? true : undefined), PATIENCE_MS);
    await players.revive(node);
  }
  return next;
}

/** Without the first discovery of these controllers, a manager ends when the API server is away: both programs do. */
const discovering = ["namespace", "resourcequota_primary"];

async function discovered(manager: RunningManager): Promise<void> {
  await eventually(async () => {
    const page = await manager.page("/metrics");
    const hasWorked = (queue: string): boolean =>
      new RegExp(`^workqueue_work_duration_seconds_count\\{name="${queue}"\\} [1-9]`, "m").test(page);
    return discovering.every(hasWorked) ? true : undefined;
  }, PATIENCE_MS);
}

/** Whether the pods of the failed node have been replaced on the other node. */
async function evicted({ plane, players }: PopulatedCluster, node: string): Promise<boolean> {
  const isStaying = players
    .pods()
    .some(
      ({ metadata, spec }) =>
        metadata.labels?.app === FRAIL.name && spec?.nodeName === node && metadata.deletionTimestamp === undefined,
    );
  return !isStaying && (await frailIsReady(plane));
}

/** Names that belong to another object now: "pods team-0/db-0". */
function replacedBetween(before: ClusterState, after: ClusterState): readonly string[] {
  return [...after.uids]
    .filter(([label, uid]) => before.uids.has(label) && before.uids.get(label) !== uid)
    .map(([label]) => label)
    .sort();
}
