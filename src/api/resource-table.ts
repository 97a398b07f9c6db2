// Every built-in resource of Kubernetes v1.36.4 as discovery describes it, found by resource or by
// kind. Decoded once, on first use, from generated/resource-rows.ts.

import { resourceRows } from "#api/generated/resource-rows.ts";
import { lazy } from "#api/lazy.ts";
import type { GroupVersionKind, GroupVersionResource } from "#api/object.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

export interface Subresource {
  /** For example "status" or "scale". */
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of its requests and answers: Scale for "scale", Eviction for "eviction". */
  readonly kind: GroupVersionKind;
}

export interface BuiltinResource extends GroupVersionResource {
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  /** As discovery prints it; "" for kinds that are not stored (reviews, bindings). */
  readonly storageVersionHash: string;
  /** By default upstream serves stable versions, but not alpha and beta ones. */
  readonly servedByDefault: boolean;
}

export interface ApiGroup {
  readonly group: string;
  /** In order of preference: the first is the preferred version. */
  readonly versions: readonly string[];
}

type Row = [string, string, string, 0 | 1, string, string[], string[], string, [string, string, string][]];

interface Table {
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly BuiltinResource[];
  readonly byResource: ReadonlyMap<string, BuiltinResource>;
  readonly byKind: ReadonlyMap<string, BuiltinResource>;
}

const verbOf: Readonly<Record<string, Verb>> = {
  c: "create",
  d: "delete",
  D: "deletecollection",
  g: "get",
  l: "list",
  p: "patch",
  u: "update",
  w: "watch",
};

const table = lazy(decode);

/** The core group first, then the others in the order in which discovery lists them. */
export function builtinGroups(): readonly ApiGroup[] {
  return table().groups;
}

/** In the order of builtinGroups, each version's resources by name. */
export function builtinResources(): readonly BuiltinResource[] {
  return table().resources;
}

export function resourceOf(gvr: GroupVersionResource): BuiltinResource | undefined {
  return table().byResource.get(`${gvr.group}/${gvr.version}/${gvr.resource}`);
}

export function resourceOfKind(gvk: GroupVersionKind): BuiltinResource | undefined {
  return table().byKind.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
}

function decode(): Table {
  const groups: { group: string; versions: string[] }[] = [];
  const resources: BuiltinResource[] = [];
  const byResource = new Map<string, BuiltinResource>();
  const byKind = new Map<string, BuiltinResource>();
  const verbLists = new Map<string, readonly Verb[]>();
  const verbs = (letters: string): readonly Verb[] => {
    const known = verbLists.get(letters) ?? Array.from(letters, (letter) => verbOf[letter] as Verb);
    verbLists.set(letters, known);
    return known;
  };
  for (const [groupVersion, json] of Object.entries(resourceRows)) {
    const [group, version] = groupVersion.split("/") as [string, string];
    const last = groups.at(-1);
    if (last?.group === group) last.versions.push(version);
    else groups.push({ group, versions: [version] });
    for (const row of JSON.parse(json) as Row[]) {
      const resource = decodeRow(group, version, row, verbs);
      resources.push(resource);
      byResource.set(`${groupVersion}/${resource.resource}`, resource);
      byKind.set(`${groupVersion}/${resource.kind}`, resource);
    }
  }
  return { groups, resources, byResource, byKind };
}

function decodeRow(
  group: string,
  version: string,
  row: Row,
  verbs: (letters: string) => readonly Verb[],
): BuiltinResource {
  const [resource, singular, kind, namespaced, letters, shortNames, categories, storageVersionHash, subresources] = row;
  return {
    group,
    version,
    resource,
    singular,
    kind,
    namespaced: namespaced === 1,
    verbs: verbs(letters),
    shortNames,
    categories,
    subresources: subresources.map(([name, subVerbs, subKind]) => ({
      name,
      verbs: verbs(subVerbs),
      kind: kindOf(group, version, subKind),
    })),
    storageVersionHash,
    servedByDefault: /^v\d+$/.test(version),
  };
}

function kindOf(group: string, version: string, text: string): GroupVersionKind {
  const foreign = text.split("/");
  return foreign.length === 3
    ? { group: foreign[0] as string, version: foreign[1] as string, kind: foreign[2] as string }
    : { group, version, kind: text };
}
