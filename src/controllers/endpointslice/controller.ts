/**
 * Writes the EndpointSlices of Services that select pods.
 *
 * Keeps true:  for each address type of a Service, its slices hold one endpoint for each of its pods that has an
 *              address, grouped by ports, at most --max-endpoints-per-slice in each; a Service without endpoints has an
 *              empty slice. Ready endpoints get the hints that the Service requests. Slices have the labels of the
 *              Service.
 * Requeues:    a second after another client changed a slice. A failing Service is dropped after 15 retries.
 * Upstream:    pkg/controller/endpointslice, k8s.io/endpointslice.
 * Deviations:  where Go chooses at random among endpoints, slices and zones, the first by name is taken. Events about
 *              pods are matched with Services at once; Go uses a separate queue.
 */

import { Nodes, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { podTriggers } from "#families/service-pods/pod-triggers.ts";
import { TriggerTimes } from "#families/service-pods/trigger-times.ts";
import { sliceParts, sliceRetries, sliceWrites } from "#families/slices/slice-parts.ts";
import { StaleSlices } from "#families/slices/tracker.ts";
import { isReady } from "#families/slices/zone-allocation.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { done } from "#kit/worker-loop.ts";
import { registerSliceMetrics } from "./metrics.ts";
import { CONTROLLER_NAME, type Deps, type Node } from "./model.ts";
import { syncService } from "./sync.ts";
import { Topology } from "./topology.ts";

/** Collects changes of several slices into one sync. */
const SLICE_CHANGE_DELAY_MS = 1000;
const ZONE = "topology.kubernetes.io/zone";
/** A single key: all nodes are processed together. */
const ALL_NODES = "nodes";

export interface EndpointSliceOptions {
  /** --concurrent-service-endpoint-syncs */
  readonly workers: number;
  /** --max-endpoints-per-slice */
  readonly endpointsMax: number;
  /** --endpointslice-updates-batch-period */
  readonly batchPeriodMs: number;
}

export const endpointSliceController: ControllerDescriptor<EndpointSliceOptions> = keyedController({
  name: "endpointslice-controller",
  contract: {
    watches: [Services, Pods, Nodes, EndpointSlices],
    reads: [],
    writes: sliceWrites,
  },
  build(parts, { workers, endpointsMax, batchPeriodMs }) {
    const metrics = registerSliceMetrics(parts.context.metrics, endpointsMax);
    const { queue, ...ownSlices } = sliceParts(parts, {
      queueName: "endpoint_slice",
      backOffMsMax: 1_000_000,
      managedBy: CONTROLLER_NAME,
      afterMs: Math.max(SLICE_CHANGE_DELAY_MS, batchPeriodMs),
      changes: metrics.changes,
    });
    const deps: Deps = {
      ...ownSlices,
      log: parts.log,
      recorder: parts.recorder("endpoint-slice-controller"),
      services: parts.informer(Services),
      pods: parts.informer(Pods),
      nodes: parts.informer(Nodes),
      triggerTimes: new TriggerTimes(),
      topology: new Topology(),
      metrics,
      endpointsMax,
    };
    const { services, pods, nodes, topology } = deps;
    const nodeQueue = parts.queue({ name: "" });
    parts.enqueue(services, queue, {});
    parts.handle(pods, podTriggers(services, queue, batchPeriodMs));
    parts.enqueue(nodes, nodeQueue, { key: () => ALL_NODES, when: topologyChanged });
    // First, so that the zones are known when the first Service is synced.
    parts.work({
      queue: nodeQueue,
      sync: () => {
        topology.setNodes(nodes.lister.list());
        for (const key of topology.overloaded()) {
          queue.addAfter(key, 0, "a zone has too few endpoints for its nodes");
        }
        return Promise.resolve(done);
      },
    });
    parts.work({
      ...sliceRetries,
      queue,
      workers,
      sync: async (key, signal) => {
        const result = await syncService(key, deps, signal);
        metrics.syncs.inc(["success"]);
        return result;
      },
      onError: (error) => metrics.syncs.inc([error instanceof StaleSlices ? "stale" : "error"]),
    });
  },
});

/** A node was added or removed, became ready or unready, or changed its zone. */
function topologyChanged(node: Node, old: Node | undefined): boolean {
  return (
    old === undefined ||
    isReady(old.status) !== isReady(node.status) ||
    old.metadata.labels?.[ZONE] !== node.metadata.labels?.[ZONE]
  );
}
