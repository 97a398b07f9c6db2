// The migration status in a custom resource's definition, as an applied status.
// Upstream: pkg/controller/storageversionmigrator/migrationrunner.go, markAsActive, finishCRDMigration.

import type { CustomResourceDefinition } from "#api/generated/types/apiextensions-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { findCondition } from "#kit/conditions.ts";

type Definition = StoredCluster<CustomResourceDefinition>;
type Status = NonNullable<CustomResourceDefinition["status"]>;
export type DefinitionStatus = Pick<Status, "conditions"> & Partial<Pick<Status, "storedVersions">>;

const TYPE = "StorageMigrating";

export function migrating(definition: Definition, migration: string, nowMs: EpochMs): DefinitionStatus {
  const message = `Migration ${migration} is running`;
  return { conditions: [condition(definition, "True", "MigrationRunning", message, nowMs)] };
}

/**
 * storedVersions becomes the one storage version if the definition is the same as at the start. As upstream, this also
 * happens after a failed migration.
 */
export function migrated(definition: Definition, isSuccess: boolean, nowMs: EpochMs): DefinitionStatus {
  const { generation = 0 } = definition.metadata;
  const before = findCondition(definition.status?.conditions ?? [], TYPE);
  const isSame = before !== undefined && (before.observedGeneration ?? 0) === generation;
  const updated = isSame
    ? "and the stored versions have been updated"
    : "but the stored versions have not been updated due to a generation mismatch";
  const [reason, message] = isSuccess
    ? ["MigrationSucceeded", `The migration has succeeded ${updated}`]
    : ["MigrationFailed", "The migration has failed"];
  const storage = definition.spec.versions.find(({ storage }) => storage)?.name;
  return {
    conditions: [condition(definition, "False", reason, message, nowMs)],
    ...(isSame && storage !== undefined ? { storedVersions: [storage] } : {}),
  };
}

function condition(
  { metadata: { generation } }: Definition,
  status: string,
  reason: string,
  message: string,
  nowMs: EpochMs,
): NonNullable<DefinitionStatus["conditions"]>[number] {
  const observedGeneration = generation ?? 0;
  return { type: TYPE, status, lastTransitionTime: formatTime(nowMs), reason, message, observedGeneration };
}
