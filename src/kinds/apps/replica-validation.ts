// Status validation and columns shared by ReplicaSets and ReplicationControllers.
// Upstream: pkg/apis/apps/validation, ValidateReplicaSetStatus; pkg/apis/core/validation, ValidateReplicationControllerStatusUpdate

import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type Errors, nonNegative } from "#kinds/parts/checks.ts";
import { objectMetaUpdate } from "#kinds/parts/metadata.ts";

const METADATA = field.newPath("metadata");
const STATUS = field.newPath("status");

interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly terminatingReplicas?: number;
}

export function validateReplicaStatusUpdate(
  object: core.ReplicationController | apps.ReplicaSet,
  old: core.ReplicationController | apps.ReplicaSet,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  const status: ReplicaStatus = object.status ?? {};
  const counts = [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
  ] as const;
  for (const part of [...counts, "terminatingReplicas"] as const) nonNegative(errors, status[part], STATUS.child(part));
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const part of ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const) {
    const count = status[part] ?? 0;
    if (count > replicas)
      errors.push(field.invalid(STATUS.child(part), count, "cannot be greater than status.replicas"));
  }
  if (availableReplicas > readyReplicas) {
    const detail = "cannot be greater than readyReplicas";
    errors.push(field.invalid(STATUS.child("availableReplicas"), availableReplicas, detail));
  }
  return errors;
}

export const REPLICA_COLUMNS = "Name|Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*";
