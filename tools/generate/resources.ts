// Emits src/api/generated/resources.ts: every built-in resource with what discovery says of it,
// read from the discovery documents. src/api/resource-table.ts holds the decoder.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { emit, jsonRecord } from "#tools/generate/emit.ts";
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

/** Returns the group versions it found: "v1", "apps/v1" and so on. */
export function generateResources(): string[] {
  const dir = join(moduleDir("k8s.io/kubernetes"), "api", "discovery");
  const { groups } = readJson<ApiGroups>(join(dir, "apis.json"));
  const entries: [string, unknown][] = [["/v1", rowsOf(join(dir, "api__v1.json"))]];
  for (const { name, versions } of groups) {
    for (const { version } of versions) {
      const file = join(dir, `apis__${name}__${version}.json`);
      if (!existsSync(file)) throw new Error(`no discovery document for ${name}/${version}`);
      entries.push([`${name}/${version}`, rowsOf(file)]);
    }
  }
  emit("resources.ts", jsonRecord("resourceRows", entries));
  return entries.map(([groupVersion]) => groupVersion.replace(/^\//, ""));
}

function rowsOf(file: string): unknown[] {
  const { resources } = readJson<{ resources: readonly ApiResource[] }>(file);
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
