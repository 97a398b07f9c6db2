// Printers of the core group besides pods. Upstream: pkg/printers/internalversion/printers.go

import type * as core from "#api/generated/types/core-v1.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { EpochMs } from "#base/clock.ts";
import { podPrinter } from "#kinds/core/pod-printer.ts";
import {
  ageOf,
  containerCells,
  formatLabels,
  nameOf,
  orNone,
  orUnset,
  type Printer,
  printer,
  since,
} from "#kinds/parts/printer.ts";

const count = (map: object | undefined): number => Object.keys(map ?? {}).length;
const amount = (text: string | undefined): string => quantityFromWire(text).toString();

function nodeStatus({ spec, status }: core.Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: core.Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX)) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === "kubernetes.io/role") roles.add(value);
  }
  roles.delete("");
  return orNone([...roles].sort().join(","));
}

function nodeCells(node: core.Node, now: EpochMs): unknown[] {
  const { nodeInfo, addresses } = node.status ?? {};
  const address = (type: string): string =>
    addresses?.find((candidate) => candidate.type === type)?.address ?? "<none>";
  const architecture = nodeInfo?.architecture ? ` (${nodeInfo.architecture})` : "";
  return [
    nameOf(node),
    nodeStatus(node),
    nodeRoles(node),
    ageOf(node, now),
    nodeInfo?.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    nodeInfo?.osImage || "<unknown>",
    `${nodeInfo?.kernelVersion || "<unknown>"}${architecture}`,
    nodeInfo?.containerRuntimeVersion || "<unknown>",
  ];
}

function eventCells(event: core.Event, now: EpochMs): unknown[] {
  const { involvedObject: about, series, source } = event;
  const first = since(event.firstTimestamp ?? event.eventTime, now);
  const last = series
    ? since(series.lastObservedTime, now)
    : event.lastTimestamp
      ? since(event.lastTimestamp, now)
      : first;
  const kind = (about?.kind ?? "").toLowerCase();
  const component = source?.component || (event.reportingComponent ?? "");
  const instance = source?.host || (event.reportingInstance ?? "");
  return [
    last,
    event.type ?? "",
    event.reason ?? "",
    about?.name ? `${kind}/${about.name}` : kind,
    about?.fieldPath ?? "",
    instance === "" ? component : `${component}, ${instance}`,
    (event.message ?? "").trim(),
    first,
    series ? (series.count ?? 0) : event.count || 1,
    nameOf(event),
  ];
}

function quotaCells(quota: core.ResourceQuota, now: EpochMs): unknown[] {
  const hard: Readonly<Record<string, string>> = quota.status?.hard ?? {};
  const used: Readonly<Record<string, string>> = quota.status?.used ?? {};
  const lines = (isLimit: boolean): string =>
    Object.keys(hard)
      .filter((resource) => resource.startsWith("limits.") === isLimit)
      .sort()
      .map((resource) => `${resource}: ${amount(used[resource])}/${amount(hard[resource])}`)
      .join(", ");
  return [nameOf(quota), lines(false), lines(true), ageOf(quota, now)];
}

const MODES: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];
const accessModes = (modes: readonly string[] | undefined): string =>
  MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const classOf = ({ metadata, spec }: core.PersistentVolume | core.PersistentVolumeClaim): string =>
  metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";

function volumeCells(volume: core.PersistentVolume, now: EpochMs): unknown[] {
  const { metadata, spec, status } = volume;
  const claim = spec?.claimRef;
  return [
    nameOf(volume),
    amount(spec?.capacity?.storage),
    accessModes(spec?.accessModes),
    spec?.persistentVolumeReclaimPolicy ?? "",
    metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? ""),
    claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "",
    classOf(volume),
    orUnset(spec?.volumeAttributesClassName),
    status?.reason ?? "",
    ageOf(volume, now),
    orUnset(spec?.volumeMode),
  ];
}

