// The groups, versions and resources that the server offers: from the aggregated documents if the server has them,
// otherwise from one document per version. A part that fails does not hide the rest.
// Upstream: client-go/discovery/discovery_client.go, aggregated_discovery.go

import { apiVersionOf, parseApiVersion } from "#api/object.ts";
import { type Resource, resourceHandle } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { Client, RawResponse } from "#client/client.ts";
import { decodeJson, decodeText } from "#client/codec.ts";
import { parseMediaType } from "#client/headers.ts";
import { groupVersionPath } from "#client/paths.ts";

export interface ApiResource {
  /** "pods", or "pods/status" for a subresource. */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Set if it differs from the list's group. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface ApiResourceList {
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

export interface ApiGroup {
  /** "" for core. */
  readonly name: string;
  /** In the server's order. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/** The handle of a discovered resource. Its objects have the general type, because their real type is unknown. */
export function discoveredResource(groupVersion: string, { name, kind, namespaced }: ApiResource): Resource {
  const scope = namespaced ? "Namespaced" : "Cluster";
  return resourceHandle({ ...parseApiVersion(groupVersion), resource: name, kind, scope });
}

/** Some group versions could not be discovered. The result holds the others beside this error. */
export class GroupDiscoveryFailed extends Error {
  override readonly name = "GroupDiscoveryFailed";
  /** By group version. */
  readonly groups: ReadonlyMap<string, unknown>;
  constructor(groups: ReadonlyMap<string, unknown>) {
    const texts = [...groups].map(([gv, error]) => `${gv}: ${errorMessage(error)}`).sort();
    super(`unable to retrieve the complete list of server APIs: ${texts.join(", ")}`);
    this.groups = groups;
  }
}

/** The aggregated document says that this version's entry may be out of date. */
export class StaleGroupVersion extends Error {
  override readonly name = "StaleGroupVersion";
  constructor(groupVersion: string) {
    super(`stale GroupVersion discovery: ${groupVersion}`);
  }
}

export interface GroupsAndResources {
  readonly groups: readonly ApiGroup[];
  readonly lists: readonly ApiResourceList[];
  /** Set when lists is not complete. */
  readonly failure?: GroupDiscoveryFailed;
}

export type ResourceLists = Pick<GroupsAndResources, "lists" | "failure">;

/** Groups, and the resources too when all documents were aggregated ones. */
export interface GroupDocuments {
  readonly groups: readonly ApiGroup[];
  readonly lists?: ReadonlyMap<string, ApiResourceList>;
  readonly failed: ReadonlyMap<string, unknown>;
}

export interface Discovery {
  groups(signal: AbortSignal): Promise<GroupDocuments>;
  resourcesOf(groupVersion: string, signal: AbortSignal): Promise<ApiResourceList>;
}

const AGGREGATED = ["v2", "v2beta1"];
const ACCEPT = [
  ...AGGREGATED.map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`),
  "application/json",
].join(",");
const FETCHES_MAX = 2;

export function createDiscovery(client: Client): Discovery {
  const read = async (path: string, signal: AbortSignal): Promise<unknown> =>
    decodeJson(decodeText((await client.raw({ method: "GET", path }, signal)).bytes));

  return {
    async groups(signal) {
      const fetch = (path: string): Promise<RawResponse> => client.raw({ method: "GET", path, accept: ACCEPT }, signal);
      const core = await fetch("/api").then(readDocument, (error: unknown) => {
        if (isNotFound(error)) return { groups: [], lists: new Map(), failed: new Map() };
        throw error;
      });
      const named = readDocument(await fetch("/apis"));
      return {
        groups: [...core.groups, ...named.groups],
        ...(core.lists && named.lists && { lists: new Map([...core.lists, ...named.lists]) }),
        failed: new Map([...core.failed, ...named.failed]),
      };
    },
    async resourcesOf(groupVersion, signal) {
      try {
        const list = (await read(groupVersionPath(parseApiVersion(groupVersion)), signal)) as {
          resources?: readonly ApiResource[];
        };
        return { groupVersion, resources: list.resources ?? [] };
      } catch (error) {
        if (groupVersion === "v1" && isNotFound(error)) return { groupVersion, resources: [] };
        throw error;
      }
    },
  };
}

/** The resources of every group version. */
export function groupsAndResources(discovery: Discovery, signal: AbortSignal): Promise<GroupsAndResources> {
  return again(() => fetchAll(discovery, signal));
}

/** Each resource once: in its group's preferred version, or else in the first version that has it. */
// Upstream: client-go/discovery/discovery_client.go, ServerPreferredResources
export function preferredResources(discovery: Discovery, signal: AbortSignal): Promise<ResourceLists> {
  return again(async () => {
    const { groups, lists, failure } = await fetchAll(discovery, signal);
    const byVersion = new Map(lists.map((list) => [list.groupVersion, list]));
    const chosen: ApiResourceList[] = [];
    for (const group of groups) chosen.push(...preferredOfGroup(group, byVersion));
    return failure ? { lists: chosen, failure } : { lists: chosen };
  });
}

export async function preferredNamespacedResources(discovery: Discovery, signal: AbortSignal): Promise<ResourceLists> {
  const { lists, ...rest } = await preferredResources(discovery, signal);
  const namespaced = lists.map(({ groupVersion, resources }) => ({
    groupVersion,
    resources: resources.filter((resource) => resource.namespaced),
  }));
  return { lists: namespaced.filter((list) => list.resources.length > 0), ...rest };
}

function preferredOfGroup(group: ApiGroup, byVersion: ReadonlyMap<string, ApiResourceList>): ApiResourceList[] {
  const versionOf = new Map<string, string>();
  const available = group.versions.filter((version) => byVersion.has(groupVersionOf(group, version)));
  const resourcesIn = (version: string): readonly ApiResource[] =>
    byVersion.get(groupVersionOf(group, version))?.resources.filter(({ name }) => !name.includes("/")) ?? [];
  for (const version of available) {
    for (const { name } of resourcesIn(version)) {
      if (!versionOf.has(name) || version === group.preferredVersion) versionOf.set(name, version);
    }
  }
  return available.map((version) => ({
    groupVersion: groupVersionOf(group, version),
    resources: resourcesIn(version).filter(({ name }) => versionOf.get(name) === version),
  }));
}

async function fetchAll(discovery: Discovery, signal: AbortSignal): Promise<GroupsAndResources> {
  const { groups, lists, failed } = await discovery.groups(signal);
  if (lists) return complete(groups, [...lists.values()], failed);
  const versions = groups.flatMap((group) => group.versions.map((version) => groupVersionOf(group, version)));
  const errors = new Map<string, unknown>();
  const fetched = await Promise.all(
    versions.map((groupVersion) =>
      discovery.resourcesOf(groupVersion, signal).catch((error: unknown) => {
        if (signal.aborted) throw signal.reason;
        errors.set(groupVersion, error);
        return undefined;
      }),
    ),
  );
  return complete(
    groups,
    fetched.filter((list) => list !== undefined),
    errors,
  );
}

function complete(
  groups: readonly ApiGroup[],
  lists: readonly ApiResourceList[],
  failed: ReadonlyMap<string, unknown>,
): GroupsAndResources {
  return failed.size === 0 ? { groups, lists } : { groups, lists, failure: new GroupDiscoveryFailed(failed) };
}

/** A partial result is fetched a second time before it is returned. */
async function again<R extends { readonly failure?: GroupDiscoveryFailed }>(fetch: () => Promise<R>): Promise<R> {
  let result = await fetch();
  for (let fetches = 1; result.failure && fetches < FETCHES_MAX; fetches++) result = await fetch();
  return result;
}

export function groupVersionOf(group: { readonly name: string }, version: string): string {
  return apiVersionOf({ group: group.name, version });
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly AggregatedResource[];
  }[];
}

interface Gvk {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: Gvk | null;
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: Gvk | null;
    readonly verbs?: readonly string[];
  }[];
}

interface Document {
  readonly items?: readonly AggregatedGroup[];
  readonly versions?: readonly string[];
  readonly groups?: readonly LegacyGroup[];
}

/** The parsed form of documents from a server in this process: many controllers read the same document. */
const readBefore = new WeakMap<object, GroupDocuments>();

function readDocument(response: RawResponse): GroupDocuments {
  const { contentType, value } = response;
  if (typeof value !== "object" || value === null) {
    return readForm(contentType, decodeJson(decodeText(response.bytes)) as Document);
  }
  const read = readBefore.get(value) ?? readForm(contentType, value);
  readBefore.set(value, read);
  return read;
}

/** The content type of the answer decides which form the document has, not the request. */
function readForm(contentType: string, value: Document): GroupDocuments {
  const { type, parameters } = parseMediaType(contentType);
  const isAggregated =
    type === "application/json" &&
    parameters.get("g") === "apidiscovery.k8s.io" &&
    AGGREGATED.includes(parameters.get("v") ?? "") &&
    parameters.get("as") === "APIGroupDiscoveryList";
  if (isAggregated) return readAggregated(value.items ?? []);
  return { groups: value.groups ? value.groups.map(fromLegacy) : coreGroup(value.versions ?? []), failed: new Map() };
}

interface LegacyGroup {
  readonly name: string;
  readonly versions?: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version?: string };
}

function fromLegacy({ name, versions = [], preferredVersion }: LegacyGroup): ApiGroup {
  return { name, versions: versions.map(({ version }) => version), preferredVersion: preferredVersion?.version ?? "" };
}

function coreGroup(versions: readonly string[]): ApiGroup[] {
  return [{ name: "", versions, preferredVersion: versions[0] ?? "" }];
}

function readAggregated(items: readonly AggregatedGroup[]): GroupDocuments {
  const groups: ApiGroup[] = [];
  const lists = new Map<string, ApiResourceList>();
  const failed = new Map<string, unknown>();
  for (const item of items) {
    const group = { name: item.metadata?.name ?? "" };
    const current: string[] = [];
    for (const { version, freshness, resources = [] } of item.versions ?? []) {
      const groupVersion = groupVersionOf(group, version);
      if (freshness === "Stale") {
        failed.set(groupVersion, new StaleGroupVersion(groupVersion));
        continue;
      }
      current.push(version);
      lists.set(groupVersion, { groupVersion, resources: resources.flatMap(fromAggregated) });
    }
    groups.push({ ...group, versions: current, preferredVersion: current[0] ?? "" });
  }
  return { groups, lists, failed };
}

/** The resource and its subresources. An entry without a kind is left out. */
function fromAggregated(source: AggregatedResource): ApiResource[] {
  const shared = { singularName: source.singularResource ?? "", namespaced: source.scope === "Namespaced" };
  const result: ApiResource[] = [];
  const add = (name: string, kind: Gvk | null | undefined, rest: Pick<ApiResource, "verbs"> & Partial<ApiResource>) => {
    if (!kind?.kind) return;
    const { group, version } = kind;
    const where = { ...(group !== undefined && { group }), ...(version !== undefined && { version }) };
    result.push({ name, ...shared, kind: kind.kind, ...where, ...rest });
  };
  add(source.resource, source.responseKind, {
    verbs: source.verbs ?? [],
    ...(source.shortNames && { shortNames: source.shortNames }),
    ...(source.categories && { categories: source.categories }),
  });
  for (const { subresource, responseKind, verbs = [] } of source.subresources ?? []) {
    add(`${source.resource}/${subresource}`, responseKind, { verbs });
  }
  return result;
}
