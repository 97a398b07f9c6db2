// Which resources do not support list or deletecollection, from the discovery at the controller's start.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, operationNotSupportedCache.

import { type GroupVersionResource, parseApiVersion, resourceText } from "#api/object.ts";
import type { ApiResourceList } from "#client/discovery.ts";

export type Operation = "list" | "deletecollection";
const OPERATIONS: readonly Operation[] = ["list", "deletecollection"];

export class Unsupported {
  readonly #known = new Set<string>();

  /** Called once. For resources that are added later, the server's answers show what they support. */
  learn(lists: readonly ApiResourceList[]): void {
    for (const { groupVersion, resources } of lists) {
      for (const { name, verbs } of resources) {
        const missing = OPERATIONS.filter((operation) => !verbs.includes(operation));
        for (const operation of missing) {
          this.#known.add(textOf(operation, { ...parseApiVersion(groupVersion), resource: name }));
        }
      }
    }
  }

  has(operation: Operation, resource: GroupVersionResource): boolean {
    return this.#known.has(textOf(operation, resource));
  }
}

function textOf(operation: Operation, resource: GroupVersionResource): string {
  return `${operation} ${resourceText(resource)}`;
}
