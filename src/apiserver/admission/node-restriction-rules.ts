// Labels that a kubelet must not change on its node, and references to API objects in mirror pods.
// Upstream: plugin/pkg/admission/noderestriction; k8s.io/kubelet/pkg/apis; pkg/api/pod/util.go, HasAPIObjectReference

import type { Pod, Volume, VolumeProjection } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { podSecretNames } from "#rules/pod-secrets.ts";

type Labels = Readonly<Record<string, string>>;

const KUBELET_LABELS: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

/** Sorted labels that differ and that a kubelet must not set. */
export function forbiddenNodeLabels(labels: Labels, old: Labels): readonly string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
  return [...keys].filter((key) => labels[key] !== old[key] && isForbidden(key)).sort();
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf("/");
  const domain = slash < 0 ? "" : label.slice(0, slash);
  const isIn = (other: string): boolean => domain === other || domain.endsWith(`.${other}`);
  if (isIn("node-restriction.kubernetes.io")) return true;
  const isOfKubelet = KUBELET_LABELS.has(label) || isIn("kubelet.kubernetes.io") || isIn("node.kubernetes.io");
  return (isIn("kubernetes.io") || isIn("k8s.io")) && !isOfKubelet;
}

type Reference = { readonly resource: string } | { readonly problem: string };

/** The first kind of object that the pod refers to. */
export function referenceOf(pod: Pod): Reference | undefined {
  const { spec = { containers: [] } } = pod;
  if (spec.serviceAccountName) return { resource: "serviceaccounts" };
  if (podSecretNames(pod).size > 0) return { resource: "secrets" };
  if (refersToConfigMaps(pod)) return { resource: "configmaps" };
  if ((spec.resourceClaims ?? []).length > 0) return { resource: "resourceclaims" };
  for (const volume of spec.volumes ?? []) {
    const reference = referenceOfVolume(volume);
    if (reference !== undefined) return reference;
  }
  return undefined;
}

function refersToConfigMaps({ spec }: Pod): boolean {
  const { containers = [], initContainers = [], ephemeralContainers = [], volumes = [] } = spec ?? {};
  const inContainers = [...initContainers, ...containers, ...ephemeralContainers].some(
    ({ env = [], envFrom = [] }) =>
      envFrom.some(({ configMapRef }) => configMapRef?.name) ||
      env.some(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  );
  return (
    inContainers ||
    volumes.some(
      ({ configMap, projected }) => configMap?.name || projected?.sources?.some((source) => source.configMap?.name),
    )
  );
}

const REFERRING: readonly (readonly [keyof Volume, string])[] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

const PROJECTED: readonly (readonly [keyof VolumeProjection, string])[] = [
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
];

function referenceOfVolume(volume: Volume): Reference | undefined {
  const referring = REFERRING.find(([source]) => volume[source]);
  if (referring !== undefined) return { resource: referring[1] };
  for (const source of volume.projected?.sources ?? []) {
    const projected = PROJECTED.find(([kind]) => source[kind]);
    if (projected !== undefined) return { resource: projected[1] };
    if (!source.downwardAPI) return { problem: `unknown source for projected volume ${goQuote(volume.name)}` };
  }
  const isKnown = Object.entries(volume).some(([key, source]) => key !== "name" && source !== undefined);
  return isKnown ? undefined : { problem: `unknown volume type for volume  ${goQuote(volume.name)}` };
}
