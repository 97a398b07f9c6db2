// Emits src/api/generated/go-types.ts: the Go structs of the built-in kinds, from the reflection tool tools/go/layouts.
// src/api/go-layout.ts decodes it for the protobuf codec and the hashes.
//
// A struct is its fields joined by ";", each "json:flags:number:type:GoName". The Go name is left out if it is the JSON
// name with a capital; flags are o (omitempty), z (omitzero), i (inline). Any other named type is "=" and its type, or
// "#" and its type if it is a protobuf message.
//   s b i l d y n   string, bool, int32, int64, float64, uint8, int
//   * [ {key}       pointer to, slice of, map of the type that follows
//   @Name @pkg/Name a named type, of this package or of another one

import { byCodeUnit, emit, jsonRecord } from "#tools/generate/emit.ts";
import { runGoTool } from "#tools/generate/upstream.ts";

interface Field {
  readonly name: string;
  readonly type: string;
  readonly json: string;
  readonly embedded?: boolean;
  readonly omitEmpty?: boolean;
  readonly omitZero?: boolean;
  readonly inline?: boolean;
  readonly number?: number;
}

interface GoType {
  readonly fields?: readonly Field[];
  readonly underlying?: string;
  readonly message?: boolean;
}

interface Layouts {
  /** By "group/version" ("v1" for core), the full type name of each kind. */
  readonly kinds: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly types: Readonly<Record<string, GoType>>;
}

/** Types whose JSON differs from their fields: the codecs know them by name. */
const opaque = new Set([
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON",
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray",
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool",
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray",
  "k8s.io/apimachinery/pkg/api/resource.Quantity",
  "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1",
  "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime",
  "k8s.io/apimachinery/pkg/apis/meta/v1.Time",
  "k8s.io/apimachinery/pkg/runtime.RawExtension",
  "k8s.io/apimachinery/pkg/util/intstr.IntOrString",
]);

const primitives: Readonly<Record<string, string>> = {
  string: "s",
  bool: "b",
  int32: "i",
  int64: "l",
  float64: "d",
  uint8: "y",
  int: "n",
};

const metaGroupVersion = "meta.k8s.io/v1";

export function generateGoTypes(groupVersions: readonly string[]): void {
  const layouts = JSON.parse(runGoTool("layouts")) as Layouts;
  const served = [...groupVersions, metaGroupVersion];
  const packages = new Map<
    string,
    { path: string; groupVersion?: string; kinds: string[]; types: Map<string, string> }
  >();
  const open = (path: string) => {
    const pkg = packageKey(path);
    const known = packages.get(pkg);
    if (known !== undefined && known.path !== path) throw new Error(`${path} and ${known.path} are both ${pkg}`);
    return packages.getOrInsert(pkg, { path, kinds: [], types: new Map() });
  };
  const visit = (fullName: string): void => {
    const { path, name } = splitPath(fullName);
    const { types } = open(path);
    if (types.has(name) || opaque.has(fullName)) return;
    types.set(name, "");
    types.set(name, encodeType(layouts.types[fullName] as GoType, path, visit));
  };
  for (const groupVersion of served) {
    for (const [kind, fullName] of Object.entries(layouts.kinds[groupVersion] ?? {}).sort()) {
      if (!layouts.types[fullName]?.message) continue;
      const { path, name } = splitPath(fullName);
      if (name !== kind) throw new Error(`kind ${kind} is the type ${fullName}`);
      visit(fullName);
      const pkg = open(path);
      if (!pkg.kinds.includes(kind)) pkg.kinds.push(kind);
      if (!path.startsWith("k8s.io/apimachinery/")) pkg.groupVersion = groupVersion;
    }
  }
  const entries = [...packages]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .filter(([, { types }]) => types.size > 0)
    .map(([key, { path, groupVersion, kinds, types }]): [string, unknown] => [
      key,
      { path, groupVersion, kinds, types: Object.fromEntries([...types].sort(([a], [b]) => byCodeUnit(a, b))) },
    ]);
  emit("go-types.ts", jsonRecord("goPackages", entries));
}

function splitPath(fullName: string): { path: string; name: string } {
  const dot = fullName.lastIndexOf(".");
  return { path: fullName.slice(0, dot), name: fullName.slice(dot + 1) };
}

/** The last two segments, as in the schema table: "core.v1". */
function packageKey(path: string): string {
  return path.split("/").slice(-2).join(".");
}

function encodeType(type: GoType, path: string, visit: (fullName: string) => void): string {
  if (type.underlying !== undefined) return `${type.message ? "#" : "="}${typeCode(type.underlying, path, visit)}`;
  const fields = (type.fields ?? []).filter(({ json }) => json !== "-");
  return fields
    .map((field) => {
      const inline = field.json === "" && (field.embedded || field.inline);
      if (field.json === "" && !inline) throw new Error(`a field without a JSON name in ${path}: ${field.name}`);
      const flags = `${field.omitEmpty ? "o" : ""}${field.omitZero ? "z" : ""}${inline ? "i" : ""}`;
      const goName = field.json !== "" && field.name === capital(field.json) ? [] : [field.name];
      return [field.json, flags, field.number ?? "", typeCode(field.type, path, visit), ...goName].join(":");
    })
    .join(";");
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function typeCode(type: string, path: string, visit: (fullName: string) => void): string {
  if (type.startsWith("*")) return `*${typeCode(type.slice(1), path, visit)}`;
  if (type.startsWith("[]")) return `[${typeCode(type.slice(2), path, visit)}`;
  if (type.startsWith("map[")) {
    const close = type.indexOf("]");
    return `{${typeCode(type.slice(4, close), path, visit)}}${typeCode(type.slice(close + 1), path, visit)}`;
  }
  if (type.startsWith("@")) {
    const target = splitPath(type.slice(1));
    visit(type.slice(1));
    return target.path === path ? `@${target.name}` : `@${packageKey(target.path)}/${target.name}`;
  }
  const code = primitives[type];
  if (code === undefined) throw new Error(`no code for the Go type ${type}`);
  return code;
}
