// The dependencies of the workers of both queues, built once in controller.ts.

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
  /** Reports to the graph that the object does not exist on the API server. */
  reportAbsent(identity: Identity): void;
  /** Queues a dependent that blocks the deletion of an owner. */
  attemptToDelete(node: GraphNode): void;
}
