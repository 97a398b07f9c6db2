// Persistent volume claims. Upstream: pkg/registry/core/persistentvolumeclaim/strategy.go; pkg/apis/core/v1/defaults.go;
// pkg/api/persistentvolumeclaim/util.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import { all, inner, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, orUnset, printer } from "#kinds/parts/printer.ts";
import { fractional } from "#kinds/pod-spec/pod-warnings.ts";
import { claimSpec } from "#kinds/pod-spec/volume-defaults.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { CLASS_ANNOTATION, validateClaim, validateClaimStatus, validateClaimUpdate } from "./claim-validation.ts";
import { accessModes, amount, classOf } from "./volume-columns.ts";

export const claimDefaults: Rule = all(
  inner("status", all(zero({ phase: "Pending" }), quantities("capacity"), quantities("allocatedResources"))),
  inner("spec", claimSpec),
);

/** Drops data sources that a disabled gate forbids, and data sources of unknown kinds. */
function knownSources(
  spec: core.PersistentVolumeClaimSpec,
  old: core.PersistentVolumeClaimSpec | undefined,
  { gates }: StrategyContext,
): core.PersistentVolumeClaimSpec {
  const isForeign = Boolean(spec.dataSourceRef?.namespace) && !gates.isEnabled("CrossNamespaceVolumeDataSource");
  const known = isForeign && old?.dataSourceRef === undefined ? put(spec, "dataSourceRef", undefined) : spec;
  const hadSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  const isDropped = !hadSource && known.dataSourceRef === undefined && !isClaimOrSnapshot(known.dataSource);
  return bothSources(isDropped ? put(known, "dataSource", undefined) : known);
}

function isClaimOrSnapshot(source: core.TypedLocalObjectReference | undefined): boolean {
  const { kind, apiGroup } = source ?? {};
  // Go writes null for an absent group.
  if (kind === "PersistentVolumeClaim") return !apiGroup;
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}

/** Copies dataSource to dataSourceRef, or the other way round. */
function bothSources(spec: core.PersistentVolumeClaimSpec): core.PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) return { ...spec, dataSourceRef: copied(dataSource) };
  if (dataSourceRef === undefined || dataSource !== undefined || dataSourceRef.namespace) return spec;
  return { ...spec, dataSource: copied(dataSourceRef) };
}

function copied({ apiGroup, kind, name }: core.TypedLocalObjectReference): core.TypedLocalObjectReference {
  return { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
}

function warnings({ metadata, spec }: core.PersistentVolumeClaim): string[] {
  const found: string[] = [];
  if (metadata?.annotations?.[CLASS_ANNOTATION] !== undefined) {
    const path = field.newPath("metadata").child("annotations").key(CLASS_ANNOTATION);
    found.push(`${path}: deprecated since v1.8; use "storageClassName" attribute instead`);
  }
  const path = field.newPath("spec").child("resources");
  fractional(found, spec?.resources?.requests, "storage", path.child("requests"));
  fractional(found, spec?.resources?.limits, "storage", path.child("limits"));
  return found;
}

const strategy = kindStrategy<core.PersistentVolumeClaim>({
  resetFields: [["status"]],
  prepareForCreate: (claim, ctx) =>
    put({ ...claim, spec: knownSources(claim.spec ?? {}, undefined, ctx) }, "status", undefined),
  // Upstream defaults the phase of objects that it reads from storage.
  canonicalize: (claim) => (claim.status?.phase ? claim : { ...claim, status: { ...claim.status, phase: "Pending" } }),
  validate: (claim) => validateClaim(claim, {}),
  warningsOnCreate: warnings,
  prepareForUpdate: (claim, old, ctx) =>
    put({ ...claim, spec: knownSources(claim.spec ?? {}, old.spec, ctx) }, "status", old.status),
  validateUpdate: (claim, old) => validateClaimUpdate(claim, { ...old, spec: bothSources(old.spec ?? {}) }),
  warningsOnUpdate: warnings,
  subresources: {
    status: {
      prepareForUpdate: (claim, old) => put(claim, "spec", old.spec),
      validateUpdate: validateClaimStatus,
      resetFields: [["spec"]],
    },
  },
});

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

export const persistentVolumeClaim: Kind<core.PersistentVolumeClaim> = {
  key: "persistentvolumeclaims",
  strategy,
  defaults: claimDefaults,
  printer: printer(
    "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode*",
    claimCells,
  ),
  returnsDeletedObject: true,
};
