/**
 * Computes the usage of the resources that a namespace's quotas limit. The API server charges creations; this
 * controller finds freed usage and corrects errors.
 *
 * Keeps true:  status.hard of each ResourceQuota is spec.hard, and status.used is the usage of these resources, as far
 *              as it can be computed.
 * Requeues:    all quotas every --resource-quota-sync-period; failures with back-off; discovery every 30 s.
 * Upstream:    pkg/controller/resourcequota; cmd/kube-controller-manager/app/core.go, newResourceQuotaController.
 * Deviations:  the first discovery happens when the controller starts, not when it is built; watches only metadata,
 *              unless another controller needs whole objects; a watch ends with its resource.
 */

import { PersistentVolumeClaims, Pods, ResourceQuotas, Services } from "#api/generated/resources/core-v1.ts";
import { DeviceClasses, ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import { SharedLock } from "#base/shared-lock.ts";
import { until } from "#base/wait.ts";
import { createDiscovery } from "#client/discovery.ts";
import { anyResource, update } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import type { Sync } from "#kit/worker-loop.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { QuotaRegistry } from "#rules/quota/registry.ts";
import { claimSources } from "./claim-sources.ts";
import { type Change, changeText, QuotaMonitors } from "./monitors.ts";
import { firstResources, syncResources, waitForMonitors } from "./resource-sync.ts";
import { syncQuota } from "./sync.ts";
import { enqueueAll, handleQuotas, replenish } from "./triggers.ts";

export interface ResourceQuotaOptions {
  /** --concurrent-resource-quota-syncs: the workers of each of the two queues. */
  readonly workers: number;
  /** --resource-quota-sync-period; 0: never. */
  readonly resyncPeriodMs: number;
}

const NAME = "resourcequota-controller";

export const resourceQuotaController: ControllerDescriptor<ResourceQuotaOptions> = {
  name: NAME,
  contract: {
    watches: [anyResource],
    reads: [],
    writes: [update(ResourceQuotas, "status")],
  },
  build: buildResourceQuotaController,
};

async function buildResourceQuotaController(
  context: ControllerContext,
  { workers, resyncPeriodMs }: ResourceQuotaOptions,
): Promise<Controller> {
  const { clock, gates, informers, informersStarted } = context;
  const parts = await controllerParts(context, NAME);
  const { client, identity, log } = parts;
  const discovery = createDiscovery(await context.client(identity, { isDiscovery: true }));
  const quotas = parts.informer(ResourceQuotas);
  // For these kinds the whole object is needed. Their caches are waited for like those of all other kinds.
  const pods = informers.informer(Pods);
  const claims = informers.informer(ResourceClaims);
  const whole = [pods, informers.informer(Services), informers.informer(PersistentVolumeClaims), claims];
  const registry = new QuotaRegistry(
    claimSources({
      pods,
      claims,
      classes: gates.isEnabled("DRAExtendedResource") ? informers.informer(DeviceClasses) : undefined,
    }),
  );
  const primary = parts.queue({ name: "resourcequota_primary" });
  const priority = parts.queue({ name: "resourcequota_priority" });
  const changes = parts.queue<Change>({
    name: "resource_quota_controller_resource_changes",
    text: changeText,
    equality: "identity",
  });
  const monitors = new QuotaMonitors({
    context,
    log,
    registry,
    whole,
    onChange: (change, cause) => changes.add(change, cause),
  });
  const quotaContext = (): QuotaContext => ({ now: clock.now(), gates });
  const evaluators = (): readonly QuotaEvaluator[] => registry.list();
  const deps = { quotas, primary, priority, evaluators, quotaContext };
  const syncDeps = { ...deps, registry, monitors, quotasApi: client.resource(ResourceQuotas), log };
  const lock = new SharedLock();
  const sync: Sync = (key, signal) => lock.together(() => syncQuota(key, syncDeps, signal));
  const resourceDeps = { clock, log, discovery, monitors, lock, informersStarted };

  handleQuotas(parts, deps);
  parts.fromStart(async (signal) => {
    await firstResources(resourceDeps, signal);
    await syncResources(resourceDeps, signal);
  });
  // Deviation: happens when the controller starts, so that the controller can be stopped while no server answers.
  parts.waitFor({ synced: (signal) => waitForMonitors(resourceDeps, signal) });
  parts.work({ queue: changes, sync: async (change) => replenish(change, { ...deps, registry }) });
  parts.work({ queue: primary, workers, sync });
  parts.work({ queue: priority, workers, sync });
  if (resyncPeriodMs > 0) parts.loop((signal) => until(() => enqueueAll(deps), resyncPeriodMs, clock, signal));
  else log.info("periodic quota controller resync disabled");
  return parts.controller();
}
