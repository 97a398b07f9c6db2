// The pods of a DaemonSet by their nodes, and the calls that create and delete pods.
// Upstream: pkg/controller/daemon/daemon_controller.go, getNodesToDaemonPods, syncNodes.

import { ValueError } from "#api/errors.ts";
import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { slowStart } from "#kit/slow-start.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { type DaemonSet, type Deps, isTerminating, type StoredPod } from "./model.ts";
import { targetNode, templateFor } from "./placement.ts";

/** The most creates and the most deletes of one sync. */
const BURST = 250;

export type PodsByNode = ReadonlyMap<string, readonly StoredPod[]>;

/** Adopts and releases pods. Pods that have ended and are being deleted are included only on request. */
export async function podsByNode(
  set: DaemonSet,
  deps: Deps,
  signal: AbortSignal,
  { withEnded = false }: { readonly withEnded?: boolean } = {},
): Promise<PodsByNode> {
  const byNode = new Map<string, StoredPod[]>();
  for (const pod of await claimPods(set, deps, signal)) {
    const node = targetNode(pod);
    if (node === undefined || (!withEnded && isPodTerminal(pod) && isTerminating(pod))) continue;
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return byNode;
}

export function claimPods(set: DaemonSet, deps: Deps, signal: AbortSignal): Promise<readonly StoredPod[]> {
  const { namespace, name } = set.metadata;
  const selector = deps.selectorOf(set);
  if (selector instanceof ValueError) throw selector;
  return claim(ownedAndOrphans(deps.pods, set, DaemonSets), {
    owner: set,
    ownerResource: DaemonSets,
    resource: Pods,
    matches: ({ metadata }) => selector.matches(metadata.labels ?? {}),
    readOwnerLive: () => deps.setsApi.get({ namespace, name }, signal),
    patch: (pod, patch) => deps.podControl.patchPod(pod, patch, signal),
  });
}

export interface Changes {
  readonly deletes: readonly StoredPod[];
  /** Names of nodes. */
  readonly creates: readonly string[];
}

export async function applyChanges(
  set: DaemonSet,
  hash: string,
  changes: Changes,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const creates = changes.creates.slice(0, BURST);
  const deletes = changes.deletes.slice(0, BURST);
  deps.expectations.expect(objectKey(set), creates.length, deletes.length);
  const createErrors = await createPods(set, hash, creates, deps, signal);
  const deleteErrors = await deletePods(set, deletes, deps, signal);
  const error = aggregate([...createErrors, ...deleteErrors]);
  if (error !== undefined) throw error;
}

async function createPods(
  set: DaemonSet,
  hash: string,
  nodeNames: readonly string[],
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const key = objectKey(set);
  const errors: unknown[] = [];
  let tried = 0;
  await slowStart(nodeNames.length, async (index) => {
    tried++;
    try {
      const template = templateFor(set, hash, nodeNames[index] ?? "");
      await deps.podControl.createPod({ owner: set, template }, signal);
    } catch (error) {
      if (isNamespaceTerminating(error)) return; // all further creates would fail too
      deps.expectations.creationObserved(key);
      errors.push(error);
      throw error;
    }
  });
  deps.expectations.creationObserved(key, nodeNames.length - tried);
  return errors;
}

async function deletePods(
  set: DaemonSet,
  pods: readonly StoredPod[],
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const results = await Promise.allSettled(pods.map((pod) => deps.podControl.deletePod(set, pod, signal)));
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  deps.expectations.deletionObserved(objectKey(set), errors.length);
  return errors.filter((error) => !isNotFound(error));
}
