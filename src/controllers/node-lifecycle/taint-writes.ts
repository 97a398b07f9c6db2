// Changes the taints and labels of a node. The server treats the list of taints as one value, so a patch of it carries
// the resource version that it was computed from.
// Upstream: pkg/controller/controller_utils.go, AddOrUpdateTaintOnNode, RemoveTaintOffNode, AddOrUpdateLabelsOnNode;
// pkg/controller/util/node/controller_utils.go, SwapNodeControllerTaint.

import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Taint } from "#api/generated/types/core-v1.ts";
import { ref } from "#api/object.ts";
import { isConflict } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { type Backoff, retryOnError } from "#base/go-backoff.ts";
import { strategicPatch } from "#kit/strategic-patch.ts";
import {
  hasTaint,
  notReadyTaint,
  type TaintChange,
  unreachableTaint,
  withoutTaints,
  withTaints,
} from "./condition-taints.ts";
import type { Deps, StoredNode } from "./deps.ts";

const BACKOFF: Backoff = { steps: 5, durationMs: 100, jitter: 1 };

/** Adds, then removes: two patches. */
export async function swapTaints(
  node: StoredNode,
  { add, remove }: TaintChange,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const timeAdded = formatTime(deps.clock.now());
  const added = add.map((taint) => ({ ...taint, timeAdded }));
  if (added.length > 0) await changeTaints(node, (taints) => withTaints(taints, added), deps, signal);
  await removeTaints(node, remove, deps, signal);
}

/** Makes no request when the given node has none of them. */
async function removeTaints(
  node: StoredNode,
  removed: readonly Taint[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (!removed.some((taint) => hasTaint(node.spec?.taints, taint))) return;
  await changeTaints(node, (taints) => withoutTaints(taints, removed), deps, signal);
}

/** Removes both NoExecute taints, one after the other. */
export async function removeNoExecuteTaints(node: StoredNode, deps: Deps, signal: AbortSignal): Promise<void> {
  await removeTaints(node, [unreachableTaint], deps, signal);
  await removeTaints(node, [notReadyTaint], deps, signal);
}

function changeTaints(
  { metadata: { name } }: StoredNode,
  change: (taints: readonly Taint[]) => readonly Taint[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  return onFreshNode(name, deps, signal, async (node) => {
    const taints = node.spec?.taints ?? [];
    const changed = change(taints);
    if (changed === taints) return;
    const { resourceVersion } = node.metadata;
    const spec = { ...node.spec, taints: changed.length === 0 ? undefined : changed } as StoredNode["spec"];
    const patch = { metadata: { resourceVersion }, ...strategicPatch(node, { ...node, spec } as StoredNode, Nodes) };
    await deps.nodesApi.patch({ name, type: "strategic", patch }, signal);
  });
}

export function setLabels(
  { metadata: { name } }: StoredNode,
  labels: Readonly<Record<string, string>>,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  return onFreshNode(name, deps, signal, async (node) => {
    const metadata = { ...node.metadata, labels: { ...node.metadata.labels, ...labels } };
    const patch = strategicPatch(node, { ...node, metadata }, Nodes) ?? {};
    await deps.nodesApi.patch({ name, type: "strategic", patch }, signal);
  });
}

/** The first read may come from the server's cache; after a conflict it must be consistent. */
async function onFreshNode(
  name: string,
  deps: Deps,
  signal: AbortSignal,
  write: (node: StoredNode) => Promise<void>,
): Promise<void> {
  let isFirst = true;
  const attempt = async (): Promise<void> => {
    const from = isFirst ? { resourceVersion: "0" } : {};
    isFirst = false;
    await write(await deps.nodesApi.get({ name, ...from }, signal));
  };
  const { clock, rng } = deps;
  await retryOnError(BACKOFF, isConflict, attempt, { clock, rng }, signal);
}

/** For steps whose failure is logged and retried in the next pass. */
export async function succeeds(
  step: Promise<unknown>,
  message: string,
  node: StoredNode,
  deps: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.error(error, message, { node: ref(node) });
    return false;
  }
}
