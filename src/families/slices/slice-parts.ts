// The common parts of the controllers that write slices: the slices of their Services, the record of the last writes,
// and a queue for changes by other clients. A failing key waits for seconds, not milliseconds, and is dropped after 15
// retries, because one sync may be many writes.
// Upstream: pkg/controller/endpointslice/endpointslice_controller.go, NewController; the same in
// pkg/controller/endpointslicemirroring.

import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { Counter } from "#base/metrics.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { type Contract, create, events, remove, update } from "#kit/contract.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { bucketLimiter, itemExponentialLimiter, maxOfLimiter } from "#workqueue/rate-limiters.ts";
import { addServiceIndex, type EndpointSlice } from "./model.ts";
import { sliceTriggers } from "./slice-triggers.ts";
import { SliceTracker } from "./tracker.ts";
import type { SliceWriter } from "./writes.ts";

/** For the contract. */
export const sliceWrites: Contract["writes"] = [
  create(EndpointSlices),
  update(EndpointSlices),
  remove(EndpointSlices),
  ...events,
];

/** How the workers of the queue treat failures. */
export const sliceRetries = { retriesMax: 15, retryVerbosity: 0 };

interface SliceSettings {
  readonly queueName: string;
  readonly backOffMsMax: number;
  /** The controller's value of the label managed-by. */
  readonly managedBy: string;
  /** How long events of slices are collected. */
  readonly afterMs: number;
  /** Counts writes by their verb. */
  readonly changes: Counter;
}

export interface SliceParts {
  readonly slices: SharedInformer<EndpointSlice>;
  readonly tracker: SliceTracker;
  readonly writer: SliceWriter;
}

export function sliceParts(
  parts: ControllerParts,
  { queueName, backOffMsMax, managedBy, afterMs, changes }: SliceSettings,
): SliceParts & { readonly queue: KeyQueue } {
  const slices = parts.informer(EndpointSlices);
  addServiceIndex(slices);
  const tracker = new SliceTracker();
  const queue = parts.queue({
    name: queueName,
    rateLimiter: maxOfLimiter(
      itemExponentialLimiter({ baseMs: 1000, maxMs: backOffMsMax }),
      bucketLimiter(parts.context.clock, { perSecond: 10, burst: 100 }),
    ),
  });
  parts.handle(slices, sliceTriggers({ queue, tracker, managedBy, afterMs }));
  const api = parts.client.resource(EndpointSlices);
  return { slices, tracker, writer: { api, tracker, count: (operation) => changes.inc([operation]) }, queue };
}