function claimCells(claim: core.PersistentVolumeClaim, now: EpochMs): unknown[] {
  const { metadata, spec, status } = claim;
  const isBound = Boolean(spec?.volumeName);
  return [
    nameOf(claim),
    metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? ""),
    spec?.volumeName ?? "",
    isBound ? amount(status?.capacity?.storage) : "",
    isBound ? accessModes(status?.accessModes) : "",
    classOf(claim),
    orUnset(spec?.volumeAttributesClassName),
    ageOf(claim, now),
    orUnset(spec?.volumeMode),
  ];
}

function externalIp({ spec, status }: core.Service): string {
  const own = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(own.join(","));
    case "LoadBalancer": {
      const assigned = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const all = [...new Set(assigned.filter((text) => text !== ""))].sort();
      return [...all, ...own].join(",") || "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function serviceCells(service: core.Service, now: EpochMs): unknown[] {
  const { spec } = service;
  const ports = (spec?.ports ?? []).map(
    ({ port = 0, nodePort = 0, protocol = "" }) => `${port}${nodePort > 0 ? `:${nodePort}` : ""}/${protocol}`,
  );
  return [
    nameOf(service),
    spec?.type ?? "",
    spec?.clusterIPs?.[0] ?? "<none>",
    externalIp(service),
    orNone(ports.join(",")),
    ageOf(service, now),
    formatLabels(spec?.selector),
  ];
}

function endpoints({ subsets = [] }: core.Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port = 0 }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}

function componentCells({ conditions, ...rest }: core.ComponentStatus): unknown[] {
  const healthy = conditions?.find(({ type }) => type === "Healthy");
  const word = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
  return [nameOf(rest), word, healthy?.message ?? "", healthy?.error ?? ""];
}

export const CORE_PRINTERS: Readonly<Record<string, Printer>> = {
  componentstatuses: printer("Name|Status|Message|Error", componentCells),
  configmaps: printer<core.ConfigMap>("Name|Data|Age", (map, now) => [
    nameOf(map),
    count(map.data) + count(map.binaryData),
    ageOf(map, now),
  ]),
  endpoints: printer<core.Endpoints>("Name|Endpoints|Age", (object, now) => [
    nameOf(object),
    endpoints(object),
    ageOf(object, now),
  ]),
  events: printer("Last Seen|Type|Reason|Object|Subobject*|Source*|Message|First Seen*|Count*|Name*", eventCells),
  namespaces: printer<core.Namespace>("Name|Status|Age", (namespace, now) => [
    nameOf(namespace),
    namespace.status?.phase ?? "",
    ageOf(namespace, now),
  ]),
  nodes: printer(
    "Name|Status|Roles|Age|Version|Internal-IP*|External-IP*|OS-Image*|Kernel-Version*|Container-Runtime*",
    nodeCells,
  ),
  persistentvolumeclaims: printer(
    "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode*",
    claimCells,
  ),
  persistentvolumes: printer(
    "Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode*",
    volumeCells,
  ),
  pods: podPrinter,
  podtemplates: printer<core.PodTemplate>("Name|Containers|Images|Pod Labels", ({ template, ...rest }) => [
    nameOf(rest),
    ...containerCells(template?.spec?.containers),
    formatLabels(template?.metadata?.labels),
  ]),
  replicationcontrollers: printer<core.ReplicationController>(
    "Name|Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*",
    (rc, now) => [
      nameOf(rc),
      rc.spec?.replicas ?? 0,
      rc.status?.replicas ?? 0,
      rc.status?.readyReplicas ?? 0,
      ageOf(rc, now),
      ...containerCells(rc.spec?.template?.spec?.containers),
      formatLabels(rc.spec?.selector),
    ],
  ),
  resourcequotas: printer("Name|Request|Limit|Age", quotaCells),
  secrets: printer<core.Secret>("Name|Type|Data|Age", (secret, now) => [
    nameOf(secret),
    secret.type ?? "",
    count(secret.data),
    ageOf(secret, now),
  ]),
  serviceaccounts: printer("Name|Age", (account, now) => [nameOf(account), ageOf(account, now)]),
  services: printer("Name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector*", serviceCells),
};
