// The dependencies of the steps of the binder.

import type { Event, Node, Pod } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Files } from "#base/host.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient } from "#client/client.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import type { PendingOperations } from "#families/volumes/pending-operations.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { BinderMetrics } from "./metrics.ts";
import type { PluginSettings } from "./plugins.ts";

export interface Deps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly files: Files;
  readonly claims: SharedInformer<Claim>;
  readonly volumes: SharedInformer<Volume>;
  readonly classes: SharedInformer<StoredCluster<StorageClass>>;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly nodes: SharedInformer<StoredCluster<Node>>;
  readonly claimsApi: ResourceClient<Claim>;
  readonly volumesApi: ResourceClient<Volume>;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly eventsApi: ResourceClient<Stored<Event>>;
  /** All decisions read these, not the caches. */
  readonly knownClaims: KnownObjects<Claim>;
  readonly knownVolumes: KnownObjects<Volume>;
  readonly claimQueue: KeyQueue<ObjectKey>;
  readonly volumeQueue: KeyQueue<ObjectKey>;
  readonly recorder: EventRecorder;
  readonly operations: PendingOperations;
  readonly metrics: BinderMetrics;
  readonly plugins: PluginSettings;
  /** --enable-dynamic-provisioning */
  readonly provisions: boolean;
  /** The gate VolumeAttributesClass, which --emulated-version may turn off. */
  readonly usesAttributesClasses: boolean;
}
