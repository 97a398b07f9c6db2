// Discovery documents: the legacy lists and the aggregated one, derived from the registry's rows.
// Upstream: k8s.io/apiserver/pkg/endpoints/discovery

import { apiVersionOf } from "#api/object.ts";
import { builtinGroups, type Subresource } from "#api/resource-table.ts";
import { builtinGroupPriority, CUSTOM_PRIORITY } from "../aggregation/priorities.ts";
import type { Endpoint, Registry } from "../registry.ts";

type Document = Readonly<Record<string, unknown>>;

/** The groups in discovery order, by priority and then by name; without the core group. */
export function orderedGroups(registry: Registry): readonly string[] {
  const builtin = builtinGroups().map(({ group }) => group);
  const groups = new Set([...registry.groups(), ...registry.remotes().map(({ group }) => group)]);
  groups.delete("");
  const ranks = new Map(Array.from(groups, (group) => [group, rankOfGroup(registry, group)]));
  // Built-in groups with the same priority are in the order of the table.
  const place = (group: string): number => (builtin.includes(group) ? builtin.indexOf(group) : builtin.length);
  return [...groups].sort(
    (a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || place(a) - place(b) || (a < b ? -1 : 1),
  );
}

/** The group of APIServices is first. */
const FIRST = "apiregistration.k8s.io";

function rankOfGroup(registry: Registry, group: string): number {
  const remote = registry.remotes(group).map(({ groupPriority }) => groupPriority);
  const own = registry.hasGroup(group) ? (builtinGroupPriority(group) ?? CUSTOM_PRIORITY.group) : 0;
  return group === FIRST ? Number.POSITIVE_INFINITY : Math.max(own, ...remote);
}

/** The preferred version is first. */
export function orderedVersions(registry: Registry, group: string): readonly string[] {
  const ranked = builtinGroups().find((known) => known.group === group)?.versions ?? [];
  const served = [
    ...new Set([...registry.versionsOf(group), ...registry.remotes(group).map(({ version }) => version)]),
  ];
  const others = served.filter((version) => !ranked.includes(version));
  const rank = (version: string): number => registry.remote(group, version)?.versionPriority ?? CUSTOM_PRIORITY.version;
  others.sort((a, b) => rank(b) - rank(a) || compareVersions(a, b));
  return [...ranked.filter((version) => served.includes(version)), ...others];
}

/**
 * Stable before beta before alpha, then higher numbers first. Other versions are last, by name.
 * Upstream: k8s.io/apimachinery/pkg/version, CompareKubeAwareVersionStrings
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    return left === right ? (a < b ? -1 : a > b ? 1 : 0) : left === undefined ? 1 : -1;
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function rankOf(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

/** GET /api */
export function coreVersions(registry: Registry, serverAddress: string): Document {
  return {
    kind: "APIVersions",
    versions: orderedVersions(registry, ""),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** GET /apis */
export function groupList(registry: Registry): Document {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: orderedGroups(registry).map((group) => groupEntry(registry, group)),
  };
}

/** GET /apis/<group> */
export function groupDocument(registry: Registry, group: string): Document {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(registry, group) };
}

function groupEntry(registry: Registry, group: string): Document {
  const versions = orderedVersions(registry, group).map((version) => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** GET /api/v1 and /apis/<group>/<version> */
export function resourceList(registry: Registry, group: string, version: string): Document {
  const resources = registry
    .endpointsOf(group, version)
    .flatMap((endpoint) => [
      mainResource(endpoint),
      ...endpoint.version.subresources.map((subresource) => subresourceEntry(endpoint, subresource)),
    ]);
  const apiVersion = group === "" ? {} : { apiVersion: "v1" };
  return { kind: "APIResourceList", ...apiVersion, groupVersion: apiVersionOf({ group, version }), resources };
}

function mainResource({ row, version }: Endpoint): Document {
  return {
    name: row.resource,
    singularName: row.singular,
    namespaced: row.namespaced,
    kind: version.kind,
    verbs: version.verbs,
    ...(row.shortNames.length > 0 ? { shortNames: row.shortNames } : {}),
    ...(row.categories.length > 0 ? { categories: row.categories } : {}),
    ...(version.storageVersionHash === "" ? {} : { storageVersionHash: version.storageVersionHash }),
  };
}

function subresourceEntry({ row, version }: Endpoint, { name, verbs, kind }: Subresource): Document {
  const isForeign = kind.group !== version.group || kind.version !== version.version;
  return {
    name: `${row.resource}/${name}`,
    singularName: "",
    namespaced: row.namespaced,
    ...(isForeign ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs,
  };
}

/** GET /api or /apis for clients of aggregated discovery. */
export function aggregated(registry: Registry, isCore: boolean, apiVersion: string): Document {
  const groups = isCore ? [""] : orderedGroups(registry);
  const items = groups.map((group) => ({
    metadata: group === "" ? {} : { name: group },
    versions: orderedVersions(registry, group).map((version) => aggregatedVersion(registry, group, version)),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${apiVersion}`, metadata: {}, items };
}

/** A version whose server does not answer is stale and shows its last known resources. */
function aggregatedVersion(registry: Registry, group: string, version: string): Document {
  const remote = registry.remote(group, version);
  if (remote === undefined) {
    return { version, resources: registry.endpointsOf(group, version).map(aggregatedResource), freshness: "Current" };
  }
  const { resources, isCurrent } = remote;
  return { version, ...(resources.length > 0 && { resources }), freshness: isCurrent ? "Current" : "Stale" };
}

function aggregatedResource({ row, version }: Endpoint): Document {
  // Absent group and version mean those of the list. Custom kinds set them.
  const responseKind = ({ group, version: name, kind }: Subresource["kind"]): Document =>
    group === version.group && name === version.version && !row.isCustom
      ? { group: "", version: "", kind }
      : { group, version: name, kind };
  const subresources = version.subresources.map(({ name, verbs, kind }) => ({
    subresource: name,
    responseKind: responseKind(kind),
    verbs,
  }));
  return {
    resource: row.resource,
    responseKind: responseKind(version),
    scope: row.namespaced ? "Namespaced" : "Cluster",
    singularResource: row.singular,
    verbs: version.verbs,
    ...(row.shortNames.length > 0 ? { shortNames: row.shortNames } : {}),
    ...(row.categories.length > 0 ? { categories: row.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
