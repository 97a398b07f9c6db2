// Checks that the node is in the zone and region of a bound volume's labels.
// Upstream: pkg/scheduler/framework/plugins/volumezone

import type { PersistentVolume, PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { Stored } from "#api/resource.ts";
import { claimKeysOf } from "#families/volumes/pod-claims.ts";
import { classOfClaim } from "#rules/storage-classes.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import { type PreparedFilter, type Rejection, unresolvable } from "../rejection.ts";

const OTHER_ZONE = unresolvable("VolumeZone", "node(s) had no available volume zone");
/** By the label of a volume: an alternative label of a node. */
const TOPOLOGY_LABELS: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region": "topology.kubernetes.io/region",
};
const LABELS = Object.keys(TOPOLOGY_LABELS);

interface Topology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

export function filterVolumeZone(pod: Stored<Pod>, objects: ClusterObjects): PreparedFilter {
  const topologies: Topology[] = [];
  for (const key of claimKeysOf(pod)) {
    const claim = objects.claims.get(key);
    if (claim === undefined) continue; // the volume binding filter has rejected the pod
    const found = topologiesOf(claim, objects);
    if ("reasons" in found) return found;
    topologies.push(...found);
  }
  if (topologies.length === 0) return undefined;
  return ({ labels }) => {
    if (!LABELS.some((label) => labels[label] !== undefined)) return undefined;
    const isElsewhere = topologies.some(({ key, values }) => {
      const value = labels[key] ?? labels[TOPOLOGY_LABELS[key] ?? ""];
      return value === undefined || !values.has(value);
    });
    return isElsewhere ? OTHER_ZONE : undefined;
  };
}

function topologiesOf(
  claim: Stored<PersistentVolumeClaim>,
  { volumes, storageClasses }: ClusterObjects,
): readonly Topology[] | Rejection {
  const name = claim.spec?.volumeName;
  if (name) {
    const volume = volumes.get(name);
    const missing = `persistentvolume ${goQuote(name)} not found`;
    return volume === undefined ? unresolvable("VolumeZone", missing) : labelsOf(volume);
  }
  const className = classOfClaim(claim);
  const storageClass = storageClasses.get(className);
  if (storageClass?.volumeBindingMode === "WaitForFirstConsumer") return [];
  if (className === "") return unresolvable("VolumeZone", "PersistentVolumeClaim had no pv name and storageClass name");
  const missing = `storageclass.storage.k8s.io ${goQuote(className)} not found`;
  return unresolvable("VolumeZone", storageClass === undefined ? missing : "PersistentVolume had no name");
}

/** Several zones are separated by "__". */
function labelsOf({ metadata }: PersistentVolume): readonly Topology[] {
  return LABELS.flatMap((key) => {
    const value = metadata?.labels?.[key];
    const values = value?.split("__").map((zone) => zone.trim()) ?? [];
    return values.length === 0 || values.includes("") ? [] : [{ key, values: new Set(values) }];
  });
}
