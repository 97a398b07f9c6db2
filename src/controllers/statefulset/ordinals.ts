// The ordinal of a pod, and the ordinals that a StatefulSet needs.
// Upstream: pkg/controller/statefulset/stateful_set_utils.go, getParentNameAndOrdinal … podInOrdinalRange.

import type { StatefulPod, StatefulSet } from "./model.ts";
import { replicasOf } from "./model.ts";

const INT32_MAX = 2 ** 31 - 1;

/** The name of the set in the pod's name, and the ordinal; -1 if the name has none. */
export function parentAndOrdinal(podName: string): { readonly parent: string; readonly ordinal: number } {
  const [, parent = "", digits] = /^(.*)-([0-9]+)$/.exec(podName) ?? [];
  if (digits === undefined) return { parent: "", ordinal: -1 };
  const ordinal = Number(digits);
  return { parent, ordinal: ordinal > INT32_MAX ? -1 : ordinal };
}

export function ordinalOf({ metadata }: StatefulPod): number {
  return parentAndOrdinal(metadata.name).ordinal;
}

export function isMemberOf(set: StatefulSet, { metadata }: StatefulPod): boolean {
  return parentAndOrdinal(metadata.name).parent === set.metadata.name;
}

export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

export function isInRange(set: StatefulSet, pod: StatefulPod): boolean {
  const index = ordinalOf(pod) - startOrdinal(set);
  return index >= 0 && index < replicasOf(set);
}

export interface Partition {
  /** By ordinal from the start ordinal; undefined where the pod is missing. */
  readonly slots: readonly (StatefulPod | undefined)[];
  /** Pods whose ordinal is out of range, highest ordinal first. */
  readonly condemned: readonly StatefulPod[];
}

/** Pods without an ordinal in their name are in neither part. */
export function partition(set: StatefulSet, pods: readonly StatefulPod[]): Partition {
  const slots: (StatefulPod | undefined)[] = Array.from({ length: replicasOf(set) }, () => undefined);
  for (const pod of pods) if (isInRange(set, pod)) slots[ordinalOf(pod) - startOrdinal(set)] = pod;
  const condemned = pods
    .filter((pod) => !isInRange(set, pod) && ordinalOf(pod) >= 0)
    .toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
  return { slots, condemned };
}
