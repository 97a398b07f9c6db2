// The resource that a migration names, in the version that the server prefers.
// Upstream: pkg/controller/storageversionmigrator/resourceversion.go, resourceFor.

import type { Resource } from "#api/resource.ts";
import { NoResourceMatch, type RestMapper } from "#client/rest-mapper.ts";
import { type Migration, resourceOf } from "./migrations.ts";

/** Undefined when discovery has no such resource. */
export async function migratedResource(
  migration: Migration,
  restMapper: RestMapper,
  signal: AbortSignal,
): Promise<Resource | undefined> {
  const wanted = resourceOf(migration);
  try {
    const found = await restMapper.resourcesFor(wanted, signal);
    return found.find(({ group, resource }) => group === wanted.group && resource === wanted.resource);
  } catch (error) {
    if (error instanceof NoResourceMatch) return undefined;
    throw error;
  }
}

/** As Go prints a GroupVersionResource. */
export function goName({ group, version, resource }: Pick<Resource, "group" | "version" | "resource">): string {
  return `${group}/${version}, Resource=${resource}`;
}
