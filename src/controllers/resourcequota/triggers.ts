// When quotas are computed: new ones and those with new limits first, those that limit a kind when an object of that
// kind may have freed usage, and all of them periodically.
// Upstream: pkg/controller/resourcequota/resource_quota_controller.go, addQuota, replenishQuota, enqueueAll.

import { ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { type Cause, type ChangeType, eventCause } from "#kit/trace.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import type { QuotaRegistry } from "#rules/quota/registry.ts";
import type { Change } from "./monitors.ts";
import { hasSameLimits, lacksUsage, type StoredQuota } from "./status.ts";

export interface TriggerDeps {
  readonly quotas: SharedInformer<StoredQuota>;
  readonly primary: KeyQueue<ObjectKey>;
  /** Quotas that admission cannot use yet. */
  readonly priority: KeyQueue<ObjectKey>;
  evaluators(): readonly QuotaEvaluator[];
  quotaContext(): QuotaContext;
}

export function handleQuotas(parts: ControllerParts, deps: TriggerDeps): void {
  const { quotas, primary, priority } = deps;
  const enqueue = (quota: StoredQuota, event: ChangeType): void => {
    const isUrgent = lacksUsage(quota, deps.evaluators(), deps.quotaContext());
    (isUrgent ? priority : primary).add(objectKey(quota), eventCause(ResourceQuotas, event, quota));
  };
  parts.handle(
    quotas,
    {
      onAdd: (quota) => enqueue(quota, "add"),
      // Only this controller and admission write the status.
      onUpdate: (old, quota) => {
        if (!hasSameLimits(old.spec?.hard, quota.spec?.hard)) enqueue(quota, "update");
      },
      onDelete: (quota) => primary.add(objectKey(quota), eventCause(ResourceQuotas, "delete", quota)),
    },
    { resyncPeriodMs: 0 },
  );
}

const RESYNC: Cause = { kind: "resync" };

export function enqueueAll({ quotas, primary }: Pick<TriggerDeps, "quotas" | "primary">): void {
  for (const quota of quotas.lister.list()) primary.add(objectKey(quota), RESYNC);
}

/** Queues the quotas of the namespace that limit resources of this kind. */
export function replenish(
  { resource, namespace }: Change,
  { quotas, primary, registry, quotaContext }: TriggerDeps & { readonly registry: QuotaRegistry },
): SyncResult {
  const evaluator = registry.get(resource);
  if (evaluator === undefined) return done;
  for (const quota of quotas.lister.list(undefined, namespace)) {
    const limited = Object.keys(quota.status?.hard ?? {});
    if (evaluator.matchingResources(limited, quotaContext()).length > 0) primary.add(objectKey(quota), RESYNC);
  }
  return done;
}
