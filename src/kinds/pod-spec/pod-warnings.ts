// Warnings about valid pods and templates: deprecated fields, and settings without effect.
// Upstream: pkg/api/pod/warnings.go, pkg/api/node/util.go

import { semanticEqual } from "#api/equality.ts";
import { childOf, type FieldPath } from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { isLabelValue } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { amount, type WireAmounts } from "#kinds/parts/quantities.ts";
import { overlapWarnings } from "./path-overlaps.ts";
import { APP_ARMOR, profileOf } from "./pod-placement.ts";
import { eachContainer } from "./windows.ts";

const NODE_LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};
/** The warning about a deprecated node label. */
export const deprecatedNodeLabel = (key: string): string | undefined =>
  Object.hasOwn(NODE_LABELS, key) ? NODE_LABELS[key] : undefined;

const ANNOTATIONS: readonly (readonly [string, string])[] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** The volume source, its name in warnings, and the release that deprecates it. */
const VOLUMES: readonly (readonly [keyof core.Volume, string, string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

const SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export interface PodLike {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: core.PodSpec | undefined;
}

/** path: of the template; undefined for a pod. */
export function podWarnings(
  { metadata, spec }: PodLike,
  path: FieldPath | undefined,
  gates: FeatureGateReader,
): string[] {
  if (spec === undefined) return [];
  const warnings: string[] = [];
  const annotations = metadata?.annotations ?? {};
  const specPath = childOf(path, "spec");
  const annotationPath = childOf(path, "metadata").child("annotations");
  placement(warnings, spec, specPath);
  for (const [key, advice] of ANNOTATIONS) {
    if (annotations[key] !== undefined) warnings.push(`${annotationPath.key(key)}: ${advice}`);
  }
  volumes(warnings, spec, specPath.child("volumes"), gates);
  warnings.push(...overlapWarnings(spec.volumes ?? []));
  duplicates(warnings, spec, specPath);
  for (const resource of BYTES) fractional(warnings, spec.overhead, resource, specPath.child("overhead"));
  if (metadata?.annotations) profiles(warnings, spec, annotations, specPath, annotationPath, path !== undefined);
  eachContainer(spec, specPath, (container, at) => containerWarnings(warnings, container, at));
  ports(warnings, spec, specPath);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const detail = "must be >= 0; negative values are invalid and will be treated as 1";
    warnings.push(`${specPath.child("terminationGracePeriodSeconds")}: ${detail}`);
  }
  podAffinity(warnings, spec, specPath.child("affinity"));
  spec.dnsConfig?.nameservers?.forEach((server, i) => {
    warnings.push(...ipWarnings(server, specPath.child("dnsConfig", "nameservers").index(i)));
  });
  spec.hostAliases?.forEach(({ ip = "" }, i) => {
    warnings.push(...ipWarnings(ip, specPath.child("hostAliases").index(i).child("ip")));
  });
  return warnings;
}

function placement(warnings: string[], spec: core.PodSpec, path: FieldPath): void {
  for (const key in spec.nodeSelector) {
    const advice = deprecatedNodeLabel(key);
    if (advice) warnings.push(`${path.child("nodeSelector").key(key)}: ${advice}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const affinityPath = path.child("affinity", "nodeAffinity");
  affinity?.[REQUIRED]?.nodeSelectorTerms?.forEach((term, i) => {
    nodeTerm(warnings, term, false, affinityPath.child(REQUIRED, "nodeSelectorTerms").index(i));
  });
  affinity?.[PREFERRED]?.forEach(({ preference }, i) => {
    nodeTerm(warnings, preference ?? {}, true, affinityPath.child(PREFERRED).index(i).child("preference"));
  });
  spec.topologySpreadConstraints?.forEach(({ topologyKey = "", labelSelector }, i) => {
    const at = path.child("topologySpreadConstraints").index(i);
    const advice = deprecatedNodeLabel(topologyKey);
    if (advice) warnings.push(`${at.child("topologyKey")}: ${topologyKey} is ${advice}`);
    if (!labelSelector) warnings.push(noSelector(at.child("labelSelector")));
  });
}

const noSelector = (path: FieldPath): string => `${path}: a null labelSelector results in matching no pod`;

function nodeTerm(warnings: string[], term: core.NodeSelectorTerm, checksValues: boolean, path: FieldPath): void {
  term.matchExpressions?.forEach(({ key = "", values = [] }, i) => {
    const at = path.child("matchExpressions").index(i);
    const advice = deprecatedNodeLabel(key);
    if (advice) warnings.push(`${at.child("key")}: ${key} is ${advice}`);
    if (!checksValues) return;
    values.forEach((value, j) => {
      for (const message of isLabelValue(value)) {
        warnings.push(`${at.child("values").index(j)}: ${value} is invalid, ${message}`);
      }
    });
  });
}

function volumes(warnings: string[], spec: core.PodSpec, path: FieldPath, gates: FeatureGateReader): void {
  spec.volumes?.forEach((volume, i) => {
    for (const [source, name, since] of VOLUMES) {
      if (!volume[source]) continue;
      const isOn = source === "gitRepo" && gates.isEnabled("GitRepoVolumeDriver");
      warnings.push(`${path.index(i).child(name)}: ${isOn ? "deprecated in v1.11" : since}`);
    }
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
    const claimPath = path.index(i).child("ephemeral", "volumeClaimTemplate", "spec", "resources");
    fractional(warnings, claim?.requests, "storage", claimPath.child("requests"));
    fractional(warnings, claim?.limits, "storage", claimPath.child("limits"));
  });
}

function duplicates(warnings: string[], spec: core.PodSpec, path: FieldPath): void {
  const repeated = (values: readonly string[], list: string, part: string): void => {
    values.forEach((value, i) => {
      if (values.indexOf(value) === i) return;
      warnings.push(`${path.child(list).index(i).child(part)}: duplicate ${part} ${goQuote(value)}`);
    });
  };
  repeated(
    (spec.hostAliases ?? []).map(({ ip }) => ip ?? ""),
    "hostAliases",
    "ip",
  );
  const secrets = (spec.imagePullSecrets ?? []).map(({ name }) => name ?? "");
  repeated(secrets, "imagePullSecrets", "name");
  secrets.forEach((name, i) => {
    if (name === "") warnings.push(`${path.child("imagePullSecrets").index(i).child("name")}: invalid empty name ""`);
  });
}

const BYTES = ["memory", "ephemeral-storage"];

export function fractional(
  warnings: string[],
  amounts: WireAmounts | undefined,
  resource: string,
  path: FieldPath,
): void {
  const text = amounts?.[resource];
  if (text === undefined) return;
  const quantity = amount(text);
  if (quantity.scaledInt64(-3) % 1000n === 0n) return;
  const value = goQuote(quantity.toString());
  warnings.push(`${path.key(resource)}: fractional byte value ${value} is invalid, must be an integer`);
}

/** Annotations that were replaced by fields. */
function profiles(
  warnings: string[],
  spec: core.PodSpec,
  annotations: Readonly<Record<string, string>>,
  path: FieldPath,
  annotationPath: FieldPath,
  isTemplate: boolean,
): void {
  const seccomp = (key: string): void => {
    if (annotations[key] === undefined) return;
    warnings.push(`${annotationPath.key(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  };
  if (!spec.securityContext?.seccompProfile) seccomp(SECCOMP);
  const ofPod = spec.securityContext?.appArmorProfile;
  eachContainer(spec, path, ({ name, securityContext }) => {
    if (!securityContext?.seccompProfile) seccomp(SECCOMP_CONTAINER + name);
    const annotation = annotations[APP_ARMOR + name];
    if (!isTemplate || securityContext?.appArmorProfile || annotation === undefined) return;
    if (ofPod && semanticEqual(ofPod, profileOf(annotation))) return;
    warnings.push(
      `${annotationPath.key(APP_ARMOR + name)}: deprecated since v1.30; use the "appArmorProfile" field instead`,
    );
  });
}

function containerWarnings(
  warnings: string[],
  container: core.Container | core.EphemeralContainer,
  path: FieldPath,
): void {
  for (const resource of BYTES) {
    for (const part of ["limits", "requests"] as const) {
      fractional(warnings, container.resources?.[part], resource, path.child("resources", part));
    }
  }
  const seen = new Set<string>();
  container.env?.forEach(({ name = "", value = "", valueFrom }, i) => {
    const reference = `$(${name})`;
    const isExtension = !valueFrom && value !== reference && value.includes(reference);
    if (seen.has(name) && !isExtension) {
      const what = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`;
      warnings.push(`${path.child("env").index(i)}: ${what}`);
    }
    seen.add(name);
  });
}

interface PlacedPort {
  readonly port: core.ContainerPort;
  readonly at: FieldPath;
}

function ports(warnings: string[], spec: core.PodSpec, path: FieldPath): void {
  const all: PlacedPort[] = [];
  eachContainer(spec, path, (container, at) => {
    container.ports?.forEach((port, i) => {
      const placed = { port, at: at.child("ports").index(i) };
      if (port.hostIP && !port.hostPort) warnings.push(`${placed.at}: hostIP set without hostPort: ${goPort(port)}`);
      for (const other of all) conflict(warnings, placed, other);
      all.push(placed);
    });
  });
  const named = new Map<string, FieldPath>();
  for (const { port, at } of all) {
    if (!port.name) continue;
    const first = named.get(port.name);
    if (first === undefined) named.set(port.name, at);
    else {
      const name = goQuote(port.name);
      const effect = `services and probes that select ports by name will use ${first}`;
      warnings.push(`${at}: duplicate port name ${name} with ${first}, ${effect}`);
    }
  }
}

const goPort = ({
  name = "",
  hostPort = 0,
  containerPort = 0,
  protocol = "",
  hostIP = "",
}: core.ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;

function conflict(warnings: string[], { port, at }: PlacedPort, other: PlacedPort): void {
  if (port.containerPort !== other.port.containerPort || port.protocol !== other.port.protocol) return;
  const [hostPort, otherPort] = [port.hostPort ?? 0, other.port.hostPort ?? 0];
  const [hostIp, otherIp] = [port.hostIP ?? "", other.port.hostIP ?? ""];
  if (hostIp === otherIp && hostPort === otherPort) warnings.push(`${at}: duplicate port definition with ${other.at}`);
  else if (hostPort === 0 || otherPort === 0) warnings.push(`${at}: overlapping port definition with ${other.at}`);
  else if (hostPort === otherPort && (hostIp === "") !== (otherIp === "")) {
    warnings.push(`${at}: dangerously ambiguous port definition with ${other.at}`);
  }
}

function podAffinity(warnings: string[], { affinity }: core.PodSpec, path: FieldPath): void {
  for (const part of ["podAffinity", "podAntiAffinity"] as const) {
    affinity?.[part]?.[REQUIRED]?.forEach(({ labelSelector }, i) => {
      if (!labelSelector) warnings.push(noSelector(path.child(part, REQUIRED).index(i).child("labelSelector")));
    });
    affinity?.[part]?.[PREFERRED]?.forEach(({ podAffinityTerm }, i) => {
      if (podAffinityTerm?.labelSelector) return;
      warnings.push(noSelector(path.child(part, PREFERRED).index(i).child("podAffinityTerm", "labelSelector")));
    });
  }
}
