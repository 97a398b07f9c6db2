// The spec of a persistent volume, alone or inline in an attachment.
// Upstream: pkg/apis/core/validation, ValidatePersistentVolumeSpec and the functions it calls; pkg/volume/validation

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { inclusiveRange, isDns1123Label, isDns1123Subdomain } from "#api/names.ts";
import { dnsLabel, type Errors, name, oneOf, type Path, requiredName } from "#kinds/parts/checks.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { nodeSelector } from "#kinds/pod-spec/affinity.ts";
import { noBacksteps } from "#kinds/pod-spec/file-paths.ts";
import { csiDriverName, INITIATORS, required, SOURCES, type Source } from "#kinds/pod-spec/volume-sources.ts";
import { checkAccessModes } from "./claim-spec.ts";

export interface VolumeAllowances {
  /** The volume is inline in a VolumeAttachment. */
  readonly isInline?: boolean;
  readonly invalidAffinityValues?: boolean;
}

type SpecSource<T> = (errors: Errors, source: T, path: Path, volumeName: string) => void;

const secretOf = (errors: Errors, ref: core.SecretReference | undefined, path: Path): void => {
  if (ref === undefined) return;
  if (!ref.name) errors.push(field.required(path.child("secretRef", "name"), ""));
  if (!ref.namespace) errors.push(field.required(path.child("secretRef", "namespace"), ""));
};

const csiSecret = (errors: Errors, ref: core.SecretReference | undefined, path: Path): void => {
  if (ref === undefined) return;
  requiredName(errors, ref.name, path.child("name"), isDns1123Subdomain);
  requiredName(errors, ref.namespace, path.child("namespace"), isDns1123Label);
};

const initiator = (errors: Errors, value: string, path: Path): void => {
  const known = INITIATORS.find(([prefix]) => value.startsWith(prefix));
  if (!known?.[1].test(value)) errors.push(field.invalid(path, value, "must be valid format"));
};

