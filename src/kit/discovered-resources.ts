// Sets of resources that a controller watches as discovery reports them, while kinds come and go.
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, GetDeletableResources, Sync; the same in
// resourcequota.

import { apiVersionOf, type GroupVersionResource, resourceText } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { type ApiResourceList, discoveredResource } from "#client/discovery.ts";
import { compareText } from "./order.ts";

/** By resource text, in the order of that text. */
export type Resources = ReadonlyMap<string, Resource>;

export const noResources: Resources = new Map();

/** The resources that have all of these verbs. */
export function resourcesWith(verbs: readonly string[], lists: readonly ApiResourceList[]): Resources {
  return resourceSet(
    lists.flatMap(({ groupVersion, resources }) =>
      resources
        .filter((resource) => verbs.every((verb) => resource.verbs.includes(verb)))
        .map((resource) => discoveredResource(groupVersion, resource)),
    ),
  );
}

/** Keeps the resources of group versions that could not be discovered, if they are permitted. */
export function withUndiscovered(
  found: Resources,
  before: Resources,
  failed: ReadonlySet<string>,
  mayStay: (resource: GroupVersionResource) => boolean,
): Resources {
  const kept = [...before.values()].filter((resource) => failed.has(apiVersionOf(resource)) && mayStay(resource));
  return kept.length === 0 ? found : resourceSet([...found.values(), ...kept]);
}

export interface ResourceDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Undefined: the sets are equal. */
export function resourceDiff(before: Resources, after: Resources): ResourceDiff | undefined {
  const added = [...after.keys()].filter((text) => !before.has(text));
  const removed = [...before.keys()].filter((text) => !after.has(text));
  return added.length + removed.length === 0 ? undefined : { added, removed };
}

function resourceSet(resources: readonly Resource[]): Resources {
  const entries = resources.map((resource) => [resourceText(resource), resource] as const);
  return new Map(entries.sort(([a], [b]) => compareText(a, b)));
}
