// Emits src/api/generated/schemas.ts: the schema of every definition in a compact code that src/api/schema-table.ts
// decodes. A field is a string:
//   "[" or "{"        list or map of the type that follows
//   s b i l d y *     string, boolean, int32, int64, double, bytes, anything
//   @Name @pkg/Name   another definition, of this package or of another one
// and after any of these signs
//   !                 its default is the zero value of its type
//   ~n                extra facts (list type, merge key, enum …): the n-th entry of schemaExtras
// Equal strings mean equal schemas, so the decoder can share their nodes.

import { emit, jsonLiteral, jsonRecord } from "#tools/generate/emit.ts";
import {
  byPackage,
  type Definition,
  type Definitions,
  groupVersionOf,
  type OpenApiSchema,
  refTarget,
} from "#tools/generate/openapi.ts";
import { runGoTool } from "#tools/generate/upstream.ts";

type Enums = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Objects without fields that accept any content, unlike empty structs. */
const freeForm = new Set(["FieldsV1", "Patch", "RawExtension"]);

/** Definitions that are one scalar or any value. */
const scalars: Readonly<Record<string, { readonly code: string; readonly extras?: object }>> = {
  IntOrString: { code: "*", extras: { format: "int-or-string", intOrString: true } },
  JSON: { code: "*" },
  JSONSchemaPropsOrArray: { code: "*" },
  JSONSchemaPropsOrBool: { code: "*" },
  JSONSchemaPropsOrStringArray: { code: "*" },
  MicroTime: { code: "s", extras: { format: "date-time" } },
  Quantity: { code: "s", extras: { format: "quantity" } },
  Time: { code: "s", extras: { format: "date-time" } },
};

export function generateSchemas(definitions: Definitions): void {
  const enums = JSON.parse(runGoTool("enums")) as Enums;
  const extras = new Interned();
  const packages = byPackage(definitions).map(([pkg, members]): [string, unknown] => {
    const first = members[0] as Definition;
    const gv = groupVersionOf(members);
    return [
      pkg,
      {
        prefix: first.fullName.slice(0, -first.name.length),
        groupVersion: gv === undefined ? undefined : `${gv.group}/${gv.version}`,
        kinds: members.filter(({ kinds }) => kinds.length > 0).map(({ name }) => name),
        types: Object.fromEntries(
          members.map((member) => [member.name, encodeDefinition(member, definitions, enums, extras)]),
        ),
      },
    ];
  });
  emit(
    "schemas.ts",
    `export const schemaExtras: string = ${jsonLiteral(extras.values)};\n\n${jsonRecord("schemaPackages", packages)}`,
  );
}

/** Distinct values, each numbered by its first appearance. */
class Interned {
  readonly values: object[] = [];
  readonly #numbers = new Map<string, number>();
  number(value: object): number {
    const text = JSON.stringify(value);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.values.length);
    return this.values.push(value) - 1;
  }
}

function encodeDefinition(
  { fullName, pkg, name, schema }: Definition,
  definitions: Definitions,
  enums: Enums,
  extras: Interned,
): unknown {
  const scalar = scalars[name];
  if (scalar !== undefined) return scalar.extras ? `${scalar.code}~${extras.number(scalar.extras)}` : scalar.code;
  if (freeForm.has(name)) return { free: 1 };
  const encode = (field: OpenApiSchema, path: string): string => {
    const inner = field.items ?? field.additionalProperties;
    const isZero = field.default !== undefined && JSON.stringify(field.default) === zeroOf(field);
    const extra = extrasOf(field, isZero, enums[fullName]?.[path]);
    const marks = `${isZero ? "!" : ""}${Object.keys(extra).length > 0 ? `~${extras.number(extra)}` : ""}`;
    return `${signOf(field, pkg, definitions)}${marks}${inner ? encode(inner, `${path}[]`) : ""}`;
  };
  return {
    fields: Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([field, value]) => [field, encode(value, field)]),
    ),
    required: schema.required,
    mapType: schema["x-kubernetes-map-type"],
  };
}

function signOf(schema: OpenApiSchema, pkg: string, definitions: Definitions): string {
  const ref = refTarget(schema);
  if (ref !== undefined) {
    const target = definitions.get(ref) as Definition;
    return target.pkg === pkg ? `@${target.name}` : `@${target.pkg}/${target.name}`;
  }
  switch (`${schema.type}:${schema.format ?? ""}`) {
    case "string:":
      return "s";
    case "string:byte":
      return "y";
    case "boolean:":
      return "b";
    case "integer:int32":
      return "i";
    case "integer:int64":
      return "l";
    case "number:double":
      return "d";
    case "array:":
      return "[";
    case "object:":
      return "{";
    default:
      throw new Error(`no code for ${JSON.stringify(schema)}`);
  }
}

function zeroOf(schema: OpenApiSchema): string {
  if (refTarget(schema) !== undefined) return "{}";
  return schema.type === "string" ? '""' : schema.type === "boolean" ? "false" : "0";
}

function extrasOf(schema: OpenApiSchema, isZeroDefault: boolean, values: readonly string[] | undefined): object {
  const strategy = schema["x-kubernetes-patch-strategy"];
  const isList = schema.type === "array";
  const facts = {
    default: isZeroDefault ? undefined : schema.default,
    enum: values,
    listType: isList ? schema["x-kubernetes-list-type"] : undefined,
    listMapKeys: schema["x-kubernetes-list-map-keys"],
    mapType: schema["x-kubernetes-map-type"],
    patchStrategy: strategy?.split(","),
    patchMergeKey: schema["x-kubernetes-patch-merge-key"],
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
