// Syncs one node: allocates its ranges, or marks its existing ranges as used.
// Upstream: pkg/controller/nodeipam/ipam/range_allocator.go, AllocateOrOccupyCIDR, updateCIDRsAllocation.

import type { Node } from "#api/generated/types/core-v1.ts";
import { ref } from "#api/object.ts";
import type { StoredCluster } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { type Cidr, formatCidr } from "#rules/cidr.ts";
import type { NodeRanges } from "./node-ranges.ts";

const PATCH_TRIES = 3;

export interface Deps {
  readonly log: Logger;
  readonly nodes: SharedInformer<StoredCluster<Node>>;
  readonly nodesApi: ResourceClient<StoredCluster<Node>>;
  readonly recorder: EventRecorder;
  readonly ranges: NodeRanges;
}

export async function syncNode(name: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const node = deps.nodes.lister.get(name);
  // The ranges of a deleted node were released when its delete event came.
  if (node === undefined || node.metadata.deletionTimestamp !== undefined) return done;
  if ((node.spec?.podCIDRs ?? []).length > 0) deps.ranges.occupy(node);
  else await assign(node, allocate(node, deps), deps, signal);
  return done;
}

function allocate(node: StoredCluster<Node>, deps: Deps): readonly Cidr[] {
  try {
    return deps.ranges.allocate();
  } catch (error) {
    record(node, "CIDRNotAvailable", deps);
    throw error;
  }
}

/** The cache may lag and hide that the node has ranges. The server then refuses the new ones, and they are freed. */
async function assign(
  node: StoredCluster<Node>,
  allocated: readonly Cidr[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { name } = node.metadata;
  const podCIDRs = allocated.map(formatCidr);
  const patch = { spec: { podCIDR: podCIDRs[0], podCIDRs } };
  let failure: unknown;
  for (let tries = 0; tries < PATCH_TRIES; tries++) {
    try {
      await deps.nodesApi.patch({ name, type: "strategic", patch }, signal);
      deps.log.info("Set node PodCIDR", { node: ref(node), podCIDRs });
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    }
  }
  record(node, "CIDRAssignmentFailed", deps);
  deps.ranges.release(allocated, deps.log);
  throw new Error(`failed to patch node CIDR: ${errorMessage(failure)}`, { cause: failure });
}

function record({ metadata: { name, uid } }: StoredCluster<Node>, reason: string, { recorder }: Deps): void {
  const about = { apiVersion: "v1", kind: "Node", name, uid };
  recorder.event(about, "Normal", reason, `Node ${name} status is now: ${reason}`);
}
