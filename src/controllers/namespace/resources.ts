// Which resources a namespace may contain, from discovery.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, deleteAllContent, initOpCache.

import { resourceText } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import {
  type ApiResourceList,
  type Discovery,
  discoveredResource,
  preferredNamespacedResources,
} from "#client/discovery.ts";

/** The result of discovery, and the error if it is incomplete. */
export interface Discovered {
  readonly lists: readonly ApiResourceList[];
  readonly error?: unknown;
}

export async function discover(discovery: Discovery, signal: AbortSignal): Promise<Discovered> {
  try {
    const { lists, failure } = await preferredNamespacedResources(discovery, signal);
    return failure === undefined ? { lists } : { lists, error: failure };
  } catch (error) {
    signal.throwIfAborted();
    return { lists: [], error };
  }
}

/** The resources at the controller's start. If there are none, the program ends. */
export async function firstDiscovery(
  { discovery, log }: { readonly discovery: Discovery; readonly log: Logger },
  signal: AbortSignal,
): Promise<readonly ApiResourceList[]> {
  const { lists, error } = await discover(discovery, signal);
  if (error !== undefined) log.error(error, "Unable to get all supported resources from server");
  if (lists.length === 0) throw new Error("Unable to get any supported resources from server", { cause: error });
  return lists;
}

/** Each resource once. Throws for an invalid group version; then no resource is touched. */
export function deletableResources(lists: readonly ApiResourceList[]): readonly Resource[] {
  const byText = new Map<string, Resource>();
  for (const { groupVersion, resources } of lists) {
    const deletable = resources.filter(({ verbs }) => verbs.includes("delete"));
    if (deletable.length > 0 && groupVersion.split("/").length > 2) {
      throw new Error(`unexpected GroupVersion string: ${groupVersion}`);
    }
    for (const found of deletable) {
      const resource = discoveredResource(groupVersion, found);
      byText.set(resourceText(resource), resource);
    }
  }
  return [...byText.values()];
}
