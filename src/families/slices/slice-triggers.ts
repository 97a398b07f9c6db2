// Which Services the events of slices concern. Events of the controller's own writes are ignored.
// Upstream: pkg/controller/endpointslice/endpointslice_controller.go, onEndpointSliceAdd and its like; the same in
// pkg/controller/endpointslicemirroring.

import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { EventHandler } from "#informers/informer.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { type EndpointSlice, MANAGED_BY, SERVICE_NAME, serviceKeyOf } from "./model.ts";
import type { SliceTracker } from "./tracker.ts";

interface SliceTriggers {
  readonly queue: KeyQueue;
  readonly tracker: SliceTracker;
  /** The controller's value of the label managed-by. */
  readonly managedBy: string;
  /** How long events are collected. */
  readonly afterMs: number;
}

export function sliceTriggers({ queue, tracker, managedBy, afterMs }: SliceTriggers): EventHandler<EndpointSlice> {
  const isOwn = ({ metadata }: EndpointSlice): boolean => metadata.labels?.[MANAGED_BY] === managedBy;
  const enqueue = (event: ChangeType, slice: EndpointSlice): void => {
    const key = serviceKeyOf(slice);
    if (key !== undefined) queue.addAfter(key, afterMs, eventCause(EndpointSlices, event, slice));
  };
  return {
    onAdd(slice) {
      if (isOwn(slice) && tracker.isNews(slice)) enqueue("add", slice);
    },
    onUpdate(old, slice) {
      if (old.metadata.labels?.[SERVICE_NAME] !== slice.metadata.labels?.[SERVICE_NAME]) {
        enqueue("update", slice);
        enqueue("update", old);
      } else if (isOwn(old) !== isOwn(slice) || (isOwn(slice) && tracker.isNews(slice))) enqueue("update", slice);
    },
    onDelete(slice) {
      if (isOwn(slice) && tracker.has(slice) && !tracker.wasExpected(slice)) enqueue("delete", slice);
    },
  };
}
