/**
 * Answers requests for the status of resource pools, and deletes old requests.
 *
 * Keeps true:  each request gets one status: the pools of its driver with their devices, from the caches. A request
 *              with a pool that lacks slices is retried five times, and then waits for its next event.
 * Requeues:    never; every ten minutes, requests are deleted that were answered an hour ago or are a day old.
 * Upstream:    pkg/controller/resourcepoolstatusrequest.
 * Deviations:  there is no condition Failed, because reading a cache cannot fail.
 */

import { ResourceClaims, ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { ResourcePoolStatusRequests } from "#api/generated/resources/resource-v1alpha3.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { exponentialBuckets, type Metrics } from "#base/metrics.ts";
import { until } from "#base/wait.ts";
import { remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done } from "#kit/worker-loop.ts";
import { isExpired } from "./expiry.ts";
import { poolStatus } from "./pool-status.ts";

const CLEANUP_PERIOD_MS = 10 * 60 * 1000;
const RETRIES_MAX = 5;

export const resourcePoolStatusRequestController: ControllerDescriptor = keyedController({
  name: "resourcepoolstatusrequest-controller",
  contract: {
    watches: [ResourcePoolStatusRequests, ResourceSlices, ResourceClaims],
    reads: [],
    writes: [
      update(ResourcePoolStatusRequests, "status"),
      remove(ResourcePoolStatusRequests, { preconditions: "uid" }),
    ],
  },
  build(parts) {
    const { clock } = parts.context;
    const requests = parts.informer(ResourcePoolStatusRequests);
    const slices = parts.informer(ResourceSlices);
    const claims = parts.informer(ResourceClaims);
    const api = parts.client.resource(ResourcePoolStatusRequests);
    const metrics = requestMetrics(parts.context.metrics);
    const queue = parts.queue({ name: "" });
    parts.enqueue(requests, queue, { on: ["add", "update"], when: ({ status }) => status === undefined });
    parts.work({
      queue,
      retriesMax: RETRIES_MAX,
      async sync(key, signal) {
        const startedMs = clock.monotonicMs();
        const request = requests.lister.get(key);
        if (request === undefined || request.status !== undefined) return done;
        const status = poolStatus(request, slices.lister.list(), claims.lister.list(), clock.now());
        // The driver may be about to publish the missing slices.
        if (status.pools?.some(({ validationError }) => validationError !== undefined)) {
          throw new Error("incomplete pools detected, requeueing");
        }
        const labels = [request.spec.driver];
        try {
          await api.updateStatus({ object: { ...request, status } }, signal);
        } catch (error) {
          metrics.errors.inc(labels);
          throw new Error(`failed to update status for request ${key}: ${errorMessage(error)}`, { cause: error });
        } finally {
          metrics.processed.inc(labels);
          metrics.duration.observe((clock.monotonicMs() - startedMs) / 1000, labels);
        }
        return done;
      },
    });
    const deleteExpired = async (signal: AbortSignal): Promise<void> => {
      for (const { metadata } of requests.lister.list().filter((one) => isExpired(one, clock.now()))) {
        const { name, uid } = metadata;
        try {
          await tolerate(api.delete({ name, options: { preconditions: { uid } } }, signal), isNotFound);
        } catch (error) {
          if (signal.aborted) throw error;
          parts.log.error(error, "Failed to delete expired ResourcePoolStatusRequest", { request: name });
        }
      }
    };
    parts.loop((signal) => until(deleteExpired, CLEANUP_PERIOD_MS, clock, signal));
  },
});

function requestMetrics(metrics: Metrics) {
  const options = (name: string, help: string) =>
    ({
      name: `resourcepoolstatusrequest_controller_${name}`,
      help,
      stability: "ALPHA",
      labels: ["driver_name"],
    }) as const;
  return {
    processed: metrics.counter(
      options("requests_processed_total", "Total number of ResourcePoolStatusRequests processed"),
    ),
    errors: metrics.counter(
      options(
        "request_processing_errors_total",
        "Total number of errors encountered while processing ResourcePoolStatusRequests",
      ),
    ),
    duration: metrics.histogram({
      ...options("request_processing_duration_seconds", "Time taken to process a ResourcePoolStatusRequest"),
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
  };
}
