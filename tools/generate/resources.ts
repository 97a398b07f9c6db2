// Emits src/api/generated/resource-rows.ts, every built-in resource with its discovery data, and
// src/api/generated/resources/<group>-<version>.ts, the handles of the resources. Both are read from the discovery
// documents. src/api/resource-table.ts decodes the rows.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { clear, emit, jsonRecord } from "#tools/generate/emit.ts";
import { typesFileName } from "#tools/generate/types.ts";
import { moduleDir, readJson } from "#tools/generate/upstream.ts";

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

interface ApiGroups {
  readonly groups: readonly { readonly name: string; readonly versions: readonly { readonly version: string }[] }[];
}

interface DiscoveryDocument {
  readonly group: string;
  readonly version: string;
  readonly file: string;
  readonly resources: readonly ApiResource[];
}

/** One letter for each verb; the decoder has the same list. */
const verbLetters: Readonly<Record<string, string>> = {
  create: "c",
  delete: "d",
  deletecollection: "D",
  get: "g",
  list: "l",
  patch: "p",
  update: "u",
  watch: "w",
};

/** "v1", "apps/v1" and so on. */
export function groupVersions(): string[] {
  return discoveryDocuments().map(({ group, version }) => (group === "" ? version : `${group}/${version}`));
}

export function generateResources(): void {
  const documents = discoveryDocuments();
  emit("resource-rows.ts", jsonRecord("resourceRows", documents.map(rowEntry)));
  clear("resources");
  for (const document of documents) emit(`resources/${typesFileName(document)}.ts`, handles(document));
}

function discoveryDocuments(): readonly DiscoveryDocument[] {
  const dir = join(moduleDir("k8s.io/kubernetes"), "api", "discovery");
  const { groups } = readJson<ApiGroups>(join(dir, "apis.json"));
  const named = groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version })));
  return [{ group: "", version: "v1" }, ...named].map(({ group, version }) => {
    const file = join(dir, group === "" ? `api__${version}.json` : `apis__${group}__${version}.json`);
    if (!existsSync(file)) throw new Error(`no discovery document for ${group}/${version}`);
    return { group, version, file, ...readJson<{ resources: readonly ApiResource[] }>(file) };
  });
}

function rowEntry(document: DiscoveryDocument): [string, unknown] {
  return [`${document.group}/${document.version}`, rowsOf(document)];
}

function rowsOf({ file, resources }: DiscoveryDocument): unknown[] {
  const kinds = new Set<string>();
  const parents = resources.filter(({ name }) => !name.includes("/"));
  const claimed = new Set(parents.map(({ name }) => name));
  const orphan = resources.find(({ name }) => !claimed.has(name.split("/")[0] as string));
  if (orphan !== undefined) throw new Error(`subresource without a resource: ${orphan.name}`);
  return parents.map((parent) => {
    if (kinds.has(parent.kind)) throw new Error(`two resources of kind ${parent.kind} in ${file}`);
    kinds.add(parent.kind);
    const subresources = resources
      .filter(({ name }) => name.startsWith(`${parent.name}/`))
      .map((sub) => [sub.name.slice(parent.name.length + 1), letters(sub.verbs), foreignKind(sub)]);
    return [
      parent.name,
      parent.singularName,
      parent.kind,
      parent.namespaced ? 1 : 0,
      letters(parent.verbs),
      parent.shortNames ?? [],
      parent.categories ?? [],
      parent.storageVersionHash ?? "",
      subresources,
    ];
  });
}

function letters(verbs: readonly string[]): string {
  return verbs
    .map((verb) => {
      const letter = verbLetters[verb];
      if (letter === undefined) throw new Error(`unknown verb ${verb}`);
      return letter;
    })
    .join("");
}

/** A subresource's kind, preceded by its group and version if they are not its resource's. */
function foreignKind({ group, version, kind }: ApiResource): string {
  return group === undefined || version === undefined ? kind : `${group}/${version}/${kind}`;
}

/** One exported constant for each resource, so that importing a handle loads no table. */
function handles({ group, version, resources }: DiscoveryDocument): string {
  const file = typesFileName({ group, version });
  const served = resources.filter(({ name }) => !name.includes("/"));
  const wrappers = new Set<string>();
  const declarations = served.map(({ name, kind, namespaced, verbs }) => {
    const handle = handleName(kind, name);
    const wrapper = namespaced ? "Stored" : "StoredCluster";
    const isStored = verbs.includes("get");
    if (isStored) wrappers.add(wrapper);
    const type = isStored ? `${wrapper}<types.${kind}>` : `types.${kind}`;
    const scope = namespaced ? "Namespaced" : "Cluster";
    // Without the type beside the handle, no file could import both under this name.
    const sameName = handle === kind ? `export type ${kind} = types.${kind};\n` : "";
    return `${sameName}export const ${handle} = {
  group: "${group}",
  version: "${version}",
  resource: "${name}",
  kind: "${kind}",
  scope: "${scope}",
} as Resource<${type}>;
`;
  });
  const imported = ["Resource", ...wrappers].sort().join(", ");
  return `import type { ${imported} } from "#api/resource.ts";
import type * as types from "../types/${file}.ts";

${declarations.join("\n")}`;
}

/** The plural of the kind: "NetworkPolicies" for the kind "NetworkPolicy" and the resource "networkpolicies". */
function handleName(kind: string, resource: string): string {
  let shared = 0;
  while (shared < kind.length && kind[shared]?.toLowerCase() === resource[shared]) shared++;
  if (shared < kind.length - 1) throw new Error(`resource ${resource} is not the plural of kind ${kind}`);
  return kind.slice(0, shared) + resource.slice(shared);
}
