/**
 * Creates the default service account of every active namespace; without it no pod can be created there.
 *
 * Keeps true:  each namespace in phase Active has a ServiceAccount named "default". Existing ones are never changed.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/serviceaccount/serviceaccounts_controller.go.
 * Deviations:  none.
 */

import { Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { create } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { syncNamespace } from "./sync.ts";

export const serviceAccountController: ControllerDescriptor = keyedController({
  name: "serviceaccount-controller",
  contract: {
    watches: [Namespaces, ServiceAccounts],
    reads: [],
    writes: [create(ServiceAccounts)],
  },
  build(parts) {
    const namespaces = parts.informer(Namespaces);
    const accounts = parts.informer(ServiceAccounts);
    const deps = { namespaces, accounts, accountsApi: parts.client.resource(ServiceAccounts) };
    const queue = parts.queue({ name: "serviceaccount" });
    parts.enqueue(namespaces, queue, { on: ["add", "update"], resyncPeriodMs: 0 });
    parts.enqueue(accounts, queue, { on: ["delete"], key: ({ metadata }) => metadata.namespace, resyncPeriodMs: 0 });
    parts.work({ queue, sync: (key, signal) => syncNamespace(key, deps, signal) });
  },
});
