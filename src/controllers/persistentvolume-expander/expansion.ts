// The steps to expand a volume whose driver works only on nodes, and the status of its claim meanwhile.
// Upstream: pkg/volume/util/operationexecutor/operation_generator.go, expandAndRecoverFunction;
// pkg/volume/util/resize_util.go.

import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  PersistentVolumeClaimStatus,
} from "#api/generated/types/core-v1.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export type ExpansionStep =
  /** The nodes do the rest. */
  | { readonly kind: "wait" }
  /** The nodes must try again. */
  | { readonly kind: "request-node-expansion" }
  /** The volume gets this size, then the nodes do the rest. */
  | { readonly kind: "expand"; readonly size: string };

/** An expansion in progress is finished before a smaller or larger request is handled. */
export function nextStep({ spec, status }: PersistentVolumeClaim, volume: PersistentVolume): ExpansionStep {
  const wanted = spec?.resources?.requests?.storage ?? "0";
  const begun = status?.allocatedResources?.storage ?? wanted;
  const state = status?.allocatedResourceStatuses?.storage ?? "";
  const isExpanded = quantityFromWire(volume.spec?.capacity?.storage).cmp(quantityFromWire(wanted)) >= 0;
  switch (state) {
    case "NodeResizePending":
    case "NodeResizeInProgress":
      return isExpanded ? { kind: "wait" } : { kind: "expand", size: begun };
    case "NodeResizeInfeasible":
      return isExpanded ? { kind: "request-node-expansion" } : { kind: "expand", size: begun };
    case "ControllerResizeInProgress":
      return { kind: "expand", size: begun };
    case "ControllerResizeInfeasible":
    case "":
      return { kind: "expand", size: isExpanded ? begun : wanted };
    default:
      return { kind: "expand", size: wanted };
  }
}

/** The file system and the volume have the requested size. */
export function isExpandedOnNode({ spec, status }: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const size = quantityFromWire(status?.capacity?.storage);
  const sizes = [spec?.resources?.requests?.storage, volume.spec?.capacity?.storage];
  return sizes.every((other) => size.cmp(quantityFromWire(other)) >= 0);
}

/** Upstream writes a probe time that was never set as null. */
function timesAt(now: EpochMs): Pick<PersistentVolumeClaimCondition, "lastProbeTime" | "lastTransitionTime"> {
  return { lastProbeTime: null as unknown as string, lastTransitionTime: formatTime(now) };
}

export function resizing(status: PersistentVolumeClaimStatus, size: string, now: EpochMs): PersistentVolumeClaimStatus {
  const condition = { type: "Resizing", status: "True", ...timesAt(now) };
  const begun = withResizeCondition(withState(status, "ControllerResizeInProgress"), condition, false);
  return { ...begun, allocatedResources: { ...status.allocatedResources, storage: size } };
}

export function pendingOnNodes(status: PersistentVolumeClaimStatus, now: EpochMs): PersistentVolumeClaimStatus {
  const condition = {
    type: "FileSystemResizePending",
    status: "True",
    ...timesAt(now),
    message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
  };
  return withResizeCondition(withState(status, "NodeResizePending"), condition, true);
}

/** A block device has no file system to grow. */
export function expanded(status: PersistentVolumeClaimStatus, size: string): PersistentVolumeClaimStatus {
  const { allocatedResourceStatuses: { storage: _, ...others } = {}, ...rest } = status;
  const states = Object.keys(others).length === 0 ? {} : { allocatedResourceStatuses: others };
  return withResizeCondition({ ...rest, ...states, capacity: { ...status.capacity, storage: size } }, undefined, false);
}

function withState(status: PersistentVolumeClaimStatus, state: string): PersistentVolumeClaimStatus {
  return { ...status, allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: state } };
}

const RESIZE_CONDITIONS = ["FileSystemResizePending", "Resizing", "ControllerResizeError", "NodeResizeError"];

/** Sets the one condition of resizing, in its place or as the last. Other conditions always stay. */
function withResizeCondition(
  { conditions = [], ...status }: PersistentVolumeClaimStatus,
  condition: PersistentVolumeClaimCondition | undefined,
  keepsOthers: boolean,
): PersistentVolumeClaimStatus {
  const merged = conditions.flatMap((known) => {
    if (known.type === condition?.type) return [known.status === condition.status ? known : condition];
    return keepsOthers || !RESIZE_CONDITIONS.includes(known.type ?? "") ? [known] : [];
  });
  const isNew = condition !== undefined && !merged.some(({ type }) => type === condition.type);
  const all = isNew ? [...merged, condition] : merged;
  return all.length === 0 ? status : { ...status, conditions: all };
}
