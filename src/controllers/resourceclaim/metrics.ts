// The metrics of the controller. Upstream: pkg/controller/resourceclaim/metrics, customCollector.

import type { Counter, Metrics } from "#base/metrics.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { Claim } from "./deps.ts";
import { ENTRY_ANNOTATION, wantsAdminAccess } from "./generated-claim.ts";

const EXTENDED_ANNOTATION = "resource.kubernetes.io/extended-resource-claim";

/** Creations of claims, and the number of claims, computed on reading. */
export function claimMetrics(metrics: Metrics, claims: SharedInformer<Claim>): { readonly creates: Counter } {
  metrics.gaugeFunc(
    {
      name: "resourceclaim_controller_resource_claims",
      help: "Number of ResourceClaims, categorized by allocation status, admin access, and source. Source can be 'resource_claim_template' (created from a template), 'extended_resource' (extended resources), or empty (manually created by a user).",
      stability: "ALPHA",
      labels: ["allocated", "admin_access", "source"],
    },
    () => countsOf(claims.lister.list()),
  );
  return {
    creates: metrics.counter({
      name: "resourceclaim_controller_creates_total",
      help: "Number of ResourceClaims creation requests, categorized by creation status and admin access",
      stability: "ALPHA",
      labels: ["status", "admin_access"],
    }),
  };
}

export function countsOf(
  claims: readonly Claim[],
): readonly { readonly labelValues: readonly string[]; readonly value: number }[] {
  const counts = new Map<string, { readonly labelValues: readonly string[]; value: number }>();
  for (const claim of claims) {
    const isAllocated = claim.status?.allocation !== undefined;
    const labelValues = [String(isAllocated), String(wantsAdminAccess(claim)), sourceOf(claim)];
    const known = counts.get(labelValues.join());
    if (known === undefined) counts.set(labelValues.join(), { labelValues, value: 1 });
    else known.value += 1;
  }
  return [...counts.values()];
}

function sourceOf({ metadata: { annotations = {} } }: Claim): string {
  if (annotations[EXTENDED_ANNOTATION] === "true") return "extended_resource";
  return (annotations[ENTRY_ANNOTATION] ?? "") === "" ? "" : "resource_claim_template";
}
