// Persistent volumes. Upstream: pkg/registry/core/persistentvolume/strategy.go; pkg/apis/core/validation;
// pkg/apis/core/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain, isLabelValue } from "#api/names.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE } from "#kinds/parts/checks.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import { all, inner, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, orUnset, printer } from "#kinds/parts/printer.ts";
import { diffJson } from "#kinds/parts/unified-diff.ts";
import { deprecatedNodeLabel } from "#kinds/pod-spec/pod-warnings.ts";
import { persistentVolumeSource } from "#kinds/pod-spec/volume-defaults.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { accessModes, amount, classOf } from "./volume-columns.ts";
import { mountOptions, SOURCE_NAMES, type VolumeAllowances, type VolumeSourceName, volumeSpec } from "./volume-spec.ts";

const SPEC = field.newPath("spec");
const METADATA = field.newPath("metadata");

const defaults: Rule = all(
  inner("status", zero({ phase: "Pending" })),
  inner(
    "spec",
    all(
      zero({ persistentVolumeReclaimPolicy: "Retain" }),
      nil({ volumeMode: "Filesystem" }),
      quantities("capacity"),
      persistentVolumeSource,
    ),
  ),
);

function checkVolume(
  errors: Errors,
  { metadata = {}, spec = {} }: core.PersistentVolume,
  allowed: VolumeAllowances,
): void {
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  volumeSpec(errors, spec, metadata.name ?? "", SPEC, allowed);
}

function validate(volume: core.PersistentVolume, allowed: VolumeAllowances = {}): field.FieldError[] {
  const errors: Errors = [];
  checkVolume(errors, volume, allowed);
  mountOptions(errors, volume);
  return errors;
}

