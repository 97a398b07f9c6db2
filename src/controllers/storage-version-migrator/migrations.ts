// Which migration of a resource runs, must be finished, or begins next; and its conditions.
// Upstream: pkg/controller/storageversionmigrator/migrationrunner.go, getSVMsForResource; util.go.

import type { StorageVersionMigration } from "#api/generated/types/storagemigration-v1beta1.ts";
import type { Condition } from "#api/meta.ts";
import type { StoredCluster } from "#api/resource.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { findCondition } from "#kit/conditions.ts";
import { compareText } from "#kit/order.ts";

export type Migration = StoredCluster<StorageVersionMigration>;

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export function resourceOf({ spec }: Migration): GroupResource {
  const { group = "", resource = "" } = spec?.resource ?? {};
  return { group, resource };
}

const isTrue = ({ status }: Migration, type: string): boolean =>
  findCondition(status?.conditions ?? [], type)?.status === "True";

export const isRunning = (migration: Migration): boolean => isTrue(migration, "Running");
export const hasSucceeded = (migration: Migration): boolean => isTrue(migration, "Succeeded");
export const isTerminal = (migration: Migration): boolean => hasSucceeded(migration) || isTrue(migration, "Failed");

export interface NextMigration {
  /** Migrations that have ended and still have the condition Running. */
  readonly ended: readonly Migration[];
  /** The oldest waiting migration, when none runs. */
  readonly next: Migration | undefined;
}

/** Of the migrations of one resource at most one runs at a time. */
export function nextMigration(migrations: readonly Migration[]): NextMigration {
  const ended = migrations.filter((migration) => isRunning(migration) && isTerminal(migration));
  const isBusy = migrations.some((migration) => isRunning(migration) && !isTerminal(migration));
  const waiting = migrations.filter((migration) => !isRunning(migration) && !isTerminal(migration));
  return { ended, next: isBusy ? undefined : waiting.toSorted(oldestFirst)[0] };
}

function oldestFirst(a: Migration, b: Migration): number {
  const created = ({ metadata }: Migration): number => timeOrUndefined(metadata.creationTimestamp) ?? 0;
  return created(a) - created(b) || compareText(a.metadata.name, b.metadata.name);
}

/** Sets the condition to True, unless the migration already has it as True or False. */
export function withNewCondition(
  migration: Migration,
  { type, reason, message }: Pick<Condition, "type" | "reason" | "message">,
  nowMs: EpochMs,
): Migration {
  const { conditions = [] } = migration.status ?? {};
  const known = findCondition(conditions, type)?.status;
  if (known === "True" || known === "False") return migration;
  const condition = { type, status: "True", lastTransitionTime: formatTime(nowMs), reason, message };
  return { ...migration, status: { ...migration.status, conditions: [...conditions, condition] } };
}

export function succeeded(migration: Migration, nowMs: EpochMs): Migration {
  return withNewCondition(
    migration,
    { type: "Succeeded", reason: "StorageVersionMigrationSucceeded", message: "" },
    nowMs,
  );
}

export function failed(migration: Migration, message: string, nowMs: EpochMs): Migration {
  return withNewCondition(migration, { type: "Failed", reason: "StorageVersionMigrationFailed", message }, nowMs);
}

export function started(migration: Migration, nowMs: EpochMs): Migration {
  const message = "The migration is running";
  return withNewCondition(migration, { type: "Running", reason: "MigrationRunning", message }, nowMs);
}

/** The migration with its Running condition ended. */
export function stopped(migration: Migration, nowMs: EpochMs): Migration {
  const { generation: observedGeneration } = migration.metadata;
  const conditions = (migration.status?.conditions ?? []).map((condition) =>
    condition.type === "Running"
      ? {
          type: "Running",
          status: "False",
          ...(observedGeneration ? { observedGeneration } : {}),
          lastTransitionTime: formatTime(nowMs),
          reason: "MigrationCompleted",
          message: "Migration completed",
        }
      : condition,
  );
  return { ...migration, status: { ...migration.status, conditions } };
}

const YOUTH_MS = 60_000;

/** True if a missing kind may still appear: discovery is refreshed every 30 seconds. */
export function isYoung({ metadata }: Migration, nowMs: EpochMs): boolean {
  return (timeOrUndefined(metadata.creationTimestamp) ?? 0) + YOUTH_MS > nowMs;
}
