// From kinds to resources and back, by what discovery says. Built when first asked; only a reset makes
// it look again, so a kind that appeared since stays unknown until then.
// Upstream: client-go/restmapper/discovery.go; apimachinery/pkg/api/meta/{priority,restmapper}.go

import { apiVersionOf, type GroupVersionKind, type GroupVersionResource } from "#api/object.ts";
import { type ApiGroup, groupsAndResources, groupVersionOf } from "#client/discovery.ts";
import type { CachedDiscovery } from "#client/discovery-cache.ts";

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface RestMapping {
  readonly gvr: GroupVersionResource;
  readonly gvk: GroupVersionKind;
  readonly isNamespaced: boolean;
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
  /** The mapping in the first given version that has the kind; in the group's preferred one when none is given. */
  mapping(gk: GroupKind, versions: readonly string[], signal: AbortSignal): Promise<RestMapping>;
  /** All mappings of a kind, best first. */
  mappings(gk: GroupKind, versions: readonly string[], signal: AbortSignal): Promise<readonly RestMapping[]>;
  resourceFor(resource: PartialResource, signal: AbortSignal): Promise<GroupVersionResource>;
  kindFor(resource: PartialResource, signal: AbortSignal): Promise<GroupVersionKind>;
  /** Forgets all, without a request. */
  reset(): void;
}

interface Entry extends RestMapping {
  readonly singular: string;
}

export function createRestMapper(discovery: CachedDiscovery): RestMapper {
  let table: readonly Entry[] | undefined;
  let resets = 0;

  function reset(): void {
    resets++;
    discovery.invalidate();
    table = undefined;
  }

  /** A table that was being built when all was forgotten serves whoever waits for it, and is not kept. */
  async function current(signal: AbortSignal): Promise<readonly Entry[]> {
    if (table !== undefined) return table;
    const resetsBefore = resets;
    const built = await buildTable(discovery, signal);
    if (resets === resetsBefore) table = built;
    return built;
  }

  async function lookUp<R>(
    find: (entries: readonly Entry[]) => R | undefined,
    signal: AbortSignal,
  ): Promise<R | undefined> {
    for (;;) {
      const found = find(await current(signal));
      if (found !== undefined || discovery.isFresh) return found;
      reset();
    }
  }

  async function mappings(gk: GroupKind, versions: readonly string[], signal: AbortSignal) {
    const found = await lookUp((entries) => orUndefined(ofKind(entries, gk, versions)), signal);
    if (!found) throw new NoKindMatch(gk, versions);
    return found;
  }

  async function first(resource: PartialResource, signal: AbortSignal): Promise<RestMapping> {
    const found = await lookUp((entries) => ofResource(entries, resource)[0], signal);
    if (!found) throw new NoResourceMatch(resource);
    return found;
  }

  return {
    reset,
    mappings,
    mapping: async (gk, versions, signal) => (await mappings(gk, versions, signal))[0] as RestMapping,
    resourceFor: async (resource, signal) => (await first(resource, signal)).gvr,
    kindFor: async (resource, signal) => (await first(resource, signal)).gvk,
  };
}

/** Best first: core v1, then group by group, each with its preferred version before the others. */
async function buildTable(discovery: CachedDiscovery, signal: AbortSignal): Promise<readonly Entry[]> {
  const { groups, lists } = await groupsAndResources(discovery, signal);
  const byVersion = new Map(lists.map((list) => [list.groupVersion, list.resources]));
  const core = groups.filter(({ name }) => name === "");
  const entries: Entry[] = [];
  for (const group of [...core, ...groups.filter(({ name }) => name !== "")]) {
    for (const version of versionsByPreference(group)) {
      for (const { name, kind, singularName, namespaced } of byVersion.get(groupVersionOf(group, version)) ?? []) {
        if (name.includes("/")) continue;
        const gv = { group: group.name, version };
        const singular = singularName || kind.toLowerCase();
        entries.push({ gvr: { ...gv, resource: name }, gvk: { ...gv, kind }, isNamespaced: namespaced, singular });
      }
    }
  }
  return entries;
}

function versionsByPreference({ versions, preferredVersion }: ApiGroup): readonly string[] {
  return versions.toSorted((a, b) => Number(b === preferredVersion) - Number(a === preferredVersion));
}

function ofKind(entries: readonly Entry[], gk: GroupKind, versions: readonly string[]): readonly RestMapping[] {
  const wanted = versions.filter((version) => version !== "");
  const candidates = entries.filter(
    ({ gvk }) =>
      gvk.group === gk.group &&
      (gvk.kind === gk.kind || gvk.kind.toLowerCase() === gk.kind) &&
      (wanted.length === 0 || wanted.includes(gvk.version)),
  );
  return candidates.toSorted((a, b) => wanted.indexOf(a.gvk.version) - wanted.indexOf(b.gvk.version));
}

function ofResource(entries: readonly Entry[], { group, version, resource }: PartialResource): readonly Entry[] {
  const name = resource.toLowerCase();
  const candidates = entries.filter(
    ({ gvr, singular }) => (gvr.resource === name || singular === name) && (!version || gvr.version === version),
  );
  if (!group) return candidates;
  const exact = candidates.filter(({ gvr }) => gvr.group === group);
  return exact.length > 0 ? exact : candidates.filter(({ gvr }) => gvr.group.startsWith(group));
}

function orUndefined<E>(items: readonly E[]): readonly E[] | undefined {
  return items.length > 0 ? items : undefined;
}