function validateUpdate(
  volume: core.PersistentVolume,
  old: core.PersistentVolume,
  { gates }: StrategyContext,
): field.FieldError[] {
  const allowed = { invalidAffinityValues: hasInvalidValues(old.spec?.nodeAffinity?.required) };
  const errors = validate(volume, allowed);
  checkVolume(errors, volume, allowed); // upstream checks it twice
  const { spec = {} } = volume;
  const { spec: oldSpec = {} } = old;
  const [source, oldSource] = [sourceOf(withoutNewSecret(spec, oldSpec)), sourceOf(oldSpec)];
  if (!semanticEqual(source, oldSource)) {
    const diff = diffJson(internalSource(oldSource), internalSource(source));
    const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    errors.push(field.forbidden(SPEC.child("persistentvolumesource"), detail));
  }
  if (spec.volumeMode !== oldSpec.volumeMode) {
    errors.push(field.invalid(field.newPath("volumeMode"), spec.volumeMode ?? null, IMMUTABLE));
  }
  if (!gates.isEnabled("MutablePVNodeAffinity") && oldSpec.nodeAffinity !== undefined) {
    affinityUpdate(errors, spec.nodeAffinity, oldSpec.nodeAffinity);
  }
  if (oldSpec.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    const path = SPEC.child("volumeAttributesClassName");
    errors.push(field.forbidden(path, "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

type Source = Pick<core.PersistentVolumeSpec, VolumeSourceName>;

function sourceOf(spec: core.PersistentVolumeSpec): Source {
  return Object.fromEntries(SOURCE_NAMES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

const NO_SOURCE = [
  "Capacity",
  "AccessModes",
  "ClaimRef",
  "PersistentVolumeReclaimPolicy",
  "StorageClassName",
  "MountOptions",
  "VolumeMode",
  "NodeAffinity",
  "VolumeAttributesClassName",
];

function internalSource(source: Source): Readonly<Record<string, unknown>> {
  const form = Object.entries(internalForm("PersistentVolumeSpec", source));
  return Object.fromEntries(form.filter(([name]) => !NO_SOURCE.includes(name)));
}

/** Ignores a controllerExpandSecretRef that the update adds, which is allowed. */
function withoutNewSecret(spec: core.PersistentVolumeSpec, old: core.PersistentVolumeSpec): core.PersistentVolumeSpec {
  const isNew = old.csi !== undefined && old.csi.controllerExpandSecretRef === undefined;
  if (!isNew || spec.csi?.controllerExpandSecretRef === undefined) return spec;
  return { ...spec, csi: put(spec.csi, "controllerExpandSecretRef", undefined) };
}

const STABLE_LABELS: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** A beta label may be replaced by its stable successor. */
function affinityUpdate(
  errors: Errors,
  affinity: core.VolumeNodeAffinity | undefined,
  old: core.VolumeNodeAffinity,
): void {
  const terms = affinity?.required?.nodeSelectorTerms ?? [];
  const follow = (
    requirements: readonly core.NodeSelectorRequirement[] | undefined,
    now: readonly core.NodeSelectorRequirement[] | undefined,
  ) =>
    requirements?.map((requirement, i) => {
      const key = now?.[i]?.key ?? "";
      // Upstream's lookup yields "" for a label without a successor.
      return (STABLE_LABELS[requirement.key ?? ""] ?? "") === key ? { ...requirement, key } : requirement;
    });
  const followed: core.VolumeNodeAffinity = put(
    old,
    "required",
    old.required === undefined
      ? undefined
      : {
          ...old.required,
          nodeSelectorTerms: (old.required.nodeSelectorTerms ?? []).map((term, i) => {
            const expressions = follow(term.matchExpressions, terms[i]?.matchExpressions);
            const fields = follow(term.matchFields, terms[i]?.matchFields);
            return put(put(term, "matchExpressions", expressions), "matchFields", fields);
          }),
        },
  );
  if (semanticEqual(affinity, followed)) return;
  const value = affinity === undefined ? null : internalForm("VolumeNodeAffinity", affinity);
  const detail = `${IMMUTABLE}, except for updating from beta label to GA`;
  errors.push(field.invalid(field.newPath("nodeAffinity"), value, detail));
}

function hasInvalidValues(selector: core.NodeSelector | undefined): boolean {
  return (selector?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) => values.some((value) => isLabelValue(value).length > 0)),
  );
}

const DEPRECATED_ANNOTATIONS: readonly (readonly [string, string])[] = [
  ["volume.beta.kubernetes.io/storage-class", 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ["volume.beta.kubernetes.io/mount-options", 'deprecated since v1.31; use "mountOptions" attribute instead'],
];
const DEPRECATED_SOURCES: readonly (readonly [keyof core.PersistentVolumeSpec, string, string])[] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function warnings({ metadata, spec = {} }: core.PersistentVolume): string[] {
  const found: string[] = [];
  for (const [key, advice] of DEPRECATED_ANNOTATIONS) {
    if (metadata?.annotations?.[key] !== undefined) found.push(`${METADATA.child("annotations").key(key)}: ${advice}`);
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const advice = "Instead, the recommended approach is to use dynamic provisioning.";
    found.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${advice}`);
  }
  const terms = SPEC.child("nodeAffinity", "required", "nodeSelectorTerms");
  spec.nodeAffinity?.required?.nodeSelectorTerms?.forEach(({ matchExpressions = [] }, i) => {
    matchExpressions.forEach(({ key = "" }, j) => {
      const advice = deprecatedNodeLabel(key);
      const at = terms.index(i).child("matchExpressions").index(j).child("key");
      if (advice !== undefined) found.push(`${at}: ${key} is ${advice}`);
    });
  });
  for (const [source, printed, advice] of DEPRECATED_SOURCES) {
    if (spec[source] !== undefined) found.push(`${SPEC.child(printed)}: ${advice}`);
  }
  return found;
}

/** The server sets the time of the last phase transition, unless the client sets another one. */
function prepareStatus(
  volume: core.PersistentVolume,
  old: core.PersistentVolume,
  { now }: StrategyContext,
): core.PersistentVolume {
  const { status = {} } = volume;
  const time = status.lastPhaseTransitionTime;
  const oldTime = old.status?.lastPhaseTransitionTime;
  const isKept = status.phase === old.status?.phase;
  const isUntouched = time === undefined || (!isKept && time === oldTime);
  const newTime = isUntouched ? (isKept ? oldTime : formatTime(now)) : time;
  const prepared = put(status, "lastPhaseTransitionTime", newTime);
  return put(put(volume, "spec", old.spec), "status", prepared);
}

function validateStatusUpdate(volume: core.PersistentVolume, old: core.PersistentVolume): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, volume.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (!volume.metadata?.resourceVersion) errors.push(field.required(field.newPath("resourceVersion"), ""));
  return errors;
}

const strategy = kindStrategy<core.PersistentVolume>({
  resetFields: [["status"]],
  prepareForCreate: (volume, { now }) => ({
    ...volume,
    status: { phase: "Pending", lastPhaseTransitionTime: formatTime(now) },
  }),
  validate: (volume) => validate(volume),
  warningsOnCreate: warnings,
  prepareForUpdate: (volume, old) => put(volume, "status", old.status),
  validateUpdate,
  warningsOnUpdate: warnings,
  subresources: {
    status: { prepareForUpdate: prepareStatus, validateUpdate: validateStatusUpdate, resetFields: [["spec"]] },
  },
});

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

export const persistentVolume: Kind<core.PersistentVolume> = {
  key: "persistentvolumes",
  strategy,
  defaults,
  printer: printer(
    "Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode*",
    volumeCells,
  ),
  returnsDeletedObject: true,
};
