// Syncs one DaemonSet: its revisions, one pod on each matching node, updates, and the status.
// Upstream: pkg/controller/daemon/daemon_controller.go, syncDaemonSet, updateDaemonSet, manage; update.go,
// rollingUpdate.

import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { type ObjectKey, objectKey, ref } from "#api/object.ts";
import { errorMessage } from "#base/errors.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { compareText } from "#kit/order.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { applyChanges, podsByNode } from "./daemon-pods.ts";
import type { DaemonSet, Deps, StoredNode, StoredPod } from "./model.ts";
import { type NodePlan, planNode } from "./node-plan.ts";
import { placementOn } from "./placement.ts";
import { cleanUpRevisions, hashOf, type Revisions, resolveRevisions } from "./revisions.ts";
import { planUpdate } from "./rolling-update.ts";
import { updateStatus } from "./status.ts";

export async function syncDaemonSet(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  deps.consistency.requireFresh(key);
  const set = deps.sets.lister.get(key);
  if (set === undefined) {
    deps.expectations.forget(key);
    deps.consistency.clear(key);
    return done;
  }
  if (set.spec?.selector !== undefined && Object.keys(set.spec.selector).length === 0) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    deps.recorder.event(referenceTo(set, DaemonSets), "Warning", "SelectingAll", message);
    return done;
  }
  // The garbage collector may have deleted its revisions already, so no status can be computed.
  if (set.metadata.deletionTimestamp !== undefined) return done;

  const nodes = deps.nodes.lister.list().toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const revisions = await resolve(set, deps, signal);
  const hash = hashOf(revisions.current);
  if (!deps.expectations.areMet(key)) {
    await updateStatus(set, nodes, hash, { hasActed: false }, deps, signal);
    return done;
  }
  await act(set, nodes, revisions, deps, signal);
  return done;
}

async function resolve(set: DaemonSet, deps: Deps, signal: AbortSignal): Promise<Revisions> {
  try {
    return await resolveRevisions(set, deps, signal);
  } catch (error) {
    throw new Error(`failed to construct revisions of DaemonSet: ${errorMessage(error)}`, { cause: error });
  }
}

/** The status is written even after a failure. Then the failure is thrown. */
async function act(
  set: DaemonSet,
  nodes: readonly StoredNode[],
  { current, old }: Revisions,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const hash = hashOf(current);
  let failure: { readonly error: unknown } | undefined;
  try {
    await manage(set, nodes, hash, deps, signal);
    const isRolling = set.spec?.updateStrategy?.type === "RollingUpdate";
    if (isRolling && deps.expectations.areMet(objectKey(set))) await rollingUpdate(set, nodes, hash, deps, signal);
    await cleanUp(set, old, deps, signal);
  } catch (error) {
    failure = { error };
  }
  try {
    await updateStatus(set, nodes, hash, { hasActed: true }, deps, signal);
  } catch (error) {
    if (failure === undefined) throw error;
    deps.log.error(error, "Failed to update status", { daemonSet: ref(set) });
  }
  if (failure !== undefined) throw failure.error;
}

async function cleanUp(set: DaemonSet, old: Revisions["old"], deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await cleanUpRevisions(set, old, deps, signal);
  } catch (error) {
    throw new Error(`failed to clean up revisions of DaemonSet: ${errorMessage(error)}`, { cause: error });
  }
}

async function manage(
  set: DaemonSet,
  nodes: readonly StoredNode[],
  hash: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const pods = await podsByNode(set, deps, signal);
  const creates: string[] = [];
  const deletes: StoredPod[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    const placement = placementOn(node, set, deps.comparesTaints);
    const plan = planNode(set, pods.get(name), placement, { hash, now: deps.clock.now() });
    if (plan.creates) creates.push(name);
    deletes.push(...endedPods(set, name, plan, deps), ...plan.surplus);
  }
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const [node, lost] of pods) {
    // No scheduler will place these pods, so the pod garbage collector does not find them.
    if (!known.has(node)) deletes.push(...lost.filter(({ spec }) => (spec?.nodeName ?? "") === ""));
  }
  await applyChanges(set, hash, { creates, deletes }, deps, signal);
}

/** Failed pods are deleted with growing delays, because the kubelet may also reject their replacements. */
function endedPods(set: DaemonSet, node: string, { failed, succeeded }: NodePlan, deps: Deps): readonly StoredPod[] {
  const reference = referenceTo(set, DaemonSets);
  const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
  const ended: StoredPod[] = [];
  for (const pod of failed) {
    const now = deps.clock.now();
    if (deps.failedPods.isInBackoffSinceUpdate(key, now)) {
      deps.syncAfter(objectKey(set), deps.failedPods.get(key), "back-off of failed pods");
      continue;
    }
    deps.failedPods.next(key, now);
    const message = `Found failed daemon pod ${objectKey(pod)} on node ${node}, will try to kill it`;
    deps.recorder.event(reference, "Warning", "FailedDaemonPod", message);
    ended.push(pod);
  }
  for (const pod of succeeded) {
    const message = `Found succeeded daemon pod ${objectKey(pod)} on node ${node}, will try to delete it`;
    deps.recorder.event(reference, "Normal", "SucceededDaemonPod", message);
    ended.push(pod);
  }
  return ended;
}

async function rollingUpdate(
  set: DaemonSet,
  nodes: readonly StoredNode[],
  hash: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const pods = await podsByNode(set, deps, signal);
  const desired = nodes
    .filter((node) => placementOn(node, set, deps.comparesTaints).shouldRun)
    .map(({ metadata }) => metadata.name);
  const wanted = new Set(desired);
  const names = [...new Set([...pods.keys(), ...desired])].toSorted(compareText);
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const changes = planUpdate(set, {
    hash,
    now: deps.clock.now(),
    podsByNode: new Map(names.map((name) => [name, pods.get(name) ?? []])),
    desired: desired.length,
    shouldRunOn(name) {
      if (!known.has(name)) throw new Error(`couldn't get node for nodeName "${name}": node "${name}" not found`);
      return wanted.has(name);
    },
  });
  await applyChanges(set, hash, changes, deps, signal);
}
