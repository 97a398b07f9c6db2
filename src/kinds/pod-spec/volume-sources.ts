// One check for each volume source, in upstream's order: the first source that is set is checked, further ones are
// refused.
// Upstream: pkg/apis/core/validation, validateVolumeSource and the functions it calls

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { inclusiveRange, isDns1123Subdomain } from "#api/names.ts";
import { claimTemplate } from "#kinds/core/claim-spec.ts";
import { dnsLabel, type Errors, name, oneOf, type Path, requiredOneOf } from "#kinds/parts/checks.ts";
import { signOf } from "#kinds/parts/quantities.ts";
import { descendingPath, fileMode, noBacksteps } from "./file-paths.ts";
import type { PodOptions } from "./pod-options.ts";
import { downwardFile, keyToPath, projectedSource } from "./projected-volumes.ts";

export type Source<T> = (errors: Errors, source: T, path: Path, opts: PodOptions) => void;
type Sources = { readonly [K in Exclude<keyof core.Volume, "name">]-?: Source<NonNullable<core.Volume[K]>> };

export const required =
  <T extends object>(...fields: readonly (keyof T & string)[]): Source<T> =>
  (errors, source, path) => {
    for (const name of fields) {
      const value: unknown = source[name];
      if (!value || (Array.isArray(value) && value.length === 0)) errors.push(field.required(path.child(name), ""));
    }
  };

const partition = (errors: Errors, value: number | undefined, path: Path): void => {
  if (value !== undefined && (value < 0 || value > 255)) {
    errors.push(field.invalid(path.child("partition"), value, inclusiveRange(1, 255)));
  }
};

const secretRefName = (errors: Errors, ref: core.LocalObjectReference | undefined, path: Path): void => {
  if (ref && !ref.name) errors.push(field.required(path.child("secretRef", "name"), ""));
};

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const hostPath: Source<core.HostPathVolumeSource> = (errors, source, path) => {
  if (!source.path) {
    errors.push(field.required(path.child("path"), ""));
    return;
  }
  noBacksteps(errors, source.path, path.child("path"));
  if (source.type !== undefined) oneOf(errors, source.type, path.child("type"), HOST_PATH_TYPES);
};

/** Formats of iSCSI names, by prefix. */
export const INITIATORS: readonly (readonly [string, RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[a-zA-Z0-9]{16}$/],
  ["naa", /^naa.[a-zA-Z0-9]{32}$/],
];

function initiator(errors: Errors, value: string, path: Path): void {
  const known = INITIATORS.find(([prefix]) => value.startsWith(prefix));
  if (!known) errors.push(field.invalid(path, value, "must be valid format starting with iqn, eui, or naa"));
  else if (!known[1].test(value)) errors.push(field.invalid(path, value, "must be valid format"));
}

