/**
 * Deletes the content of namespaces that are being deleted, then removes their finalizer.
 *
 * Keeps true:  a namespace that is being deleted has the phase Terminating, loses its pods first and then all other
 *              content, reports in its conditions what remains and why, and loses the finalizer "kubernetes" once it is
 *              empty.
 * Requeues:    5 s after each event; after half of the time that the remaining content is expected to take; failures
 *              with back-off up to a minute.
 * Upstream:    pkg/controller/namespace; cmd/kube-controller-manager/app/core.go, newNamespaceController.
 * Deviations:  the first discovery happens when the controller starts, not when it is built. The gate
 *              OrderedNamespaceDeletion stays on whatever --emulated-version says.
 */

import { Namespaces, Pods } from "#api/generated/resources/core-v1.ts";
import { createDiscovery } from "#client/discovery.ts";
import { anyResource, get, list, remove, removeAll, update } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import { bucketLimiter, itemExponentialLimiter, maxOfLimiter } from "#workqueue/rate-limiters.ts";
import { NamespaceApi } from "./namespace-api.ts";
import { firstDiscovery } from "./resources.ts";
import { syncNamespace } from "./sync.ts";
import { Unsupported } from "./unsupported.ts";

export interface NamespaceOptions {
  /** --concurrent-namespace-syncs */
  readonly workers: number;
  /** --namespace-sync-period */
  readonly resyncPeriodMs: number;
}

const NAME = "namespace-controller";

/** Gives all API servers time to see the deletion, so that no new content is created. */
const GRACE_MS = 5000;

/** Emptying a namespace takes several requests for each resource type. */
const CLIENT_NEEDS = { qpsFactor: 20, burstFactor: 100 };

export const namespaceController: ControllerDescriptor<NamespaceOptions> = {
  name: NAME,
  contract: {
    watches: [Namespaces],
    reads: [get(Namespaces), list(anyResource)],
    writes: [update(Namespaces, "status"), update(Namespaces, "finalize"), removeAll(anyResource), remove(anyResource)],
  },
  build: buildNamespaceController,
};

async function buildNamespaceController(context: ControllerContext, options: NamespaceOptions): Promise<Controller> {
  const { clock } = context;
  const parts = await controllerParts(context, NAME, CLIENT_NEEDS);
  const { client, identity, log } = parts;
  const discovery = createDiscovery(await context.client(identity, { isDiscovery: true }));
  const namespaces = parts.informer(Namespaces);
  const unsupported = new Unsupported();
  const deps = {
    clock,
    log,
    discovery,
    unsupported,
    namespaces,
    api: new NamespaceApi(client.resource(Namespaces)),
    pods: client.resource(Pods),
    metadata: client.metadata.bind(client),
  };
  const queue = parts.queue({
    name: "namespace",
    rateLimiter: maxOfLimiter(
      itemExponentialLimiter({ baseMs: 5, maxMs: 60_000 }),
      bucketLimiter(clock, { perSecond: 10, burst: 100 }),
    ),
  });
  // Deviation: happens when the controller starts, so that the controller can be stopped while no server answers.
  parts.waitFor({ synced: async (signal) => unsupported.learn(await firstDiscovery(deps, signal)) });
  parts.enqueue(namespaces, queue, {
    on: ["add", "update"],
    when: ({ metadata }) => metadata.deletionTimestamp !== undefined,
    afterMs: GRACE_MS,
    resyncPeriodMs: options.resyncPeriodMs,
  });
  parts.work({ queue, workers: options.workers, sync: (key, signal) => syncNamespace(key, deps, signal) });
  return parts.controller();
}
