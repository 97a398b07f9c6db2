// Strategies of leases, lease candidates and events.
// Upstream: pkg/registry/coordination/{lease,leasecandidate}/strategy.go, pkg/registry/core/event/strategy.go

import type * as coordination from "#api/generated/types/coordination-v1.ts";
import type * as alpha from "#api/generated/types/coordination-v1alpha2.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type EventGroup, validateEvent, validateEventUpdate } from "#kinds/core/event-validation.ts";
import { put } from "#kinds/parts/preparing.ts";
import type { KindStrategy, StrategyContext } from "#kinds/strategy.ts";
import {
  validateLease,
  validateLeaseCandidate,
  validateLeaseCandidateUpdate,
  validateLeaseUpdate,
} from "./lease-candidate.ts";

/** Fields of coordinated leader election stay out unless the gate is on or the old lease has them. */
function withoutElection(
  lease: coordination.Lease,
  old: coordination.Lease | undefined,
  ctx: StrategyContext,
): coordination.Lease {
  if (lease.spec === undefined || ctx.gates.isEnabled("CoordinatedLeaderElection")) return lease;
  let { spec } = lease;
  for (const part of ["strategy", "preferredHolder"] as const) {
    if (old?.spec?.[part] === undefined) spec = put(spec, part, undefined);
  }
  return put(lease, "spec", spec);
}

export const leaseStrategy: KindStrategy<coordination.Lease> = {
  namespaced: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  defaultPropagation: "Background",
  prepareForCreate: (lease, ctx) => withoutElection(lease, undefined, ctx),
  validate: validateLease,
  prepareForUpdate: withoutElection,
  validateUpdate: validateLeaseUpdate,
  subresources: {},
};

export const leaseCandidateStrategy: KindStrategy<alpha.LeaseCandidate> = {
  namespaced: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  defaultPropagation: "Background",
  prepareForCreate: (candidate) => candidate,
  validate: validateLeaseCandidate,
  prepareForUpdate: (candidate) => candidate,
  validateUpdate: validateLeaseCandidateUpdate,
  selectableFields: ({ spec }) => ({ "spec.leaseName": spec?.leaseName ?? "" }),
  subresources: {},
};

const groupOf = (ctx: StrategyContext): EventGroup =>
  ctx.groupVersion?.group === "events.k8s.io" ? "events.k8s.io" : "";

/** Of the stored, core form. */
export const eventStrategy: KindStrategy<core.Event> = {
  namespaced: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Unsupported",
  prepareForCreate: (event) => event,
  validate: (event, ctx) => validateEvent(event, groupOf(ctx)),
  prepareForUpdate: (event) => event,
  validateUpdate: (event, old, ctx) => validateEventUpdate(event, old, groupOf(ctx)),
  selectableFields(event) {
    const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = event.involvedObject ?? {};
    return {
      "involvedObject.kind": kind ?? "",
      "involvedObject.namespace": namespace ?? "",
      "involvedObject.name": name ?? "",
      "involvedObject.uid": uid ?? "",
      "involvedObject.apiVersion": apiVersion ?? "",
      "involvedObject.resourceVersion": resourceVersion ?? "",
      "involvedObject.fieldPath": fieldPath ?? "",
      reason: event.reason ?? "",
      reportingComponent: event.reportingComponent ?? "",
      source: event.source?.component || (event.reportingComponent ?? ""),
      type: event.type ?? "",
    };
  },
  subresources: {},
};
