// Drops fields of pods whose gate is off, unless the stored pod already uses them. Gates that are locked on in 1.36
// have no entry. Upstream: pkg/api/pod/util.go, DropDisabledPodFields, DropDisabledTemplateFields

import type * as core from "#api/generated/types/core-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { put } from "#kinds/parts/preparing.ts";

type AnyContainer = core.Container & core.EphemeralContainer;

interface DisabledField {
  readonly gate: string;
  isUsed(spec: core.PodSpec): boolean;
  drop(spec: core.PodSpec): core.PodSpec;
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

function someContainer(spec: core.PodSpec, test: (container: AnyContainer) => boolean): boolean {
  return LISTS.some((list) => (spec[list] as readonly AnyContainer[] | undefined)?.some(test));
}

function mapContainers(
  spec: core.PodSpec,
  change: (container: AnyContainer, list: (typeof LISTS)[number]) => AnyContainer,
): core.PodSpec {
  let out = spec;
  for (const list of LISTS) {
    const containers = spec[list] as readonly AnyContainer[] | undefined;
    if (containers) out = { ...out, [list]: containers.map((container) => change(container, list)) };
  }
  return out;
}

const projections = ({ volumes }: core.PodSpec): readonly core.VolumeProjection[] =>
  (volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);

const projection = (gate: string, part: "clusterTrustBundle" | "podCertificate"): DisabledField => ({
  gate,
  isUsed: (spec) => projections(spec).some((source) => source[part] !== undefined),
  drop: (spec) => ({
    ...spec,
    volumes: (spec.volumes ?? []).map((volume) =>
      volume.projected?.sources
        ? {
            ...volume,
            projected: { ...volume.projected, sources: volume.projected.sources.map((s) => put(s, part, undefined)) },
          }
        : volume,
    ),
  }),
});

const ofSpec = (gate: string, part: "resources" | "schedulingGroup" | "hostnameOverride"): DisabledField => ({
  gate,
  isUsed: (spec) => spec[part] !== undefined,
  drop: (spec) => put(spec, part, undefined),
});

const hasRestartRules = ({ restartPolicy, restartPolicyRules }: core.Container): boolean =>
  (restartPolicy !== undefined && restartPolicy !== "Always") || (restartPolicyRules ?? []).length > 0;

function withoutStopSignal(container: AnyContainer): AnyContainer {
  if (container.lifecycle?.stopSignal === undefined) return container;
  const lifecycle = put(container.lifecycle, "stopSignal", undefined);
  return put(container, "lifecycle", Object.keys(lifecycle).length === 0 ? undefined : lifecycle);
}

const FIELDS: readonly DisabledField[] = [
  ofSpec("PodLevelResources", "resources"),
  {
    gate: "MatchLabelKeysInPodTopologySpread",
    isUsed: (spec) =>
      (spec.topologySpreadConstraints ?? []).some(({ matchLabelKeys }) => (matchLabelKeys ?? []).length > 0),
    drop: (spec) => ({
      ...spec,
      topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).map((c) => put(c, "matchLabelKeys", undefined)),
    }),
  },
  projection("ClusterTrustBundleProjection", "clusterTrustBundle"),
  projection("PodCertificateRequest", "podCertificate"),
  ofSpec("GenericWorkload", "schedulingGroup"),
  {
    gate: "ContainerRestartRules",
    isUsed: ({ containers, initContainers }) =>
      (initContainers ?? []).some(hasRestartRules) || (containers ?? []).some((c) => c.restartPolicy !== undefined),
    drop: (spec) =>
      mapContainers(spec, (container, list) => {
        const keepsPolicy = list === "initContainers" && container.restartPolicy === "Always";
        const bare = keepsPolicy ? container : put(container, "restartPolicy", undefined);
        return put(bare, "restartPolicyRules", undefined);
      }),
  },
  ofSpec("HostnameOverride", "hostnameOverride"),
  {
    gate: "EnvFiles",
    isUsed: (spec) =>
      someContainer(spec, ({ env }) => (env ?? []).some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined)),
    drop: (spec) =>
      mapContainers(spec, (container) => {
        if (!container.env) return container;
        const env = container.env.map((v) =>
          v.valueFrom ? { ...v, valueFrom: put(v.valueFrom, "fileKeyRef", undefined) } : v,
        );
        return { ...container, env };
      }),
  },
  {
    gate: "ContainerStopSignals",
    isUsed: (spec) => someContainer(spec, ({ lifecycle }) => lifecycle?.stopSignal !== undefined),
    drop: (spec) => mapContainers(spec, withoutStopSignal),
  },
];

