// Records the resource version at which a migration began: objects written later need no migration.
// Upstream: pkg/controller/storageversionmigrator/resourceversion.go.

import { apiVersionOf } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { compareResourceVersions } from "#api/resource-version.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import type { ApiResource, Discovery } from "#client/discovery.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { goName, migratedResource } from "./migrated-resource.ts";
import { failed, isRunning, isTerminal, isYoung, type Migration } from "./migrations.ts";

const VERBS = ["update", "patch", "list"];
/** No namespace can have this name: the list is empty, but has a resource version. */
const NO_NAMESPACE = "@fake:svm_ns!";

export interface NotingDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly restMapper: RestMapper;
  readonly discovery: Discovery;
  readonly migrations: SharedInformer<Migration>;
  readonly migrationsApi: ResourceClient<Migration>;
  /** With the higher limits of migrations. */
  readonly client: Client;
}

export async function noteResourceVersion(name: string, deps: NotingDeps, signal: AbortSignal): Promise<SyncResult> {
  const migration = deps.migrations.lister.get(name);
  if (migration === undefined || !isRunning(migration) || isTerminal(migration)) return done;
  if (migration.status?.resourceVersion) return done;
  const { clock, log } = deps;
  const fail = async (message: string): Promise<SyncResult> => {
    await deps.migrationsApi.updateStatus({ object: failed(migration, message, clock.now()) }, signal);
    return done;
  };
  const resource = await migratedResource(migration, deps.restMapper, signal);
  if (resource === undefined) {
    if (!isYoung(migration, clock.now())) return fail("resource does not exist in discovery");
    throw new Error("resource does not exist in our rest mapper, requeuing to attempt again");
  }
  if (!(await isMigratable(resource, deps, signal))) {
    const message = `resource "${goName(resource)}" does not support discovery operations: [${VERBS.join(" ")}]`;
    log.error(new Error(message), "resource is not able to be migrated, not retrying", { gvr: goName(resource) });
    return fail(message);
  }
  const resourceVersion = await latestResourceVersion(resource, deps, signal);
  try {
    compareResourceVersions(resourceVersion, resourceVersion);
  } catch (error) {
    return fail(`latest resourceVersion for ${goName(resource)} is not valid: ${errorMessage(error)}`);
  }
  const object = { ...migration, status: { ...migration.status, resourceVersion } };
  await deps.migrationsApi.updateStatus({ object }, signal);
  return done;
}

async function isMigratable(resource: Resource, deps: NotingDeps, signal: AbortSignal): Promise<boolean> {
  try {
    const { verbs } = await discovered(resource, deps, signal);
    return VERBS.every((verb) => verbs.includes(verb));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function discovered(resource: Resource, { discovery }: NotingDeps, signal: AbortSignal): Promise<ApiResource> {
  const { resources } = await discovery.resourcesOf(apiVersionOf(resource), signal);
  const found = resources.find(({ name }) => name === resource.resource);
  if (found === undefined) throw new Error(`resource "${goName(resource)}" not found in discovery`);
  return found;
}

async function latestResourceVersion(resource: Resource, deps: NotingDeps, signal: AbortSignal): Promise<string> {
  const { namespaced } = await discovered(resource, deps, signal);
  try {
    const api = deps.client.metadata<StoredObject>(resource);
    const { metadata } = await api.list({ limit: 1, ...(namespaced ? { namespace: NO_NAMESPACE } : {}) }, signal);
    return metadata?.resourceVersion ?? "";
  } catch (cause) {
    if (signal.aborted) throw cause;
    const message = `error getting latest resourceVersion for ${goName(resource)}: ${errorMessage(cause)}`;
    throw new Error(message, { cause });
  }
}
