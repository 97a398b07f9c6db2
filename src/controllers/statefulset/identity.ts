// The pod of an ordinal: its name, labels, host name and volumes, and whether a pod still has them.
// Upstream: pkg/controller/statefulset/stateful_set_utils.go, newVersionedStatefulSetPod, identityMatches,
// storageMatches.

import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import type { PersistentVolumeClaim, Volume } from "#api/generated/types/core-v1.ts";
import type { Draft } from "#api/resource.ts";
import { podFromTemplate } from "#kit/pod-control.ts";
import { type Claim, REVISION_LABEL, type StatefulPod, type StatefulSet } from "./model.ts";
import { ordinalOf, parentAndOrdinal, startOrdinal } from "./ordinals.ts";

const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";

/** A StatefulSet as one of its revisions describes it. */
export interface VersionedSet {
  readonly set: StatefulSet;
  /** The name of the revision. */
  readonly revision: string;
}

/** The missing pod of an ordinal, at the revision that the update strategy requires there. */
export function podFor(ordinal: number, current: VersionedSet, update: VersionedSet): StatefulPod {
  const { set, revision } = keepsCurrentRevision(current.set, ordinal) ? current : update;
  const { namespace, name: setName } = set.metadata;
  const name = `${setName}-${ordinal}`;
  const template = set.spec?.template ?? {};
  const pod = podFromTemplate({ owner: set, template }, StatefulSets);
  const labels = { ...pod.metadata.labels, ...identityLabels(name, ordinal), [REVISION_LABEL]: revision };
  const { serviceName = "" } = set.spec ?? {};
  const named: StatefulPod = {
    ...pod,
    metadata: { ...pod.metadata, name, namespace, labels },
    spec: { containers: [], ...pod.spec, hostname: name, ...(serviceName === "" ? {} : { subdomain: serviceName }) },
  };
  return withStorage(set, named);
}

/** True if a new pod of this ordinal is below the partition, or belongs to the pods that are not updated yet. */
function keepsCurrentRevision(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const index = ordinal - startOrdinal(set);
  if (rollingUpdate !== undefined) return index < (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && index < (set.status?.currentReplicas ?? 0);
}

function identityLabels(name: string, ordinal: number): Readonly<Record<string, string>> {
  return { [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinal) };
}

export function hasIdentity(set: StatefulSet, { metadata }: StatefulPod): boolean {
  const { name } = metadata;
  const { parent, ordinal } = parentAndOrdinal(name);
  return (
    ordinal >= 0 &&
    parent === set.metadata.name &&
    name === `${parent}-${ordinal}` &&
    metadata.labels?.[POD_NAME_LABEL] === name
  );
}

export function withIdentity<P extends StatefulPod>(set: StatefulSet, pod: P): P {
  const ordinal = ordinalOf(pod);
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { ...pod.metadata.labels, ...identityLabels(name, ordinal) };
  return { ...pod, metadata: { ...pod.metadata, name, labels } };
}

/** True if the pod has, for each claim template, a volume with its claim. */
export function hasStorage(set: StatefulSet, pod: StatefulPod): boolean {
  const ordinal = ordinalOf(pod);
  if (ordinal < 0) return false;
  const volumes = new Map(pod.spec?.volumes?.map((volume) => [volume.name, volume]));
  return claimTemplates(set).every(
    (template) =>
      volumes.get(template.metadata?.name ?? "")?.persistentVolumeClaim?.claimName ===
      claimName(set, template, ordinal),
  );
}

/** Adds a volume for each claim before the others, and removes other volumes of the same name. */
export function withStorage<P extends StatefulPod>(set: StatefulSet, pod: P): P {
  const claims = claimsFor(set, pod);
  const ownVolumes = pod.spec?.volumes ?? [];
  const volumes: Volume[] = [
    ...[...claims].map(([name, claim]) => ({ name, persistentVolumeClaim: { claimName: claim.metadata.name } })),
    ...ownVolumes.filter(({ name }) => !claims.has(name)),
  ];
  return volumes.length === 0 ? pod : { ...pod, spec: { containers: [], ...pod.spec, volumes } };
}

export type ClaimDraft = Draft<Claim> & { readonly metadata: { readonly name: string } };

/** The claims of a pod, by the names of their templates. */
export function claimsFor(set: StatefulSet, pod: StatefulPod): ReadonlyMap<string, ClaimDraft> {
  const ordinal = ordinalOf(pod);
  const { matchLabels } = set.spec?.selector ?? {};
  return new Map(
    claimTemplates(set).map((template) => {
      const labels = { ...template.metadata?.labels, ...matchLabels };
      const name = claimName(set, template, ordinal);
      const metadata = { ...template.metadata, name, namespace: set.metadata.namespace, labels };
      return [template.metadata?.name ?? "", { ...template, metadata }];
    }),
  );
}

function claimTemplates({ spec }: StatefulSet): readonly PersistentVolumeClaim[] {
  return spec?.volumeClaimTemplates ?? [];
}

function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name ?? ""}-${set.metadata.name}-${ordinal}`;
}
