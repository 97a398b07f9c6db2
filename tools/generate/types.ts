// Emits src/api/generated/types/<group>-<version>.ts: deep-readonly interfaces of every definition,
// wire-shaped (timestamps and quantities are strings) and without prose.

import { byCodeUnit, clear, emit } from "#tools/generate/emit.ts";
import {
  byPackage,
  type Definition,
  type Definitions,
  groupVersionOf,
  isShared,
  type OpenApiSchema,
  refTarget,
} from "#tools/generate/openapi.ts";

/** Written by hand in src/api; the generated meta-v1.ts re-exports them. */
const handWritten: Readonly<Record<string, readonly string[]>> = {
  "#api/meta.ts": [
    "Condition",
    "DeleteOptions",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Status",
    "StatusCause",
    "StatusDetails",
  ],
  "#api/object.ts": ["ListMeta", "WatchEvent"],
};

/** Definitions that are a JSON value rather than an object with fields. */
const aliases: Readonly<Record<string, string>> = {
  FieldsV1: "Readonly<Record<string, unknown>>",
  IntOrString: "string | number",
  JSON: "unknown",
  JSONSchemaPropsOrArray: "JSONSchemaProps | readonly JSONSchemaProps[]",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | readonly string[]",
  MicroTime: "string",
  Patch: "Readonly<Record<string, unknown>>",
  Quantity: "string",
  RawExtension: "Readonly<Record<string, unknown>>",
  Time: "string",
};

/**
 * The API server or controllers count these fields, so they stay below 2^53 in a real cluster and are plain numbers.
 * Every other int64 field holds a value from a user or a driver.
 */
const counted =
  /\.(?:observedGeneration|remainingItemCount)$|^(?:ObjectMeta\.generation|ControllerRevision\.revision)$/;

export function generateTypes(definitions: Definitions): void {
  clear("types");
  const fileOf = new Map<string, string>();
  for (const [pkg, members] of byPackage(definitions)) fileOf.set(pkg, fileName(members));
  const files = Map.groupBy(definitions.values(), ({ pkg }) => fileOf.get(pkg) as string);
  for (const [file, members] of files) emit(`types/${file}.ts`, fileBody(file, members, definitions, fileOf));
}

/** "rbac-v1" for rbac.authorization.k8s.io/v1; everything of apimachinery is "meta-v1". */
function fileName(members: readonly Definition[]): string {
  const gv = groupVersionOf(members);
  return gv === undefined ? "meta-v1" : typesFileName(gv);
}

export function typesFileName({ group, version }: { readonly group: string; readonly version: string }): string {
  return `${group.split(".")[0] || "core"}-${version}`;
}

function fileBody(
  file: string,
  members: readonly Definition[],
  definitions: Definitions,
  fileOf: ReadonlyMap<string, string>,
): string {
  const imports = new Set<string>();
  const nameOf = (fullName: string): string => {
    const target = definitions.get(fullName) as Definition;
    const targetFile = fileOf.get(target.pkg) as string;
    if (targetFile === file) return target.name;
    imports.add(targetFile);
    return `${namespaceOf(targetFile)}.${target.name}`;
  };
  const given = file === "meta-v1" ? Object.entries(handWritten) : [];
  const taken = new Set(given.flatMap(([, names]) => names));
  const declarations = members
    .filter(({ name }) => !taken.has(name))
    .sort((a, b) => byCodeUnit(a.name, b.name))
    .map((member) => declaration(member, nameOf));
  const importLines = [...imports]
    .sort(byCodeUnit)
    .map((from) => `import type * as ${namespaceOf(from)} from "./${from}.ts";\n`);
  const exportLines = given.map(([from, names]) => `export type { ${names.join(", ")} } from "${from}";\n`);
  const selfImports = given.map(([from, names]) => `import type { ${used(names, declarations)} } from "${from}";\n`);
  const int64 = used(["Int64"], declarations) && 'import type { Int64 } from "#api/int64.ts";\n';
  const head = [int64, ...selfImports.filter((line) => !line.includes("{  }")), ...importLines, ...exportLines].join(
    "",
  );
  return `${head}${head && "\n"}${declarations.join("\n")}`;
}

function used(names: readonly string[], declarations: readonly string[]): string {
  const text = declarations.join("");
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(", ");
}

/** "core-v1" becomes "coreV1". */
function namespaceOf(file: string): string {
  return file.replace("-v", "V");
}

function declaration(definition: Definition, nameOf: (fullName: string) => string): string {
  const { name, schema } = definition;
  const alias = aliases[name];
  if (alias !== undefined) return `export type ${name} = ${alias};\n`;
  const fields = Object.entries(schema.properties ?? {}).map(([field, fieldSchema]) => {
    const optional = schema.required?.includes(field) ? "" : "?";
    const type = literal(definition, field) ?? typeOf(fieldSchema, nameOf, counted.test(`${name}.${field}`));
    return `  readonly ${/^\w+$/.test(field) ? field : JSON.stringify(field)}${optional}: ${type};\n`;
  });
  if (fields.length === 0) return `export type ${name} = Readonly<Record<string, never>>;\n`;
  return `export interface ${name} {\n${fields.join("")}}\n`;
}

/** The kind field has a literal type, so that one kind is not mistaken for another. */
function literal(definition: Definition, field: string): string | undefined {
  const [gvk] = definition.kinds;
  if (gvk === undefined || isShared(definition)) return undefined;
  if (field === "kind") return JSON.stringify(gvk.kind);
  if (field === "apiVersion") return JSON.stringify(gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`);
  return undefined;
}

function typeOf(schema: OpenApiSchema, nameOf: (fullName: string) => string, isCounted = false): string {
  const ref = refTarget(schema);
  if (ref !== undefined) return nameOf(ref);
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return schema.format === "int64" && !isCounted ? "Int64" : "number";
    case "array":
      return `readonly ${element(typeOf(schema.items as OpenApiSchema, nameOf))}[]`;
    case "object":
      if (schema.additionalProperties !== undefined) {
        return `Readonly<Record<string, ${typeOf(schema.additionalProperties, nameOf)}>>`;
      }
      return "Readonly<Record<string, unknown>>";
    default:
      throw new Error(`no TypeScript type for ${JSON.stringify(schema)}`);
  }
}

function element(type: string): string {
  return type.startsWith("readonly ") ? `(${type})` : type;
}
