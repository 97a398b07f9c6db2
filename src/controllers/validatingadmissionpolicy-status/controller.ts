/**
 * Reports in the status of a policy which of its expressions do not fit the types of the matched objects.
 *
 * Keeps true:  the status of a ValidatingAdmissionPolicy has the warnings of its newest generation.
 * Requeues:    failures, with back-off. A changed schema does not queue a policy.
 * Upstream:    pkg/controller/validatingadmissionpolicystatus.
 * Deviations:  the type name of an object in a warning is the kind, without upstream's changing number.
 */

import { ValidatingAdmissionPolicies } from "#api/generated/resources/admissionregistration-v1.ts";
import { patch } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import { type Deps, syncPolicy } from "./sync.ts";

const NAME = "validatingadmissionpolicy-status-controller";

export interface PolicyStatusOptions {
  /** --concurrent-validating-admission-policy-status-syncs */
  readonly workers: number;
}

export const policyStatusController: ControllerDescriptor<PolicyStatusOptions> = {
  name: NAME,
  contract: {
    watches: [ValidatingAdmissionPolicies],
    reads: [],
    writes: [patch(ValidatingAdmissionPolicies, "status")],
  },
  build,
};

async function build(context: ControllerContext, { workers }: PolicyStatusOptions): Promise<Controller> {
  const parts = await controllerParts(context, NAME);
  const deps: Deps = {
    log: parts.log,
    restMapper: context.restMapper,
    policies: parts.informer(ValidatingAdmissionPolicies),
    policiesApi: parts.client.resource(ValidatingAdmissionPolicies),
    discoveryClient: await context.client(parts.identity, { isDiscovery: true }),
  };
  const queue = parts.queue({ name: "validatingadmissionpolicy-status" });
  parts.enqueue(deps.policies, queue, { on: ["add", "update"] });
  parts.work({ queue, workers, sync: (name, signal) => syncPolicy(name, deps, signal) });
  return parts.controller();
}
