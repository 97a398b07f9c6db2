// Decides about one attachment and one wanted volume in one pass of the reconciler.
// Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go, reconcile and attachDesiredVolumes.

import type { Node } from "#api/generated/types/core-v1.ts";
import type { AttachState } from "./actual-state.ts";

/** How long a node that is not ready may keep an unwanted volume mounted. */
const UNMOUNT_WAIT_MAX_MS = 6 * 60_000;

export type DetachDecision =
  /** The node has the volume mounted. */
  | { readonly kind: "wait" }
  /** A forced detach does not ask the node again whether the volume is mounted. */
  | { readonly kind: "detach"; readonly forced?: "timeout" | "out-of-service" };

export interface DetachFacts {
  readonly isInUse: boolean;
  /** The time since the first detach request. */
  readonly waitedMs: number;
  /** Absent: the node does not exist, which counts as not ready. */
  readonly node: Node | undefined;
  /** --disable-force-detach-on-timeout */
  readonly isForceDetachDisabled: boolean;
}

export function decideDetach({ isInUse, waitedMs, node, isForceDetachDisabled }: DetachFacts): DetachDecision {
  const isTimeOver = waitedMs > UNMOUNT_WAIT_MAX_MS && !isForceDetachDisabled;
  const isOutOfService = hasOutOfServiceTaint(node);
  if (isInUse && !isOutOfService && !(isTimeOver && !isReady(node))) return { kind: "wait" };
  if (isTimeOver) return { kind: "detach", forced: "timeout" };
  return isOutOfService ? { kind: "detach", forced: "out-of-service" } : { kind: "detach" };
}

function isReady(node: Node | undefined): boolean {
  return node?.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function hasOutOfServiceTaint(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false;
}

export type AttachDecision = "done" | "attach" | "blocked";

/** holders: the other nodes that hold an exclusive volume. */
export function decideAttach(state: AttachState, isShareable: boolean, holders: readonly string[]): AttachDecision {
  if (state === "attached") return "done";
  return isShareable || holders.length === 0 ? "attach" : "blocked";
}
