// Writes a new pod's labels and annotations into its spec, where placement and AppArmor depend on them. Upstream:
// pkg/registry/core/pod/strategy.go, mutatePodAffinity, mutateTopologySpreadConstraints, applyAppArmorVersionSkew

import { semanticEqual } from "#api/equality.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";

type Labels = Readonly<Record<string, string>>;
interface KeyedTerm {
  readonly labelSelector?: NonNullable<core.PodAffinityTerm["labelSelector"]>;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** Adds requirements for the pod's own values of these label keys, so that pods of one revision match. */
function withKeys<T extends KeyedTerm>(term: T, labels: Labels): T {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (!labelSelector || matchLabelKeys.length + mismatchLabelKeys.length === 0) return term;
  const requirements = (keys: readonly string[], operator: string) =>
    keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] ?? ""] }));
  const added = [...requirements(matchLabelKeys, "In"), ...requirements(mismatchLabelKeys, "NotIn")];
  if (added.length === 0) return term;
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function affinityWithKeys(affinity: core.PodAffinity, labels: Labels): core.PodAffinity {
  const required = affinity[REQUIRED]?.map((term) => withKeys(term, labels));
  const preferred = affinity[PREFERRED]?.map((weighted) =>
    weighted.podAffinityTerm ? { ...weighted, podAffinityTerm: withKeys(weighted.podAffinityTerm, labels) } : weighted,
  );
  return { ...affinity, ...(required && { [REQUIRED]: required }), ...(preferred && { [PREFERRED]: preferred }) };
}

export function withLabelKeys(pod: core.Pod, gates: FeatureGateReader): core.Pod {
  if (pod.spec === undefined) return pod;
  const labels = pod.metadata?.labels ?? {};
  let { spec } = pod;
  for (const part of ["podAffinity", "podAntiAffinity"] as const) {
    const affinity = spec.affinity?.[part];
    if (affinity) spec = { ...spec, affinity: { ...spec.affinity, [part]: affinityWithKeys(affinity, labels) } };
  }
  const isMerged =
    gates.isEnabled("MatchLabelKeysInPodTopologySpread") &&
    gates.isEnabled("MatchLabelKeysInPodTopologySpreadSelectorMerge");
  if (spec.topologySpreadConstraints && isMerged) {
    const topologySpreadConstraints = spec.topologySpreadConstraints.map((constraint) => withKeys(constraint, labels));
    spec = { ...spec, topologySpreadConstraints };
  }
  return spec === pod.spec ? pod : { ...pod, spec };
}

export const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

export function profileOf(annotation: string): core.AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const local = annotation.startsWith("localhost/") ? annotation.slice("localhost/".length) : "";
  return local === "" || local.trim() !== local || local.length > 4095
    ? undefined
    : { type: "Localhost", localhostProfile: local };
}

/** Fills in the field from the deprecated annotations, if a container does not set it. */
export function withAppArmorFields(pod: core.Pod): core.Pod {
  const annotations = pod.metadata?.annotations ?? {};
  const { spec } = pod;
  if (spec === undefined || spec.os?.name === "windows") return pod;
  if (!Object.keys(annotations).some((key) => key.startsWith(APP_ARMOR))) return pod;
  const confined = <T extends core.Container | core.EphemeralContainer>(container: T): T => {
    const annotation = annotations[APP_ARMOR + container.name];
    if (annotation === undefined || container.securityContext?.appArmorProfile) return container;
    const profile = profileOf(annotation);
    if (!profile || semanticEqual(profile, spec.securityContext?.appArmorProfile)) return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  return {
    ...pod,
    spec: {
      ...spec,
      containers: (spec.containers ?? []).map(confined),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(confined) }),
      ...(spec.ephemeralContainers && { ephemeralContainers: spec.ephemeralContainers.map(confined) }),
    },
  };
}
