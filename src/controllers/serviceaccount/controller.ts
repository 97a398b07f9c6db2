/**
 * Gives every active namespace its default service account, without which no pod can be created there.
 *
 * Keeps true:  each namespace in phase Active has a ServiceAccount named "default".
 * Watches:     Namespace (add, update), ServiceAccount (delete).
 * Reads live:  nothing.
 * Writes:      create of ServiceAccount. Existing ones are never changed.
 * Requeues:    never; failures are retried with back-off.
 * Identity:    service-account-controller.
 * Upstream:    pkg/controller/serviceaccount/serviceaccounts_controller.go.
 * Deviations:  none.
 */

import { Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { runWorkers } from "#kit/worker-loop.ts";
import { syncNamespace } from "./sync.ts";

const IDENTITY = "service-account-controller";
const NO_RESYNC = { resyncPeriodMs: 0 };

export const serviceAccountController: ControllerDescriptor = {
  name: "serviceaccount-controller",
  build: buildServiceAccountController,
};

async function buildServiceAccountController(context: ControllerContext): Promise<Controller> {
  const log = context.log.named(IDENTITY);
  const client = await context.client(IDENTITY);
  const namespaces = context.informers.informer(Namespaces);
  const accounts = context.informers.informer(ServiceAccounts);
  const deps = { namespaces, accounts, accountsApi: client.resource(ServiceAccounts) };
  const queue = new KeyQueue({ context, controller: IDENTITY, name: "serviceaccount" });

  const namespaceEvents = enqueuing(queue, Namespaces);
  const accountEvents = enqueuing(queue, ServiceAccounts, ({ metadata }) => metadata.namespace);
  const waitFor = [
    namespaces.addHandler({ onAdd: namespaceEvents.onAdd, onUpdate: namespaceEvents.onUpdate }, NO_RESYNC),
    accounts.addHandler({ onDelete: accountEvents.onDelete }, NO_RESYNC),
  ];

  return {
    run: (signal) =>
      runWorkers({ queue, log, workers: 1, waitFor, sync: (key, signal) => syncNamespace(key, deps, signal) }, signal),
  };
}
