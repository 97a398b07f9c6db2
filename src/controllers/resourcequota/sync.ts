// Syncs one quota: computes the usage of its namespace, and writes the status if it changed.
// Upstream: pkg/controller/resourcequota/resource_quota_controller.go, syncResourceQuota.

import type { ObjectKey } from "#api/object.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { calculateUsage } from "#rules/quota/calculate-usage.ts";
import type { QuotaContext } from "#rules/quota/evaluator.ts";
import type { QuotaRegistry } from "#rules/quota/registry.ts";
import type { QuotaMonitors } from "./monitors.ts";
import { newStatus, type StoredQuota } from "./status.ts";

export interface Deps {
  readonly quotas: SharedInformer<StoredQuota>;
  readonly quotasApi: Pick<ResourceClient<StoredQuota>, "updateStatus">;
  readonly registry: QuotaRegistry;
  readonly monitors: Pick<QuotaMonitors, "list">;
  readonly log: Logger;
  quotaContext(): QuotaContext;
}

export async function syncQuota(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { monitors, registry, log } = deps;
  const quota = deps.quotas.lister.get(key);
  if (quota === undefined) {
    log.info("Resource quota has been deleted", { key });
    return done;
  }
  const { spec, metadata } = quota;
  const { used, errors } = calculateUsage(
    { ...spec, hard: Object.keys(spec?.hard ?? {}) },
    registry,
    (resource) => monitors.list(resource, metadata.namespace),
    deps.quotaContext(),
  );
  // The computed part is written although the rest failed.
  const failures: unknown[] = [...errors];
  const status = newStatus(quota, used);
  if (status !== undefined) {
    try {
      await deps.quotasApi.updateStatus({ object: { ...quota, status } }, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 0) throw aggregate(failures);
  return done;
}
