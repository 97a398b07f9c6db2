/**
 * Writes the Endpoints of Services that select pods.
 *
 * Keeps true:  the Endpoints of a Service hold the addresses of its pods, ready and not ready apart, by ports, at most
 *              1,000 of them; they have the labels of the Service, and are deleted with it.
 * Requeues:    a failing Service is dropped after 15 retries.
 * Upstream:    pkg/controller/endpoint.
 * Deviations:  events about pods are matched with Services at once; Go uses a separate queue.
 */

import { Endpoints, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { podTriggers } from "#families/service-pods/pod-triggers.ts";
import { TriggerTimes } from "#families/service-pods/trigger-times.ts";
import { create, events, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import type { Deps } from "./model.ts";
import { syncService } from "./sync.ts";

const RETRIES_MAX = 15;
/** Marks Endpoints that are the lock of an old leader election: they have no Service. */
const LEADER = "control-plane.alpha.kubernetes.io/leader";

export interface EndpointsOptions {
  /** --concurrent-endpoint-syncs */
  readonly workers: number;
  /** --endpoint-updates-batch-period */
  readonly batchPeriodMs: number;
}

export const endpointsController: ControllerDescriptor<EndpointsOptions> = keyedController({
  name: "endpoints-controller",
  contract: {
    watches: [Services, Pods, Endpoints],
    reads: [],
    writes: [create(Endpoints), update(Endpoints), remove(Endpoints), ...events],
  },
  build(parts, { workers, batchPeriodMs }) {
    const deps: Deps = {
      log: parts.log,
      recorder: parts.recorder(parts.identity, 3),
      services: parts.informer(Services),
      pods: parts.informer(Pods),
      endpoints: parts.informer(Endpoints),
      endpointsApi: parts.client.resource(Endpoints),
      triggerTimes: new TriggerTimes(),
      replaced: new Map(),
    };
    const { services, pods, endpoints } = deps;
    const queue = parts.queue({ name: "endpoint" });
    parts.enqueue(services, queue, {});
    parts.handle(pods, podTriggers(services, queue, batchPeriodMs));
    parts.enqueue(endpoints, queue, { on: ["delete"] });
    parts.work({
      queue,
      workers,
      retriesMax: RETRIES_MAX,
      retryVerbosity: 2,
      sync: (key, signal) => syncService(key, deps, signal),
    });
    // Finds Endpoints whose Service was deleted while no manager ran.
    parts.loop(() => {
      for (const object of endpoints.lister.list()) {
        if (object.metadata.annotations?.[LEADER] !== undefined) continue;
        queue.addAfter(objectKey(object), 0, "left from an earlier run");
      }
      return Promise.resolve();
    });
  },
});