const iscsi: Source<core.ISCSIVolumeSource> = (errors, source, path) => {
  if (!source.targetPortal) errors.push(field.required(path.child("targetPortal"), ""));
  if (!source.iqn) errors.push(field.required(path.child("iqn"), ""));
  else initiator(errors, source.iqn, path.child("iqn"));
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) errors.push(field.invalid(path.child("lun"), lun, inclusiveRange(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) {
    errors.push(field.required(path.child("secretRef"), ""));
  }
  if (source.initiatorName !== undefined) initiator(errors, source.initiatorName, path.child("initiatorname"));
};

const fc: Source<core.FCVolumeSource> = (errors, { targetWWNs = [], wwids = [], lun }, path) => {
  if (targetWWNs.length < 1 && wwids.length < 1) {
    errors.push(field.required(path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both"));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(field.invalid(path.child("targetWWNs"), targetWWNs, detail));
  }
  if (targetWWNs.length === 0) return;
  if (lun === undefined) errors.push(field.required(path.child("lun"), "lun is required if targetWWNs is specified"));
  else if (lun < 0 || lun > 255) errors.push(field.invalid(path.child("lun"), lun, inclusiveRange(0, 255)));
};

const nfs: Source<core.NFSVolumeSource> = (errors, source, path, opts) => {
  required<core.NFSVolumeSource>("server", "path")(errors, source, path, opts);
  if (!source.path?.startsWith("/")) {
    errors.push(field.invalid(path.child("path"), source.path ?? "", "must be an absolute path"));
  }
};

const HOST_PORT_PAIRS = "must be a host:port pair or multiple pairs separated by commas";
const HOST_PORT = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

const quobyte: Source<core.QuobyteVolumeSource> = (errors, source, path) => {
  const registry = source.registry ?? "";
  if (registry === "") errors.push(field.required(path.child("registry"), HOST_PORT_PAIRS));
  else if ((source.tenant ?? "").length >= 65) {
    errors.push(field.required(path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (const pair of registry.split(",")) {
      if (!HOST_PORT.test(pair)) errors.push(field.invalid(path.child("registry"), registry, HOST_PORT_PAIRS));
    }
  }
  if (!source.volume) errors.push(field.required(path.child("volume"), ""));
};

const flocker: Source<core.FlockerVolumeSource> = (errors, { datasetName = "", datasetUUID = "" }, path) => {
  if (!datasetName && !datasetUUID) errors.push(field.required(path, "one of datasetName and datasetUUID is required"));
  if (datasetName && datasetUUID) {
    errors.push(field.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (datasetName.includes("/")) {
    errors.push(field.invalid(path.child("datasetName"), datasetName, "must not contain '/'"));
  }
};

const flexVolume: Source<core.FlexVolumeSource> = (errors, source, path) => {
  if (!source.driver) errors.push(field.required(path.child("driver"), ""));
  for (const key in source.options) {
    const namespace = `.${(key.split("/", 1)[0] ?? key).toLowerCase()}`;
    if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
      const detail = "kubernetes.io and k8s.io namespaces are reserved";
      errors.push(field.invalid(path.child("options").key(key), key, detail));
    }
  }
};

const MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

const azureDisk: Source<core.AzureDiskVolumeSource> = (errors, source, path, opts) => {
  required<core.AzureDiskVolumeSource>("diskName", "diskURI")(errors, source, path, opts);
  const { cachingMode, kind, diskURI = "" } = source;
  if (cachingMode !== undefined)
    oneOf(errors, cachingMode, path.child("cachingMode"), ["None", "ReadOnly", "ReadWrite"]);
  if (kind === undefined) return;
  oneOf(errors, kind, path.child("kind"), ["Dedicated", "Managed", "Shared"]);
  const isManaged = kind === "Managed";
  if (!diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")) {
    errors.push(field.notSupported(path.child("diskURI"), diskURI, [isManaged ? MANAGED_URI : BLOB_URI]));
  }
};

const storageos: Source<core.StorageOSVolumeSource> = (errors, source, path) => {
  if (!source.volumeName) errors.push(field.required(path.child("volumeName"), ""));
  else dnsLabel(errors, source.volumeName, path.child("volumeName"));
  if (source.volumeNamespace) dnsLabel(errors, source.volumeNamespace, path.child("volumeNamespace"));
  secretRefName(errors, source.secretRef, path);
};

export function csiDriverName(errors: Errors, driver: string, path: Path): void {
  if (driver === "") {
    errors.push(field.required(path, ""));
    return;
  }
  if (driver.length > 63) errors.push(field.tooLong(path, 63));
  for (const message of isDns1123Subdomain(driver.toLowerCase())) errors.push(field.invalid(path, driver, message));
}

const csi: Source<core.CSIVolumeSource> = (errors, source, path) => {
  csiDriverName(errors, source.driver ?? "", path.child("driver"));
  const ref = source.nodePublishSecretRef;
  if (!ref) return;
  if (!ref.name) errors.push(field.required(path.child("nodePublishSecretRef", "name"), ""));
  else name(errors, ref.name, path.child("name"), isDns1123Subdomain);
};

const image: Source<core.ImageVolumeSource> = (errors, source, path, opts) => {
  if (opts.resourceIsPod && !source.reference) errors.push(field.required(path.child("reference"), ""));
  requiredOneOf(errors, source.pullPolicy, path.child("pullPolicy"), ["Always", "IfNotPresent", "Never"]);
};

export const SOURCES: Sources = {
  emptyDir: (errors, source, path) => {
    if (source.sizeLimit !== undefined && signOf(source.sizeLimit) < 0) {
      errors.push(field.forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
    }
  },
  hostPath,
  gitRepo: (errors, source, path) => {
    if (!source.repository) errors.push(field.required(path.child("repository"), ""));
    descendingPath(errors, source.directory ?? "", path.child("directory"));
  },
  gcePersistentDisk: (errors, source, path) => {
    if (!source.pdName) errors.push(field.required(path.child("pdName"), ""));
    partition(errors, source.partition, path);
  },
  awsElasticBlockStore: (errors, source, path) => {
    if (!source.volumeID) errors.push(field.required(path.child("volumeID"), ""));
    partition(errors, source.partition, path);
  },
  secret: (errors, source, path) => {
    if (!source.secretName) errors.push(field.required(path.child("secretName"), ""));
    fileMode(errors, source.defaultMode, path.child("defaultMode"));
    source.items?.forEach((item, i) => {
      keyToPath(errors, item, path.child("items").index(i));
    });
  },
  nfs,
  iscsi,
  glusterfs: required("endpoints", "path"),
  flocker,
  persistentVolumeClaim: required("claimName"),
  rbd: required("monitors", "image"),
  cinder: (errors, source, path) => {
    if (!source.volumeID) errors.push(field.required(path.child("volumeID"), ""));
    secretRefName(errors, source.secretRef, path);
  },
  cephfs: required("monitors"),
  quobyte,
  downwardAPI: (errors, source, path) => {
    fileMode(errors, source.defaultMode, path.child("defaultMode"));
    for (const file of source.items ?? []) downwardFile(errors, file, path);
  },
  fc,
  flexVolume,
  configMap: (errors, source, path) => {
    if (!source.name) errors.push(field.required(path.child("name"), ""));
    fileMode(errors, source.defaultMode, path.child("defaultMode"));
    source.items?.forEach((item, i) => {
      keyToPath(errors, item, path.child("items").index(i));
    });
  },
  azureFile: required("secretName", "shareName"),
  vsphereVolume: required("volumePath"),
  photonPersistentDisk: required("pdID"),
  portworxVolume: required("volumeID"),
  azureDisk,
  storageos,
  projected: projectedSource,
  scaleIO: required("gateway", "system", "volumeName"),
  csi,
  ephemeral: (errors, source, path) => {
    if (!source.volumeClaimTemplate) errors.push(field.required(path.child("volumeClaimTemplate"), ""));
    else claimTemplate(errors, source.volumeClaimTemplate, path.child("volumeClaimTemplate"));
  },
  image,
};

const SOURCE_NAMES = Object.keys(SOURCES) as (keyof Sources)[];

// As upstream, three sources are printed under another name than the wire's: one when checked, two when refused.
const CHECKED_AS: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };
const REFUSED_AS: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

export function volumeSource(
  errors: Errors,
  volume: core.Volume,
  path: Path,
  podName: string | undefined,
  opts: PodOptions,
): void {
  let count = 0;
  for (const source of SOURCE_NAMES) {
    const value = volume[source];
    if (value === undefined || value === null) continue;
    const isFirst = count++ === 0;
    if (!isFirst) {
      errors.push(field.forbidden(path.child(REFUSED_AS[source] ?? source), "may not specify more than 1 volume type"));
    } else {
      (SOURCES[source] as Source<unknown>)(errors, value, path.child(CHECKED_AS[source] ?? source), opts);
    }
    if (source === "iscsi") iscsiNameLength(errors, volume, path);
    if (source === "ephemeral" && isFirst) ephemeralClaimName(errors, volume, path, podName);
  }
  if (count === 0) errors.push(field.required(path, "must specify a volume type"));
}

function iscsiNameLength(errors: Errors, { name = "", iscsi }: core.Volume, path: Path): void {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal ?? ""}`.length <= 64) return;
  const detail =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  errors.push(field.invalid(path.child("name"), name, detail));
}

function ephemeralClaimName(errors: Errors, volume: core.Volume, path: Path, podName: string | undefined): void {
  if (!podName || !volume.name) return;
  const claimName = `${podName}-${volume.name}`;
  for (const message of isDns1123Subdomain(claimName)) {
    errors.push(field.invalid(path.child("name"), volume.name, `PVC name "${claimName}": ${message}`));
  }
}
