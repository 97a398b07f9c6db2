/**
 * Mirrors Endpoints that users write into EndpointSlices.
 *
 * Keeps true:  Endpoints of a Service without a selector have one slice for each address type and set of ports, with at
 *              most --mirroring-max-endpoints-per-subset endpoints, and with their labels and annotations. Endpoints
 *              that are not to be mirrored have none.
 * Requeues:    failing Endpoints are dropped after 15 retries.
 * Upstream:    pkg/controller/endpointslicemirroring.
 * Deviations:  a new slice takes over the name of one of its own address type; Go may try to create it as well, under the
 *              same name, when slices of both types are new, and then begins again.
 */

import { Endpoints, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { hasSelector } from "#families/service-pods/model.ts";
import { addServiceIndex } from "#families/slices/model.ts";
import { sliceTriggers } from "#families/slices/slice-triggers.ts";
import { SliceTracker } from "#families/slices/tracker.ts";
import { create, events, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { bucketLimiter, itemExponentialLimiter, maxOfLimiter } from "#workqueue/rate-limiters.ts";
import { registerMirroringMetrics } from "./metrics.ts";
import { CONTROLLER_NAME, type Deps, isMirrored } from "./model.ts";
import { syncEndpoints } from "./sync.ts";

const RETRIES_MAX = 15;

export interface MirroringOptions {
  /** --mirroring-concurrent-service-endpoint-syncs */
  readonly workers: number;
  /** --mirroring-max-endpoints-per-subset */
  readonly endpointsMax: number;
  /** --mirroring-endpointslice-updates-batch-period */
  readonly batchPeriodMs: number;
}

export const endpointSliceMirroringController: ControllerDescriptor<MirroringOptions> = keyedController({
  name: "endpointslice-mirroring-controller",
  contract: {
    watches: [Endpoints, EndpointSlices, Services],
    reads: [],
    writes: [create(EndpointSlices), update(EndpointSlices), remove(EndpointSlices), ...events],
  },
  build(parts, { workers, endpointsMax, batchPeriodMs }) {
    const { clock } = parts.context;
    const tracker = new SliceTracker();
    const metrics = registerMirroringMetrics(parts.context.metrics, endpointsMax);
    const deps: Deps = {
      log: parts.log,
      recorder: parts.recorder("endpoint-slice-mirroring-controller"),
      endpoints: parts.informer(Endpoints),
      slices: parts.informer(EndpointSlices),
      services: parts.informer(Services),
      writer: {
        api: parts.client.resource(EndpointSlices),
        tracker,
        count: (operation) => metrics.changes.inc([operation]),
      },
      tracker,
      metrics,
      endpointsMax,
    };
    const { endpoints, slices, services } = deps;
    addServiceIndex(slices);
    const queue = parts.queue({
      name: "endpoint_slice_mirroring",
      rateLimiter: maxOfLimiter(
        itemExponentialLimiter({ baseMs: 1000, maxMs: 100_000 }),
        bucketLimiter(clock, { perSecond: 10, burst: 100 }),
      ),
    });
    parts.enqueue(endpoints, queue, {
      when: (object, old) => isMirrored(object) || (old !== undefined && isMirrored(old)),
    });
    parts.handle(slices, sliceTriggers({ queue, tracker, managedBy: CONTROLLER_NAME, afterMs: batchPeriodMs }));
    parts.enqueue(services, queue, {
      when: (service, old) => (old === undefined ? !hasSelector(service) : hasSelector(old) !== hasSelector(service)),
    });
    parts.work({
      queue,
      workers,
      retriesMax: RETRIES_MAX,
      retryVerbosity: 0,
      sync: async (key, signal) => {
        const startMs = clock.monotonicMs();
        try {
          return await syncEndpoints(key, deps, signal);
        } finally {
          metrics.durationSeconds.observe(Math.floor(clock.monotonicMs() - startMs) / 1000);
        }
      },
    });
  },
});
