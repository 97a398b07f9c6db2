// Shared types of the steps of this controller.

import type { Endpoints as EndpointsResource } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import type { Service } from "#families/service-pods/model.ts";
import type { SliceParts } from "#families/slices/slice-parts.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { MirroringMetrics } from "./metrics.ts";

export type Endpoints = ObjectOf<typeof EndpointsResource>;

/** The value of the label managed-by on this controller's slices. */
export const CONTROLLER_NAME = "endpointslicemirroring-controller.k8s.io";

export interface Deps extends SliceParts {
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly endpoints: SharedInformer<Endpoints>;
  readonly services: SharedInformer<Service>;
  readonly metrics: MirroringMetrics;
  /** --mirroring-max-endpoints-per-subset */
  readonly endpointsMax: number;
}

const SKIP = "endpointslice.kubernetes.io/skip-mirror";
/** Endpoints with this annotation are locks of old leader elections. */
const LEADER = "control-plane.alpha.kubernetes.io/leader";

/** True if neither labels nor annotations exclude the object from mirroring. */
export function isMirrored({ metadata: { labels, annotations } }: Endpoints): boolean {
  return labels?.[SKIP] !== "true" && annotations?.[LEADER] === undefined;
}
