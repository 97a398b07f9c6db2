// Reads the OpenAPI v3 documents into one set of definitions. A definition in several documents is the same in all of
// them, except that each document adds its own group-version-kinds.

import { join } from "node:path";
import { byCodeUnit } from "#tools/generate/emit.ts";
import { filesIn, moduleDir, readJson } from "#tools/generate/upstream.ts";

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly Gvk[];
}

export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Definition {
  /** For example "io.k8s.api.core.v1.PodSpec". */
  readonly fullName: string;
  /** The last two segments before the name: "core.v1". Unique among the documents. */
  readonly pkg: string;
  readonly name: string;
  readonly schema: OpenApiSchema;
  /** The kinds whose whole schema is this definition; several for DeleteOptions and WatchEvent. */
  readonly kinds: readonly Gvk[];
}

/** Definitions by full name, in code-unit order. */
export type Definitions = ReadonlyMap<string, Definition>;

export function loadDefinitions(): Definitions {
  const dir = join(moduleDir("k8s.io/kubernetes"), "api", "openapi-spec", "v3");
  const schemas = new Map<string, OpenApiSchema>();
  const kinds = new Map<string, Map<string, Gvk>>();
  for (const file of filesIn(dir, /_openapi\.json$/)) {
    const doc = readJson<{ components?: { schemas?: Record<string, OpenApiSchema> } }>(join(dir, file));
    for (const [fullName, schema] of Object.entries(doc.components?.schemas ?? {})) {
      schemas.set(fullName, schema);
      for (const gvk of schema["x-kubernetes-group-version-kind"] ?? []) {
        kinds.getOrInsertComputed(fullName, () => new Map()).set(`${gvk.group}/${gvk.version}/${gvk.kind}`, gvk);
      }
    }
  }
  const names = [...schemas.keys()].sort(byCodeUnit);
  return new Map(
    names.map((fullName) => {
      const schema = schemas.get(fullName) as OpenApiSchema;
      return [
        fullName,
        { fullName, ...splitName(fullName), schema, kinds: [...(kinds.get(fullName)?.values() ?? [])] },
      ];
    }),
  );
}

function splitName(fullName: string): { pkg: string; name: string } {
  const segments = fullName.split(".");
  return { pkg: segments.slice(-3, -1).join("."), name: segments.at(-1) as string };
}

/** The full name that a `$ref`, or an `allOf` around a single one, points to. */
export function refTarget(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.slice("#/components/schemas/".length);
}

/** Definitions grouped by package, both in code-unit order. */
export function byPackage(definitions: Definitions): [string, Definition[]][] {
  const groups = Map.groupBy(definitions.values(), (definition) => definition.pkg);
  return [...groups].sort(([a], [b]) => byCodeUnit(a, b));
}

/** The group and version that a package's kinds live in; undefined for meta and the other shared packages. */
export function groupVersionOf(members: readonly Definition[]): { group: string; version: string } | undefined {
  const gvk = members.find((member) => member.kinds.length === 1 && !isShared(member))?.kinds[0];
  return gvk && { group: gvk.group, version: gvk.version };
}

export function isShared(definition: Definition): boolean {
  return definition.fullName.startsWith("io.k8s.apimachinery.");
}
