// Shared types of the steps of this controller.

import type { Nodes, Services } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import type { Pod } from "#families/service-pods/model.ts";
import type { TriggerTimes } from "#families/service-pods/trigger-times.ts";
import type { SliceParts } from "#families/slices/slice-parts.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { SliceMetrics } from "./metrics.ts";
import type { Topology } from "./topology.ts";

export type Node = ObjectOf<typeof Nodes>;

/** The value of the label managed-by on this controller's slices. */
export const CONTROLLER_NAME = "endpointslice-controller.k8s.io";

export interface Deps extends SliceParts {
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly services: SharedInformer<ObjectOf<typeof Services>>;
  readonly pods: SharedInformer<Pod>;
  readonly nodes: SharedInformer<Node>;
  readonly triggerTimes: TriggerTimes;
  readonly topology: Topology;
  readonly metrics: SliceMetrics;
  /** --max-endpoints-per-slice */
  readonly endpointsMax: number;
}
