// Writes the attached volumes of a node into its status. A kubelet mounts a volume only when its node's status lists
// it, so a volume is removed from the list before it is detached.
// Upstream: pkg/controller/volume/attachdetach/statusupdater/node_status_updater.go.

import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { AttachedVolume, Node } from "#api/generated/types/core-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { compareResourceVersions } from "#api/resource-version.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { Lister } from "#informers/informer.ts";
import { strategicPatch } from "#kit/strategic-patch.ts";
import type { ActualState } from "./actual-state.ts";

export class NodeStatusWriter {
  readonly #actual: ActualState;
  readonly #nodes: Lister<StoredCluster<Node>>;
  readonly #api: Pick<ResourceClient<StoredCluster<Node>>, "patch">;
  readonly #log: Logger;
  /** The server's answers, by node name. */
  readonly #written = new Map<string, StoredCluster<Node>>();

  constructor(
    actual: ActualState,
    nodes: Lister<StoredCluster<Node>>,
    api: Pick<ResourceClient<StoredCluster<Node>>, "patch">,
    log: Logger,
  ) {
    this.#actual = actual;
    this.#nodes = nodes;
    this.#api = api;
    this.#log = log;
  }

  /** Writes the status of all stale nodes. A failure is retried in the next pass. */
  async writeAll(signal: AbortSignal): Promise<void> {
    for (const node of this.#actual.staleNodes()) await this.write(node, signal);
  }

  /** False when the node's status is still stale. A deleted node needs no status. */
  async write(name: string, signal: AbortSignal): Promise<boolean> {
    const volumes = this.#actual.takeReport(name);
    const node = this.#latest(name);
    if (volumes === undefined || node === undefined) return true;
    try {
      const written = await this.#api.patch(
        { name, subresource: "status", type: "strategic", patch: listing(node, volumes) },
        signal,
      );
      this.#written.set(name, written);
    } catch (error) {
      if (isNotFound(error)) return true;
      this.#actual.markStale(name);
      if (signal.aborted) throw error;
      this.#log.error(error, "Could not update node status; re-marking for update", { node: name });
      return false;
    }
    return true;
  }

  /**
   * Deviation: uses the cached node, or the result of the last write if that is newer. Upstream computes the patch from
   * the cached node alone: a volume that is attached and detached before the cache has seen the first write stays
   * listed.
   */
  #latest(name: string): StoredCluster<Node> | undefined {
    const cached = this.#nodes.get(name);
    const written = this.#written.get(name);
    if (cached === undefined || written === undefined || cached.metadata.uid !== written.metadata.uid) return cached;
    const isOlder = compareResourceVersions(cached.metadata.resourceVersion, written.metadata.resourceVersion) < 0;
    if (!isOlder) this.#written.delete(name);
    return isOlder ? written : cached;
  }
}

/** Upstream sends a patch even without a change. */
function listing(node: StoredCluster<Node>, volumes: readonly AttachedVolume[]): object {
  const { volumesAttached: _, ...status } = node.status ?? {};
  const wanted = volumes.length === 0 ? status : { ...status, volumesAttached: [...volumes] };
  return strategicPatch(node, { ...node, status: wanted }, Nodes) ?? {};
}
