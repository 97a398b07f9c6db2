/**
 * Deletes objects whose owners are gone. When an owner is deleted in the foreground, deletes its dependents first; when
 * it is deleted with orphaning, removes their references to it. Also removes references to owners that do not exist.
 *
 * Keeps true:  no object outlives all of its owners; an object with the finalizer foregroundDeletion is deleted after
 *              the dependents that block it, an object with the finalizer orphan after its dependents have lost the
 *              reference.
 * Requeues:    a virtual node until an informer has seen the object, and a reference to a kind that is not served, both
 *              with back-off; discovery every 30 s.
 * Upstream:    pkg/controller/garbagecollector; cmd/kube-controller-manager/app/core.go, newGarbageCollectorController.
 * Deviations:  watches only metadata, unless another controller needs whole objects; a watch ends with its resource,
 *              and deletions that no watch saw are found when the resource comes back; the page of the graph shows an
 *              owner that is not in the graph once.
 */

import { createDiscovery } from "#client/discovery.ts";
import { anyResource, events, get, patch, remove } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { attemptToDelete } from "./attempt-to-delete.ts";
import { attemptToOrphan } from "./attempt-to-orphan.ts";
import type { Deps } from "./deps.ts";
import { GraphBuilder } from "./graph-builder.ts";
import type { GraphNode } from "./graph-node.ts";
import { graphPage } from "./graph-page.ts";
import { identityText } from "./identity.ts";
import { registerSyncErrors } from "./metrics.ts";
import { Monitors, resourceName } from "./monitors.ts";
import { ObjectApi } from "./object-api.ts";
import { syncResources, waitForMonitors } from "./resource-sync.ts";

export interface GarbageCollectorOptions {
  /** --enable-garbage-collector */
  readonly isEnabled: boolean;
  /** --concurrent-gc-syncs: the workers of each of the two queues. */
  readonly workers: number;
  readonly ignoredResources: readonly { readonly Group: string; readonly Resource: string }[];
}

const NAME = "garbage-collector-controller";

export const garbageCollectorController: ControllerDescriptor<GarbageCollectorOptions> = {
  name: NAME,
  contract: {
    watches: [anyResource],
    reads: [get(anyResource)],
    writes: [
      remove(anyResource, { preconditions: ["uid", "resourceVersion"] }),
      // The second attempt, for an object that has changed, but not in its owners.
      remove(anyResource, { preconditions: "uid" }),
      patch(anyResource),
      ...events,
    ],
  },
  build: async (context, options) => (options.isEnabled ? await buildGarbageCollector(context, options) : undefined),
};

async function buildGarbageCollector(
  context: ControllerContext,
  options: GarbageCollectorOptions,
): Promise<Controller> {
  const { clock, metrics, informers, informersStarted, restMapper } = context;
  const parts = await controllerParts(context, NAME);
  const { identity, log } = parts;
  // A deletion takes two requests.
  const client = await context.client(identity, { qpsFactor: 2 });
  const discovery = createDiscovery(await context.client(identity, { isDiscovery: true }));

  const nodeQueue = (name: string): KeyQueue<GraphNode> =>
    parts.queue<GraphNode>({ name, text: (node) => identityText(node.identity), equality: "identity" });
  const deletes = nodeQueue("garbage_collector_attempt_to_delete");
  const orphans = nodeQueue("garbage_collector_attempt_to_orphan");
  const absentOwners = new AbsentOwners();
  const builder = new GraphBuilder({ context, absentOwners, deletes, orphans, recorder: parts.recorder(NAME) });
  const monitors = new Monitors({
    informers,
    restMapper,
    ignoredResources: new Set(
      options.ignoredResources.map(({ Group, Resource }) => resourceName({ group: Group, resource: Resource })),
    ),
    onChange: (change, event, resource) => builder.add(change, event, resource),
  });
  context.monitored.provide((resource) => monitors.informerOf(resource));
  const cached: Monitors["cached"] = (resource, key) => monitors.cached(resource, key);
  const deps: Deps = {
    log,
    objects: new ObjectApi({ client, restMapper, clock, rng: context.rng.fork(identity), cached }),
    graph: builder.graph,
    absentOwners,
    reportAbsent: (absent) => builder.add({ kind: "absent", identity: absent }, "delete", absent.kind),
    attemptToDelete: (node) => deletes.add(node, { kind: "resync" }),
  };
  const sync = {
    clock,
    log,
    discovery,
    restMapper,
    monitors,
    informersStarted,
    syncErrors: registerSyncErrors(metrics),
  };

  parts.fromStart((signal) => builder.run(signal));
  parts.fromStart((signal) => syncResources(sync, signal));
  parts.waitFor({ synced: (signal) => waitAtMostAPeriod(sync, signal) });
  const { workers } = options;
  parts.work({ queue: deletes, workers, sync: (node, signal) => attemptToDelete(node, deps, signal) });
  parts.work({ queue: orphans, workers, sync: (node, signal) => attemptToOrphan(node, deps, signal) });
  return { ...parts.controller(), debug: (request) => graphPage(request, builder.graph) };
}

/**
 * A resource that cannot be listed, such as one of a broken definition, must not stop garbage collection for the
 * others.
 */
async function waitAtMostAPeriod(sync: Parameters<typeof waitForMonitors>[0], signal: AbortSignal): Promise<void> {
  if (await waitForMonitors(sync, signal)) sync.log.info("Garbage collector: all resource monitors have synced");
  else sync.log.info("Garbage collector: not all resource monitors could be synced, proceeding anyways");
}
