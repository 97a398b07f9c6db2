// Persistent volume claims. Upstream: pkg/registry/core/persistentvolumeclaim/strategy.go; pkg/apis/core/v1/defaults.go

import type * as core from "#api/generated/types/core-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import { all, inner, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, orUnset, printer } from "#kinds/parts/printer.ts";
import { claimSpec } from "#kinds/pod-spec/volume-defaults.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { accessModes, amount, classOf } from "./volume-columns.ts";

export const claimDefaults: Rule = all(
  inner("status", all(zero({ phase: "Pending" }), quantities("capacity"), quantities("allocatedResources"))),
  inner("spec", claimSpec),
);

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

export const persistentVolumeClaim: SchemaOnlyKind<core.PersistentVolumeClaim> = {
  key: "persistentvolumeclaims",
  // The phase is a default, which upstream applies to what it reads from the store.
  strategy: schemaOnly({ newStatus: () => ({ phase: "Pending" }) }),
  defaults: claimDefaults,
  printer: printer(
    "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode*",
    claimCells,
  ),
  returnsDeletedObject: true,
};
