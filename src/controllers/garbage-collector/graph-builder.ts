// Applies the changes that informers and workers report to the graph, one at a time in order, and queues the nodes that
// the graph returns.
// Upstream: pkg/controller/garbagecollector/graph_builder.go, runProcessGraphChanges.

import { isAborted } from "#base/errors.ts";
import { goQuote } from "#base/go-text.ts";
import type { ControllerContext } from "#kit/controller.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { Cause, ChangeType } from "#kit/trace.ts";
import { createRateLimitingQueue, type RateLimitingQueue } from "#workqueue/rate-limiting-queue.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import { DependencyGraph, type GraphChange } from "./graph.ts";
import type { GraphNode } from "./graph-node.ts";
import { identityOfOwner, identityText } from "./identity.ts";

export interface GraphBuilderOptions {
  readonly context: Pick<ControllerContext, "clock" | "metrics">;
  readonly absentOwners: AbsentOwners;
  readonly deletes: KeyQueue<GraphNode>;
  readonly orphans: KeyQueue<GraphNode>;
  readonly recorder: EventRecorder;
}

interface QueuedChange {
  readonly change: GraphChange;
  readonly event: ChangeType;
  readonly resource: string;
}

export class GraphBuilder {
  readonly graph: DependencyGraph;
  readonly #changes: RateLimitingQueue<QueuedChange>;
  /** The cause for which the graph queues nodes now. */
  #cause: Cause = { kind: "resync" };

  constructor({ context, absentOwners, deletes, orphans, recorder }: GraphBuilderOptions) {
    const { clock, metrics } = context;
    this.#changes = createRateLimitingQueue({ clock, metrics, name: "garbage_collector_graph_changes" });
    this.graph = new DependencyGraph(absentOwners, {
      attemptToDelete: (node) => deletes.add(node, this.#cause),
      attemptToDeleteLater: (node) => deletes.addRateLimited(node, this.#cause),
      attemptToOrphan: (node) => orphans.add(node, this.#cause),
      ownerIsElsewhere({ identity }, reference) {
        const { apiVersion, kind, namespace, name, uid } = identity;
        const owner = identityText(identityOfOwner(reference, namespace));
        const message = `ownerRef ${owner} does not exist in namespace ${goQuote(namespace)}`;
        recorder.event({ kind, namespace, name, uid, apiVersion }, "Warning", "OwnerRefInvalidNamespace", message);
      },
    });
  }

  /** Equal changes are separate items: each is applied. */
  add(change: GraphChange, event: ChangeType, resource: string): void {
    this.#changes.add({ change, event, resource });
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const item = await this.#changes.get(signal);
        if (item === undefined) return;
        const { namespace, name } = item.change.identity;
        const object = namespace === "" ? name : `${namespace}/${name}`;
        this.#cause = { kind: "event", resource: item.resource, event: item.event, object };
        this.graph.apply(item.change);
        this.#changes.done(item);
      }
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    } finally {
      this.#changes.shutDown();
    }
  }
}
