// Maps kinds to resources and back, from discovery. The table is built on first use. Only a reset rebuilds it, so a
// kind that appeared later is unknown until then.
// Upstream: client-go/restmapper/discovery.go; apimachinery/pkg/api/meta/{priority,restmapper}.go

import { apiVersionOf } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { type ApiGroup, discoveredResource, groupsAndResources, groupVersionOf } from "#client/discovery.ts";
import type { CachedDiscovery } from "#client/discovery-cache.ts";

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Empty fields match anything. */
export interface PartialResource {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
}

export class NoKindMatch extends Error {
  override readonly name = "NoKindMatch";
  constructor({ group, kind }: GroupKind, versions: readonly string[]) {
    const searched = [...new Set(versions.map((version) => apiVersionOf({ group, version })))];
    const where =
      searched.length === 0
        ? `group "${group}"`
        : searched.length === 1
          ? `version "${searched[0]}"`
          : `versions [${searched.map((version) => `"${version}"`).join(" ")}]`;
    super(`no matches for kind "${kind}" in ${where}`);
  }
}

export class NoResourceMatch extends Error {
  override readonly name = "NoResourceMatch";
  constructor({ group = "", version = "", resource }: PartialResource) {
    super(`no matches for ${group}/${version}, Resource=${resource}`);
  }
}

export interface RestMapper {
  /**
   * The kind's resource in the first of the given versions that has the kind; without versions, in the group's
   * preferred version.
   */
  mapping(gk: GroupKind, versions: readonly string[], signal: AbortSignal): Promise<Resource>;
  /** The kind's resources in all versions, best first. */
  mappings(gk: GroupKind, versions: readonly string[], signal: AbortSignal): Promise<readonly Resource[]>;
  resourceFor(resource: PartialResource, signal: AbortSignal): Promise<Resource>;
  /** All that match, best first. */
  resourcesFor(resource: PartialResource, signal: AbortSignal): Promise<readonly Resource[]>;
  /** Forgets the table, without a request. */
  reset(): void;
}

interface Entry {
  readonly resource: Resource;
  readonly singular: string;
}

interface Table {
  /** Best first. */
  readonly entries: readonly Entry[];
  /** The resources of each kind, by its lower-case name; in the same order. */
  readonly byKind: ReadonlyMap<string, readonly Resource[]>;
}

export function createRestMapper(discovery: CachedDiscovery): RestMapper {
  let table: Table | undefined;
  let resets = 0;

  function reset(): void {
    resets++;
    discovery.invalidate();
    table = undefined;
  }

  /** A table that was being built during a reset still serves the callers that wait for it, but is not kept. */
  async function current(signal: AbortSignal): Promise<Table> {
    if (table !== undefined) return table;
    const resetsBefore = resets;
    const built = await buildTable(discovery, signal);
    if (resets === resetsBefore) table = built;
    return built;
  }

  async function lookUp<R>(find: (table: Table) => R | undefined, signal: AbortSignal): Promise<R | undefined> {
    for (;;) {
      const found = find(await current(signal));
      if (found !== undefined || discovery.isFresh) return found;
      reset();
    }
  }

  async function mappings(gk: GroupKind, versions: readonly string[], signal: AbortSignal) {
    const found = await lookUp((table) => orUndefined(ofKind(table, gk, versions)), signal);
    if (!found) throw new NoKindMatch(gk, versions);
    return found;
  }

  async function resourcesFor(resource: PartialResource, signal: AbortSignal): Promise<readonly Resource[]> {
    const found = await lookUp((table) => orUndefined(ofResource(table, resource)), signal);
    if (!found) throw new NoResourceMatch(resource);
    return found.map((entry) => entry.resource);
  }

  return {
    reset,
    mappings,
    resourcesFor,
    mapping: async (gk, versions, signal) => (await mappings(gk, versions, signal))[0] as Resource,
    resourceFor: async (resource, signal) => (await resourcesFor(resource, signal))[0] as Resource,
  };
}

/** Core v1 first, then group by group, each with its preferred version before the others. */
async function buildTable(discovery: CachedDiscovery, signal: AbortSignal): Promise<Table> {
  const { groups, lists } = await groupsAndResources(discovery, signal);
  const byVersion = new Map(lists.map((list) => [list.groupVersion, list.resources]));
  const core = groups.filter(({ name }) => name === "");
  const entries: Entry[] = [];
  for (const group of [...core, ...groups.filter(({ name }) => name !== "")]) {
    for (const version of versionsByPreference(group)) {
      const groupVersion = groupVersionOf(group, version);
      for (const served of byVersion.get(groupVersion) ?? []) {
        if (served.name.includes("/")) continue;
        const singular = served.singularName || served.kind.toLowerCase();
        entries.push({ resource: discoveredResource(groupVersion, served), singular });
      }
    }
  }
  const resources = entries.map(({ resource }) => resource);
  return { entries, byKind: Map.groupBy(resources, ({ kind }) => kind.toLowerCase()) };
}

function versionsByPreference({ versions, preferredVersion }: ApiGroup): readonly string[] {
  return versions.toSorted((a, b) => Number(b === preferredVersion) - Number(a === preferredVersion));
}

function ofKind({ byKind }: Table, gk: GroupKind, versions: readonly string[]): readonly Resource[] {
  const wanted = versions.filter((version) => version !== "");
  const candidates = byKind.get(gk.kind.toLowerCase()) ?? [];
  return candidates
    .filter(
      ({ group, version, kind }) =>
        group === gk.group &&
        (kind === gk.kind || kind.toLowerCase() === gk.kind) &&
        (wanted.length === 0 || wanted.includes(version)),
    )
    .toSorted((a, b) => wanted.indexOf(a.version) - wanted.indexOf(b.version));
}

function ofResource({ entries }: Table, wanted: PartialResource): readonly Entry[] {
  const { group, version } = wanted;
  const name = wanted.resource.toLowerCase();
  const candidates = entries.filter(
    ({ resource, singular }) =>
      (resource.resource === name || singular === name) && (!version || resource.version === version),
  );
  if (!group) return candidates;
  const exact = candidates.filter(({ resource }) => resource.group === group);
  return exact.length > 0 ? exact : candidates.filter(({ resource }) => resource.group.startsWith(group));
}

function orUndefined<E>(items: readonly E[]): readonly E[] | undefined {
  return items.length > 0 ? items : undefined;
}
