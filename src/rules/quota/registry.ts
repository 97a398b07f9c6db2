// The evaluators of quota: those with special rules, and one that counts objects for any other kind.
// Upstream: pkg/quota/v1/install and evaluator/core/registry.go

import { type GroupResource, groupResourceText } from "#api/status-error.ts";
import type { QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { objectCountQuota } from "#rules/quota/object-count.ts";
import { podQuota } from "#rules/quota/pods.ts";
import { type ResourceClaimSources, resourceClaimQuota } from "#rules/quota/resource-claims.ts";
import { serviceQuota } from "#rules/quota/services.ts";
import { volumeClaimQuota } from "#rules/quota/volume-claims.ts";

const IGNORED: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
]);

/** Kinds that are not stored, and events: never counted. */
export function isIgnoredByQuota(resource: GroupResource): boolean {
  return IGNORED.has(groupResourceText(resource));
}

/** Core kinds that were counted under their name before count/ existed. */
const LEGACY = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

export class QuotaRegistry {
  readonly #evaluators = new Map<string, QuotaEvaluator>();

  constructor(sources: ResourceClaimSources) {
    const counted = LEGACY.map((resource) => objectCountQuota({ group: "", resource }, resource));
    for (const evaluator of [podQuota, serviceQuota, volumeClaimQuota, resourceClaimQuota(sources), ...counted]) {
      this.add(evaluator);
    }
  }

  add(evaluator: QuotaEvaluator): void {
    this.#evaluators.set(groupResourceText(evaluator.resource), evaluator);
  }

  get(resource: GroupResource): QuotaEvaluator | undefined {
    return this.#evaluators.get(groupResourceText(resource));
  }

  /** The evaluator of a kind, created on first use; not for ignored kinds. */
  getOrCount(resource: GroupResource): QuotaEvaluator {
    const known = this.get(resource);
    if (known !== undefined) return known;
    const evaluator = objectCountQuota(resource);
    this.add(evaluator);
    return evaluator;
  }

  list(): readonly QuotaEvaluator[] {
    return [...this.#evaluators.values()];
  }
}
