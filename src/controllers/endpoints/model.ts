// Shared types of the steps of this controller.

import type { Endpoints as EndpointsResource } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { Pod, Service } from "#families/service-pods/model.ts";
import type { TriggerTimes } from "#families/service-pods/trigger-times.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";

export type Endpoints = ObjectOf<typeof EndpointsResource>;

export interface Deps {
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly services: SharedInformer<Service>;
  readonly pods: SharedInformer<Pod>;
  readonly endpoints: SharedInformer<Endpoints>;
  readonly endpointsApi: ResourceClient<Endpoints>;
  readonly triggerTimes: TriggerTimes;
  /** The versions that this controller replaced: a cache that still has one of them lags. */
  readonly replaced: Map<string, string>;
}
