/**
 * Mirrors Endpoints that users write into EndpointSlices.
 *
 * Keeps true:  Endpoints of a Service without a selector have one slice for each address type and set of ports, with at
 *              most --mirroring-max-endpoints-per-subset endpoints, and with their labels and annotations. Other
 *              Endpoints have none.
 * Requeues:    failing Endpoints are dropped after 15 retries.
 * Upstream:    pkg/controller/endpointslicemirroring.
 * Deviations:  a new slice takes over the name of a slice of the same address type. Go may also try to create it under
 *              that name when slices of both types are new; it then fails and retries.
 */

import { Endpoints, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { hasSelector } from "#families/service-pods/model.ts";
import { sliceParts, sliceRetries, sliceWrites } from "#families/slices/slice-parts.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { registerMirroringMetrics } from "./metrics.ts";
import { CONTROLLER_NAME, type Deps, isMirrored } from "./model.ts";
import { syncEndpoints } from "./sync.ts";

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
    writes: sliceWrites,
  },
  build(parts, { workers, endpointsMax, batchPeriodMs }) {
    const { clock } = parts.context;
    const metrics = registerMirroringMetrics(parts.context.metrics, endpointsMax);
    const { queue, ...ownSlices } = sliceParts(parts, {
      queueName: "endpoint_slice_mirroring",
      backOffMsMax: 100_000,
      managedBy: CONTROLLER_NAME,
      afterMs: batchPeriodMs,
      changes: metrics.changes,
    });
    const deps: Deps = {
      ...ownSlices,
      log: parts.log,
      recorder: parts.recorder("endpoint-slice-mirroring-controller"),
      endpoints: parts.informer(Endpoints),
      services: parts.informer(Services),
      metrics,
      endpointsMax,
    };
    const { endpoints, services } = deps;
    parts.enqueue(endpoints, queue, {
      when: (object, old) => isMirrored(object) || (old !== undefined && isMirrored(old)),
    });
    parts.enqueue(services, queue, {
      when: (service, old) => (old === undefined ? !hasSelector(service) : hasSelector(old) !== hasSelector(service)),
    });
    parts.work({
      ...sliceRetries,
      queue,
      workers,
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