const iscsi: SpecSource<core.ISCSIPersistentVolumeSource> = (errors, source, path, volumeName) => {
  const { targetPortal = "", iqn = "", lun = 0, initiatorName, secretRef } = source;
  if (targetPortal === "") errors.push(field.required(path.child("targetPortal"), ""));
  if (initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > 64) {
    const detail =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    errors.push(field.invalid(path.child("targetportal"), targetPortal, detail));
  }
  if (iqn === "") errors.push(field.required(path.child("iqn"), ""));
  else initiator(errors, iqn, path.child("iqn"));
  if (lun < 0 || lun > 255) errors.push(field.invalid(path.child("lun"), lun, inclusiveRange(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined) {
    errors.push(field.required(path.child("secretRef"), ""));
  }
  if (secretRef !== undefined && !secretRef.name) errors.push(field.required(path.child("secretRef", "name"), ""));
  if (initiatorName !== undefined) initiator(errors, initiatorName, path.child("initiatorname"));
};

const glusterfs: SpecSource<core.GlusterfsPersistentVolumeSource> = (errors, source, path) => {
  if (!source.endpoints) errors.push(field.required(path.child("endpoints"), ""));
  if (!source.path) errors.push(field.required(path.child("path"), ""));
  const namespace = source.endpointsNamespace;
  if (namespace === "") {
    const detail = "if the endpointnamespace is set, it must be a valid namespace name";
    errors.push(field.invalid(path.child("endpointsNamespace"), namespace, detail));
  } else if (namespace !== undefined) name(errors, namespace, path.child("endpointsNamespace"), isDns1123Label);
};

const storageos: SpecSource<core.StorageOSPersistentVolumeSource> = (errors, source, path) => {
  if (!source.volumeName) errors.push(field.required(path.child("volumeName"), ""));
  else dnsLabel(errors, source.volumeName, path.child("volumeName"));
  if (source.volumeNamespace) dnsLabel(errors, source.volumeNamespace, path.child("volumeNamespace"));
  secretOf(errors, source.secretRef, path);
};

const csi: SpecSource<core.CSIPersistentVolumeSource> = (errors, source, path) => {
  csiDriverName(errors, source.driver ?? "", path.child("driver"));
  if (!source.volumeHandle) errors.push(field.required(path.child("volumeHandle"), ""));
  for (const part of [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const) {
    csiSecret(errors, source[part], path.child(part));
  }
};

/** A check of a pod's volume source, reused: it reads only the source. */
const ofPods = <T>(check: Source<T>): SpecSource<T> => check as unknown as SpecSource<T>;

/** In the order of upstream's checks. */
const VOLUME_SOURCES = {
  hostPath: ofPods(SOURCES.hostPath),
  gcePersistentDisk: ofPods(SOURCES.gcePersistentDisk),
  awsElasticBlockStore: ofPods(SOURCES.awsElasticBlockStore),
  glusterfs,
  flocker: ofPods(SOURCES.flocker),
  nfs: ofPods(SOURCES.nfs),
  rbd: ofPods(required<core.RBDPersistentVolumeSource>("monitors", "image")),
  quobyte: ofPods(SOURCES.quobyte),
  cephfs: ofPods(required<core.CephFSPersistentVolumeSource>("monitors")),
  iscsi,
  cinder: (errors: Errors, source: core.CinderPersistentVolumeSource, path: Path): void => {
    if (!source.volumeID) errors.push(field.required(path.child("volumeID"), ""));
    secretOf(errors, source.secretRef, path);
  },
  fc: ofPods(SOURCES.fc),
  flexVolume: ofPods(SOURCES.flexVolume),
  azureFile: (errors: Errors, source: core.AzureFilePersistentVolumeSource, path: Path): void => {
    for (const part of ["secretName", "shareName"] as const) {
      if (!source[part]) errors.push(field.required(path.child(part), ""));
    }
    if (source.secretNamespace === "") errors.push(field.required(path.child("secretNamespace"), ""));
  },
  vsphereVolume: ofPods(SOURCES.vsphereVolume),
  photonPersistentDisk: ofPods(SOURCES.photonPersistentDisk),
  portworxVolume: ofPods(SOURCES.portworxVolume),
  azureDisk: ofPods(SOURCES.azureDisk),
  scaleIO: ofPods(required<core.ScaleIOPersistentVolumeSource>("gateway", "system", "volumeName")),
  local: (errors: Errors, source: core.LocalVolumeSource, path: Path): void => {
    if (!source.path) errors.push(field.required(path.child("path"), ""));
    else noBacksteps(errors, source.path, path.child("path"));
  },
  storageos,
  csi,
};

export type VolumeSourceName = Exclude<
  keyof core.PersistentVolumeSpec,
  | "capacity"
  | "accessModes"
  | "claimRef"
  | "persistentVolumeReclaimPolicy"
  | "storageClassName"
  | "mountOptions"
  | "volumeMode"
  | "nodeAffinity"
  | "volumeAttributesClassName"
>;

export const SOURCE_NAMES: readonly VolumeSourceName[] = Object.keys(VOLUME_SOURCES) as VolumeSourceName[];
const CHECKED_AS: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };
const REFUSED_AS: Readonly<Record<string, string>> = { cephfs: "cephFS" };
const MORE_THAN_ONE = "may not specify more than 1 volume type";
const INLINE = "in the context of inline volumes";

export function volumeSpec(
  errors: Errors,
  spec: core.PersistentVolumeSpec,
  volumeName: string,
  path: Path,
  { isInline = false, invalidAffinityValues = false }: VolumeAllowances = {},
): void {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy, nodeAffinity, volumeMode } = spec;
  if (isInline) notInline(errors, spec, path);
  if (accessModes.length === 0) errors.push(field.required(path.child("accessModes"), ""));
  checkAccessModes(errors, accessModes, path.child("accessModes"));
  if (!isInline) capacity(errors, spec.capacity, path.child("capacity"));
  const policyPath = path.child("persistentVolumeReclaimPolicy");
  if (policy) {
    if (!isInline) oneOf(errors, policy, policyPath, ["Delete", "Recycle", "Retain"]);
    else if (policy !== "Retain") errors.push(field.forbidden(policyPath, `may only be Retain ${INLINE}`));
  }
  if (nodeAffinity !== undefined) {
    const at = path.child("nodeAffinity");
    if (isInline) errors.push(field.forbidden(at, `may not be specified ${INLINE}`));
    else affinity(errors, nodeAffinity, at, invalidAffinityValues);
  }
  sources(errors, spec, volumeName, path, nodeAffinity !== undefined && !isInline);
  if (spec.hostPath !== undefined && cleaned(spec.hostPath.path ?? "") === "/" && policy === "Recycle") {
    errors.push(field.forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (spec.storageClassName) {
    const at = path.child("storageClassName");
    if (isInline) errors.push(field.forbidden(at, `may not be specified ${INLINE}`));
    else name(errors, spec.storageClassName, at, isDns1123Subdomain);
  }
  if (volumeMode !== undefined) {
    const at = path.child("volumeMode");
    if (!isInline) oneOf(errors, volumeMode, at, ["Block", "Filesystem"]);
    else if (volumeMode !== "Filesystem") {
      errors.push(field.forbidden(at, `may not specify volumeMode other than Filesystem ${INLINE}`));
    }
  }
  if (!isInline) attributesClass(errors, spec, path);
}

function notInline(errors: Errors, spec: core.PersistentVolumeSpec, path: Path): void {
  if (spec.claimRef !== undefined)
    errors.push(field.forbidden(path.child("claimRef"), `may not be specified ${INLINE}`));
  if (Object.keys(spec.capacity ?? {}).length > 0) {
    errors.push(field.forbidden(path.child("capacity"), `may not be specified ${INLINE}`));
  }
  if (spec.csi === undefined) errors.push(field.required(path.child("csi"), `has to be specified ${INLINE}`));
}

function capacity(errors: Errors, given: Readonly<Record<string, string>> | undefined, path: Path): void {
  const amounts = given ?? {};
  const names = Object.keys(amounts).sort();
  if (names.length === 0) errors.push(field.required(path, ""));
  if (names.length !== 1 || names[0] !== "storage") {
    const printed = Object.fromEntries(names.map((resource) => [resource, amount(amounts[resource] ?? "").toString()]));
    errors.push(field.notSupported(path, given === undefined ? null : printed, ["storage"]));
  }
  for (const resource of names) {
    const quantity = amount(amounts[resource] ?? "");
    const at = path.key(resource);
    if (quantity.sign < 0) errors.push(field.invalid(at, quantity.value(), "must be a valid resource quantity"));
    if (quantity.sign <= 0) errors.push(field.invalid(at, quantity.toString(), "must be greater than zero"));
  }
}

function affinity(errors: Errors, { required }: core.VolumeNodeAffinity, path: Path, allowsValues: boolean): void {
  if (required !== undefined) nodeSelector(errors, required, path.child("required"), allowsValues);
  else errors.push(field.required(path.child("required"), "must specify required node constraints"));
}

function sources(
  errors: Errors,
  spec: core.PersistentVolumeSpec,
  volumeName: string,
  path: Path,
  hasAffinity: boolean,
): void {
  let count = 0;
  for (const source of SOURCE_NAMES) {
    const value = spec[source];
    if (value === undefined) continue;
    // As upstream, a FlexVolume is checked even if it is the second source.
    if (count++ > 0 && source !== "flexVolume") {
      errors.push(field.forbidden(path.child(REFUSED_AS[source] ?? source), MORE_THAN_ONE));
      continue;
    }
    const check = VOLUME_SOURCES[source] as SpecSource<unknown>;
    check(errors, value, path.child(CHECKED_AS[source] ?? source), volumeName);
    if (source === "local" && !hasAffinity) {
      errors.push(field.required(path.child("nodeAffinity"), "Local volume requires node affinity"));
    }
  }
  if (count === 0) errors.push(field.required(path, "must specify a volume type"));
}

function attributesClass(errors: Errors, spec: core.PersistentVolumeSpec, path: Path): void {
  const { volumeAttributesClassName: className } = spec;
  if (className === undefined) return;
  const at = path.child("volumeAttributesClassName");
  if (className === "") errors.push(field.required(at, "an empty string is disallowed"));
  else name(errors, className, at, isDns1123Subdomain);
  if (spec.csi === undefined) {
    errors.push(field.required(path.child("csi"), "has to be specified when using volumeAttributesClassName"));
  }
}

/** Like Go's path.Clean, as far as needed here. */
function cleaned(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return path.startsWith("/") ? `/${parts.join("/")}` : parts.join("/");
}

/** Sources whose plugins support mount options. */
const WITH_MOUNT_OPTIONS = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

export function mountOptions(errors: Errors, { metadata, spec = {} }: core.PersistentVolume): void {
  const annotation = "volume.beta.kubernetes.io/mount-options";
  if (metadata?.annotations?.[annotation] === undefined) return;
  if (WITH_MOUNT_OPTIONS.some((source) => spec[source] !== undefined)) return;
  const path = field.newPath("metadata").child("annotations", annotation);
  errors.push(field.forbidden(path, "may not specify mount options for this volume type"));
}
