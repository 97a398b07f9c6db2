// Shared dependencies of the loops of the controller.

import type { Lease } from "#api/generated/types/coordination-v1.ts";
import type { Node, ObjectReference, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import { Wakeup } from "#base/idle-loop.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { Rates } from "./disruption.ts";
import type { NodeLifecycleMetrics } from "./metrics.ts";
import type { GracePeriods, NodeHealth } from "./node-health.ts";
import type { TaintQueue } from "./taint-queue.ts";
import type { ZoneState } from "./zones.ts";

export type StoredNode = StoredCluster<Node>;

export interface NodeLifecycleOptions {
  /** --node-monitor-period. */
  readonly monitorPeriodMs: number;
  readonly grace: GracePeriods;
  readonly rates: Rates;
  /** --unhealthy-zone-threshold. */
  readonly unhealthyZoneThreshold: number;
}

export interface Deps {
  readonly options: NodeLifecycleOptions;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly metrics: NodeLifecycleMetrics;
  readonly nodes: SharedInformer<StoredNode>;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly leases: SharedInformer<Stored<Lease>>;
  readonly nodesApi: ResourceClient<StoredNode>;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly memory: Memory;
}

/** The state that the controller keeps between two passes over all nodes. */
export interface Memory {
  /** The nodes of the last pass. */
  readonly known: Map<string, StoredNode>;
  /** As upstream, kept when a node is deleted: a new node with the same name inherits it. */
  readonly health: Map<string, NodeHealth>;
  readonly zoneStates: Map<string, ZoneState>;
  readonly taintQueues: Map<string, TaintQueue>;
  /** Wakes the loop when a node begins to wait in one of the queues. */
  readonly nodeWaits: Wakeup;
  /** Nodes whose pods could not all be marked. */
  readonly toRetry: Set<string>;
}

export function newMemory(): Memory {
  return {
    known: new Map(),
    health: new Map(),
    zoneStates: new Map(),
    taintQueues: new Map(),
    nodeWaits: new Wakeup(),
    toRetry: new Set(),
  };
}

/** Events about nodes carry no resource version. */
export function nodeReference({ metadata: { name, uid } }: StoredNode): ObjectReference {
  return { apiVersion: "v1", kind: "Node", name, uid };
}
