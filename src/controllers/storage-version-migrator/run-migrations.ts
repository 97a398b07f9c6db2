// Runs the migrations of one resource one after the other.
// Upstream: pkg/controller/storageversionmigrator/migrationrunner.go.

import type { CustomResourceDefinition } from "#api/generated/types/apiextensions-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { defaultRetry, retryOnError } from "#base/go-backoff.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { type DefinitionStatus, migrated, migrating } from "./definition-status.ts";
import {
  type GroupResource,
  hasSucceeded,
  type Migration,
  nextMigration,
  resourceOf,
  started,
  stopped,
} from "./migrations.ts";

type Definition = StoredCluster<CustomResourceDefinition>;

const FIELD_MANAGER = "migration-runner-controller";

export interface RunnerDeps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly migrations: SharedInformer<Migration>;
  readonly migrationsApi: ResourceClient<Migration>;
  readonly definitionsApi: ResourceClient<Definition>;
}

export async function runMigrations(wanted: GroupResource, deps: RunnerDeps, signal: AbortSignal): Promise<SyncResult> {
  const { clock, migrations, migrationsApi } = deps;
  const ofResource = migrations.lister.list().filter((migration) => {
    const { group, resource } = resourceOf(migration);
    return group === wanted.group && resource === wanted.resource;
  });
  const { ended, next } = nextMigration(ofResource);
  for (const migration of ended) {
    const isSuccess = hasSucceeded(migration);
    await applyStatus(wanted, (definition) => migrated(definition, isSuccess, clock.now()), deps, signal);
    await migrationsApi.updateStatus({ object: stopped(migration, clock.now()) }, signal);
  }
  if (next !== undefined) {
    const { name } = next.metadata;
    await applyStatus(wanted, (definition) => migrating(definition, name, clock.now()), deps, signal);
    await migrationsApi.updateStatus({ object: started(next, clock.now()) }, signal);
  }
  return done;
}

/** Does nothing for a resource that is not a custom resource. */
async function applyStatus(
  { group, resource }: GroupResource,
  statusOf: (definition: Definition) => DefinitionStatus,
  deps: RunnerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { definitionsApi } = deps;
  const name = `${resource}.${group}`;
  try {
    await definitionsApi.get({ name }, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const attempt = async (): Promise<void> => {
    const definition = await definitionsApi.get({ name }, signal);
    // With the resource version, so that the status applies to the definition that was read.
    const { resourceVersion } = definition.metadata;
    const object = { metadata: { name, resourceVersion }, status: statusOf(definition) };
    await definitionsApi.apply(
      { name, object, fieldManager: FIELD_MANAGER, force: true, subresource: "status" },
      signal,
    );
  };
  await retryOnError(defaultRetry, isConflict, attempt, deps, signal);
}
