// The scheduler's view of a pod, computed once when the pod is first seen.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { type PodResources, podResources } from "./resource-totals.ts";

export interface PodFacts {
  readonly pod: Stored<Pod>;
  readonly resources: PodResources;
  readonly hostPorts: readonly HostPort[];
  /** The key of the pod's class (pod-class.ts). */
  readonly classKey: string;
}

export function podFacts(pod: Stored<Pod>): PodFacts {
  return { pod, resources: podResources(pod), hostPorts: hostPortsOf(pod), classKey: classKeyOf(pod) };
}

/** Pods of one namespace with the same labels and affinity; terminating pods are a separate class. */
function classKeyOf({ metadata, spec }: Stored<Pod>): string {
  const { namespace, labels = {}, deletionTimestamp } = metadata;
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const names = Object.keys(labels).sort();
  let key = `${namespace}${deletionTimestamp === undefined ? "" : "!"}`;
  for (const name of names) key += `\n${name}=${labels[name]}`;
  if (podAffinity === undefined && podAntiAffinity === undefined) return key;
  return `${key}\n${JSON.stringify([podAffinity, podAntiAffinity])}`;
}

export const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;