export function dropDisabledFields(
  spec: core.PodSpec,
  old: core.PodSpec | undefined,
  gates: FeatureGateReader,
): core.PodSpec {
  let out = spec;
  for (const { gate, isUsed, drop } of FIELDS) {
    if (isUsed(out) && !gates.isEnabled(gate) && !(old && isUsed(old))) out = drop(out);
  }
  return out;
}

type Status = core.PodStatus;
const STATUS_LISTS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

function someStatus(status: Status, test: (container: core.ContainerStatus) => boolean): boolean {
  return STATUS_LISTS.some((list) => status[list]?.some(test));
}

function mapStatuses(status: Status, change: (container: core.ContainerStatus) => core.ContainerStatus): Status {
  let out = status;
  for (const list of STATUS_LISTS) if (status[list]) out = { ...out, [list]: status[list].map(change) };
  return out;
}

interface DisabledStatus {
  readonly gate: string;
  isUsed(status: Status): boolean;
  drop(status: Status): Status;
}

const STATUS_FIELDS: readonly DisabledStatus[] = [
  {
    gate: "InPlacePodLevelResourcesVerticalScaling",
    isUsed: (status) => status.resources !== undefined || status.allocatedResources !== undefined,
    drop: (status) => put(put(status, "resources", undefined), "allocatedResources", undefined),
  },
  {
    gate: "DRAExtendedResource",
    isUsed: (status) => status.extendedResourceClaimStatus !== undefined,
    drop: (status) => put(status, "extendedResourceClaimStatus", undefined),
  },
  {
    gate: "ResourceHealthStatus",
    isUsed: (status) => someStatus(status, ({ allocatedResourcesStatus }) => allocatedResourcesStatus !== undefined),
    drop: (status) => mapStatuses(status, (container) => put(container, "allocatedResourcesStatus", undefined)),
  },
  {
    gate: "ImageVolumeWithDigest",
    isUsed: (status) =>
      someStatus(status, ({ volumeMounts }) =>
        (volumeMounts ?? []).some(({ volumeStatus }) => volumeStatus !== undefined),
      ),
    drop: (status) =>
      mapStatuses(status, (container) =>
        container.volumeMounts
          ? { ...container, volumeMounts: container.volumeMounts.map((mount) => put(mount, "volumeStatus", undefined)) }
          : container,
      ),
  },
  {
    gate: "DRANodeAllocatableResources",
    isUsed: (status) => (status.nodeAllocatableResourceClaimStatuses ?? []).length > 0,
    drop: (status) => put(status, "nodeAllocatableResourceClaimStatuses", undefined),
  },
];

export function dropDisabledStatus(status: Status, old: Status | undefined, gates: FeatureGateReader): Status {
  let out = status;
  for (const { gate, isUsed, drop } of STATUS_FIELDS) {
    if (isUsed(out) && !gates.isEnabled(gate) && !(old && isUsed(old))) out = drop(out);
  }
  return out;
}

/** The pod or template without the fields of disabled gates. */
export function withoutDisabled<T extends { readonly spec?: core.PodSpec }>(
  object: T,
  old: T | undefined,
  gates: FeatureGateReader,
): T {
  if (object.spec === undefined) return object;
  const spec = dropDisabledFields(object.spec, old?.spec, gates);
  return spec === object.spec ? object : { ...object, spec };
}
