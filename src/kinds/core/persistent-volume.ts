// Persistent volumes. Upstream: pkg/registry/core/persistentvolume/strategy.go; pkg/apis/core/v1/defaults.go

import type * as core from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import { all, inner, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, orUnset, printer } from "#kinds/parts/printer.ts";
import { persistentVolumeSource } from "#kinds/pod-spec/volume-defaults.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { accessModes, amount, classOf } from "./volume-columns.ts";

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

export const persistentVolume: SchemaOnlyKind<core.PersistentVolume> = {
  key: "persistentvolumes",
  strategy: schemaOnly({ newStatus: (now) => ({ phase: "Pending", lastPhaseTransitionTime: formatTime(now) }) }),
  defaults,
  printer: printer(
    "Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode*",
    volumeCells,
  ),
  returnsDeletedObject: true,
};
