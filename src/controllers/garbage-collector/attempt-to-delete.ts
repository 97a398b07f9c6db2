// One item of the queue garbage_collector_attempt_to_delete: an object that may have lost its last owner, an object
// that waits for its dependents, or a virtual node, whose object may not exist.
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, attemptToDeleteWorker, attemptToDeleteItem.

import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { backOff, done, type SyncResult } from "#kit/worker-loop.ts";
import type { Deps } from "./deps.ts";
import { FOREGROUND } from "./graph.ts";
import { blockingDependents, type GraphNode } from "./graph-node.ts";
import { identityOfOwner, identityText } from "./identity.ts";
import { NamespacedOwnerOfClusterObject, UnmappedKind } from "./object-api.ts";
import { dropOwnersMerge, dropOwnersStrategic, unblockOwnersMerge, unblockOwnersStrategic } from "./patches.ts";
import { type OwnerFinding, type OwnerState, stateOfOwner, type Verdict, verdictOn } from "./verdict.ts";

export async function attemptToDelete(node: GraphNode, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { log, graph } = deps;
  const item = identityText(node.identity);
  if (node.isVirtual && graph.get(node.identity.uid)?.isVirtual !== true) {
    log.v(5).info("the item is gone or was observed since it was queued, skipping the virtual item", { item });
    return done;
  }
  try {
    if ((await processItem(node, deps, signal)) === "absent") return done;
  } catch (error) {
    if (error instanceof NamespacedOwnerOfClusterObject) return done;
    if (!(error instanceof UnmappedKind)) throw error;
    log.v(5).info("error syncing item", { item, err: errorMessage(error) });
    return backOff(error.message);
  }
  // Otherwise the virtual node of an object that was created and deleted unseen would stay in the graph.
  return node.isVirtual ? backOff("no informer has seen the object yet") : done;
}

/** Absent: the object does not exist on the API server, and the graph is told. */
type Outcome = "absent" | "processed";

async function processItem(node: GraphNode, deps: Deps, signal: AbortSignal): Promise<Outcome> {
  const { identity } = node;
  deps.log.v(2).info("Processing item", { item: identityText(identity), virtual: node.isVirtual });
  if (node.isBeingDeleted && !node.isDeletingDependents) return "processed";
  const live = await foundOrUndefined(deps.objects.get(identity, signal));
  const outcome = live?.uid === identity.uid ? await processLive(node, live, deps, signal) : "absent";
  if (outcome === "absent") deps.reportAbsent(identity);
  return outcome;
}

async function processLive(node: GraphNode, live: ObjectMeta, deps: Deps, signal: AbortSignal): Promise<Outcome> {
  if (node.isDeletingDependents) {
    await finishForeground(node, deps, signal);
    return "processed";
  }
  const references = live.ownerReferences ?? [];
  if (references.length === 0) return "processed";
  const findings: OwnerFinding[] = [];
  for (const reference of references) {
    findings.push({ reference, state: await lookUpOwner(reference, node, deps, signal) });
  }
  const verdict = verdictOn(node, live, findings);
  deps.log.v(2).info("Looked up the owners of an item", { item: identityText(node.identity), ...verdict });
  return await carryOut(verdict, node, live, deps, signal);
}

/** Queues the blocking dependents, because their events may have been lost; without any, removes the finalizer. */
async function finishForeground(node: GraphNode, deps: Deps, signal: AbortSignal): Promise<void> {
  const blocking = blockingDependents(node);
  if (blocking.length === 0) await deps.objects.removeFinalizer(node.identity, FOREGROUND, signal);
  for (const dependent of blocking) {
    if (!dependent.isDeletingDependents) deps.attemptToDelete(dependent);
  }
}

/** Reads from the API server, not the graph: a watch may show a dependent before its owner. */
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, isDangling.
async function lookUpOwner(
  reference: OwnerReference,
  { identity: dependent }: GraphNode,
  deps: Deps,
  signal: AbortSignal,
): Promise<OwnerState> {
  const { absentOwners, objects } = deps;
  const isKnownAbsent = ["", dependent.namespace].some((namespace) =>
    absentOwners.has(identityOfOwner(reference, namespace)),
  );
  if (isKnownAbsent) return "dangling";
  const { isNamespaced } = await objects.kind(reference, signal);
  if (isNamespaced && dependent.namespace === "") {
    const values = { item: identityText(dependent), owner: identityText(identityOfOwner(reference, "")) };
    deps.log.v(2).info("item is cluster-scoped, but refers to a namespaced owner", values);
    throw new NamespacedOwnerOfClusterObject();
  }
  const owner = identityOfOwner(reference, isNamespaced ? dependent.namespace : "");
  const live = await foundOrUndefined(objects.get(owner, signal));
  if (live?.uid === owner.uid) return stateOfOwner(live);
  absentOwners.add(owner);
  return "dangling";
}

async function carryOut(
  verdict: Verdict,
  node: GraphNode,
  live: ObjectMeta,
  { objects }: Deps,
  signal: AbortSignal,
): Promise<Outcome> {
  const { identity } = node;
  switch (verdict.kind) {
    case "keep":
      return "processed";
    case "release": {
      const { ownerUids } = verdict;
      const merge = (current: ObjectMeta) => dropOwnersMerge(current, ownerUids);
      await objects.patch(identity, dropOwnersStrategic(identity.uid, ownerUids), merge, signal);
      return "processed";
    }
    case "delete":
      if (verdict.unblocks) {
        const merge = (current: ObjectMeta) => unblockOwnersMerge(current, node);
        await objects.patch(identity, unblockOwnersStrategic(node), merge, signal);
      }
      return (
        (await foundOrUndefined(objects.delete(identity, live, verdict.policy, signal).then(() => "processed"))) ??
        "absent"
      );
  }
}

async function foundOrUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
