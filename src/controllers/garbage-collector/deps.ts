// What the workers of both queues work with: built once in controller.ts.

import type { Logger } from "#base/log.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import type { DependencyGraph } from "./graph.ts";
import type { GraphNode } from "./graph-node.ts";
import type { Identity } from "./identity.ts";
import type { ObjectApi } from "./object-api.ts";

export interface Deps {
  readonly log: Logger;
  readonly objects: ObjectApi;
  readonly graph: Pick<DependencyGraph, "get">;
  readonly absentOwners: AbsentOwners;
  /** Tells the graph that the API server has no such object. */
  reportAbsent(identity: Identity): void;
  /** Queues a dependent that keeps an owner from being deleted. */
  attemptToDelete(node: GraphNode): void;
}
