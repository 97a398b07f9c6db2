// Which resources the garbage collector watches, by what discovery says.
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, GetDeletableResources, Sync.

import { apiVersionOf, type GroupVersionResource, parseApiVersion, resourceText } from "#api/object.ts";
import type { ApiResourceList } from "#client/discovery.ts";
import { compareText } from "#kit/order.ts";

const VERBS = ["delete", "list", "watch"];

/** By resource text, in the order of that text. */
export type Resources = ReadonlyMap<string, GroupVersionResource>;

export const noResources: Resources = new Map();

/** The resources whose objects can be deleted and followed. */
export function deletableResources(lists: readonly ApiResourceList[]): Resources {
  return resourceSet(
    lists.flatMap(({ groupVersion, resources }) =>
      resources
        .filter(({ verbs }) => VERBS.every((verb) => verbs.includes(verb)))
        .map(({ name }) => ({ ...parseApiVersion(groupVersion), resource: name })),
    ),
  );
}

/** Resources of a group version that could not be discovered stay, if their caches are filled. */
export function withUndiscovered(
  found: Resources,
  before: Resources,
  failed: ReadonlySet<string>,
  isSynced: (resource: GroupVersionResource) => boolean,
): Resources {
  const kept = [...before.values()].filter((resource) => failed.has(apiVersionOf(resource)) && isSynced(resource));
  return kept.length === 0 ? found : resourceSet([...found.values(), ...kept]);
}

export interface ResourceDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Undefined: the same resources. */
export function resourceDiff(before: Resources, after: Resources): ResourceDiff | undefined {
  const added = [...after.keys()].filter((text) => !before.has(text));
  const removed = [...before.keys()].filter((text) => !after.has(text));
  return added.length + removed.length === 0 ? undefined : { added, removed };
}

function resourceSet(resources: readonly GroupVersionResource[]): Resources {
  const entries = resources.map((resource) => [resourceText(resource), resource] as const);
  return new Map(entries.sort(([a], [b]) => compareText(a, b)));
}
