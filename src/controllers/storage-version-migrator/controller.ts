/**
 * Rewrites all objects of a resource, so that none is left in an old storage version.
 *
 * Keeps true:  of the migrations of a resource one runs at a time, the oldest first; when it has succeeded, every
 *              object has been written since it began, and a custom resource's definition lists one stored version.
 * Requeues:    failures with back-off, or after the server's Retry-After.
 * Upstream:    pkg/controller/storageversionmigrator; cmd/kube-controller-manager/app/storageversionmigrator.go.
 * Deviations:  objects are written in the order of their names; a cache is used as far as it has been filled.
 */

import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { StorageVersionMigrations } from "#api/generated/resources/storagemigration-v1beta1.ts";
import { suggestsClientDelay } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { createDiscovery } from "#client/discovery.ts";
import { anyResource, get, list, patch, update } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import { requeueAfter, type Sync } from "#kit/worker-loop.ts";
import { defaultControllerLimiter, type RateLimiter } from "#workqueue/rate-limiters.ts";
import { migrate } from "./migrate.ts";
import { type GroupResource, resourceOf } from "./migrations.ts";
import { noteResourceVersion } from "./note-resource-version.ts";
import { runMigrations } from "./run-migrations.ts";

const NAME = "storage-version-migrator-controller";
const MIGRATORS = 5;
const RETRY_VERBOSITY = 2;

export interface StorageVersionMigratorOptions {
  /** --enable-garbage-collector */
  readonly hasGarbageCollector: boolean;
}

export const storageVersionMigrator: ControllerDescriptor<StorageVersionMigratorOptions> = {
  name: NAME,
  contract: {
    watches: [StorageVersionMigrations],
    reads: [get(CustomResourceDefinitions), list(anyResource)],
    writes: [
      update(StorageVersionMigrations, "status"),
      patch(CustomResourceDefinitions, "status"),
      patch(anyResource),
    ],
  },
  async build(context, { hasGarbageCollector }) {
    const { gates } = context;
    if (!gates.isEnabled("StorageVersionMigrator") || !gates.isEnabled("InformerResourceVersion")) return undefined;
    if (!hasGarbageCollector) throw new Error("storage version migrator requires garbage collector");
    if (!gates.isEnabled("InOrderInformers")) {
      throw new Error("storage version migrator requires the InOrderInformers feature gate to be enabled");
    }
    return await buildMigrator(context);
  },
};

async function buildMigrator(context: ControllerContext): Promise<Controller> {
  const { clock, restMapper, monitored } = context;
  const parts = await controllerParts(context, NAME);
  const { log, identity } = parts;
  // A migration makes as many requests as there are objects.
  const client = await context.client(identity, { qpsFactor: 20, burstFactor: 100 });
  const migrations = parts.informer(StorageVersionMigrations);
  const common = {
    clock,
    log,
    restMapper,
    monitored,
    client,
    migrations,
    migrationsApi: parts.client.resource(StorageVersionMigrations),
    definitionsApi: client.resource(CustomResourceDefinitions),
    discovery: createDiscovery(await context.client(identity, { isDiscovery: true })),
    rng: context.rng.fork(identity),
  };
  const limiter = defaultControllerLimiter(clock);
  const migrating = parts.queue<string>({ name: NAME, rateLimiter: limiter });
  parts.enqueue(migrations, migrating, { on: ["add", "update"] });
  const noting = parts.queue<string>({ name: "resource-version-controller" });
  parts.enqueue(migrations, noting, { on: ["add", "update"] });
  const running = parts.queue<GroupResource>({
    name: "resource-version-controller",
    text: ({ group, resource }) => (group === "" ? resource : `${resource}.${group}`),
  });
  parts.enqueue(migrations, running, { key: resourceOf });

  const sync: Sync<string> = (name, signal) => migrate(name, common, signal);
  parts.work({
    queue: migrating,
    workers: MIGRATORS,
    sync: whenServerAllows(sync, limiter),
    retryVerbosity: RETRY_VERBOSITY,
  });
  parts.work({
    queue: noting,
    sync: (name, signal) => noteResourceVersion(name, common, signal),
    retryVerbosity: RETRY_VERBOSITY,
  });
  parts.work({ queue: running, sync: (resource, signal) => runMigrations(resource, common, signal) });
  return parts.controller();
}

/** Not before the server's Retry-After, and not before the end of the back-off. */
function whenServerAllows(sync: Sync<string>, limiter: RateLimiter): Sync<string> {
  return async (key, signal) => {
    try {
      return await sync(key, signal);
    } catch (error) {
      const seconds = suggestsClientDelay(error);
      if (seconds === undefined) throw error;
      const waitMs = Math.max(seconds * 1000, limiter.when(key));
      return requeueAfter(waitMs, errorMessage(error), { keepsFailures: true });
    }
  };
}
