// The Go types behind the built-in kinds: field order, Go and JSON names, pointers, omission rules and protobuf
// numbers. The protobuf codec and the hashes use them. Decoded on first use, package by package, from
// generated/go-types.ts (its code is described in tools/generate/go-types.ts).

import { goPackages } from "#api/generated/go-types.ts";
import { lazy } from "#api/lazy.ts";
import type { GroupVersionKind } from "#api/object.ts";
import { assert } from "#base/assert.ts";

export type GoScalarKind = "string" | "bool" | "int32" | "int64" | "float64" | "uint8" | "int";

/** Types whose JSON is not that of their fields; every reader handles them by name. */
export type OpaqueType =
  | "FieldsV1"
  | "IntOrString"
  | "JSON"
  | "JSONSchemaPropsOrArray"
  | "JSONSchemaPropsOrBool"
  | "JSONSchemaPropsOrStringArray"
  | "MicroTime"
  | "Quantity"
  | "RawExtension"
  | "Time";

/** `name` is always the name that Go prints: "v1.PodSpec", "[]string", "*int32". */
export type GoType =
  | { readonly kind: GoScalarKind; readonly name: string }
  | { readonly kind: "opaque"; readonly name: string; readonly opaque: OpaqueType }
  | { readonly kind: "pointer"; readonly name: string; readonly elem: GoType }
  | { readonly kind: "slice"; readonly name: string; readonly elem: GoType; readonly isMessage: boolean }
  | { readonly kind: "map"; readonly name: string; readonly key: GoType; readonly elem: GoType }
  | GoStruct;

export interface GoStruct {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly GoField[];
}

export interface GoField {
  readonly goName: string;
  /** "" if inline. */
  readonly jsonName: string;
  readonly type: GoType;
  /** In JSON, but not in protobuf, the fields of this struct are among those of its parent. */
  readonly inline: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  /** 0 if it is not in protobuf (TypeMeta, which is in the envelope). */
  readonly number: number;
}

interface GoPackage {
  readonly path: string;
  /** Absent for the packages of apimachinery. */
  readonly groupVersion?: string;
  readonly kinds: readonly string[];
  readonly types: Readonly<Record<string, string>>;
}

const scalarKinds: Readonly<Record<string, GoScalarKind>> = {
  s: "string",
  b: "bool",
  i: "int32",
  l: "int64",
  d: "float64",
  y: "uint8",
  n: "int",
};

const opaqueTypes: ReadonlySet<string> = new Set<OpaqueType>([
  "FieldsV1",
  "IntOrString",
  "JSON",
  "JSONSchemaPropsOrArray",
  "JSONSchemaPropsOrBool",
  "JSONSchemaPropsOrStringArray",
  "MicroTime",
  "Quantity",
  "RawExtension",
  "Time",
]);

const metaPackage = "meta.v1";
const packages = new Map<string, GoPackage>();
const types = new Map<string, GoType>();

const packageOfGroupVersion = lazy(() => {
  const index = new Map<string, string>();
  for (const [pkg, json] of Object.entries(goPackages)) {
    const groupVersion = /"groupVersion":"([^"]*)"/.exec(json)?.[1];
    if (groupVersion !== undefined) index.set(groupVersion, pkg);
  }
  return index;
});

/** The struct of a built-in kind. Options, WatchEvent and PartialObjectMetadata are the same in all groups. */
export function goTypeOfKind(gvk: GroupVersionKind): GoStruct | undefined {
  const pkg = packageOfGroupVersion().get(gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`);
  for (const candidate of [pkg, metaPackage]) {
    if (candidate !== undefined && openPackage(candidate).kinds.includes(gvk.kind)) {
      return goStruct(candidate, gvk.kind);
    }
  }
  return undefined;
}

/** A struct by package and name: goStruct("core.v1", "PodTemplateSpec"). */
export function goStruct(pkg: string, name: string): GoStruct {
  const type = namedType(pkg, name);
  assert(type.kind === "struct", `${pkg}.${name} is not a struct`);
  return type;
}

function openPackage(pkg: string): GoPackage {
  let opened = packages.get(pkg);
  if (opened === undefined) {
    const json = goPackages[pkg];
    assert(json !== undefined, `no Go package ${pkg}`);
    opened = JSON.parse(json) as GoPackage;
    packages.set(pkg, opened);
  }
  return opened;
}

function namedType(pkg: string, name: string): GoType {
  const key = `${pkg}/${name}`;
  const known = types.get(key);
  if (known !== undefined) return known;
  // A package is named after the last segment of its path, which is also the last segment of its key.
  const goName = `${pkg.slice(pkg.lastIndexOf(".") + 1)}.${name}`;
  const made: GoType = opaqueTypes.has(name)
    ? { kind: "opaque", name: goName, opaque: name as OpaqueType }
    : decodeNamed(pkg, key, goName, openPackage(pkg).types[name]);
  types.set(key, made);
  return made;
}

function decodeNamed(pkg: string, key: string, goName: string, code: string | undefined): GoType {
  assert(code !== undefined, `no Go type ${key}`);
  if (code.startsWith("=") || code.startsWith("#")) {
    const type = new TypeReader(pkg, code.slice(1)).read();
    return type.kind === "slice"
      ? { ...type, name: goName, isMessage: code.startsWith("#") }
      : { ...type, name: goName };
  }
  // Fields are decoded on first use: a type may contain itself, and most types are never used.
  const fields = lazy(() => (code === "" ? [] : code.split(";").map((field) => decodeField(pkg, field))));
  return {
    kind: "struct",
    name: goName,
    get fields() {
      return fields();
    },
  };
}

function decodeField(pkg: string, code: string): GoField {
  const [jsonName = "", flags = "", number, type = "", goName] = code.split(":");
  return {
    goName: goName ?? jsonName.charAt(0).toUpperCase() + jsonName.slice(1),
    jsonName,
    type: new TypeReader(pkg, type).read(),
    inline: flags.includes("i"),
    omitEmpty: flags.includes("o"),
    omitZero: flags.includes("z"),
    number: Number(number),
  };
}

/** Reads one type code from left to right. */
class TypeReader {
  readonly #pkg: string;
  readonly #code: string;
  #at = 0;

  constructor(pkg: string, code: string) {
    this.#pkg = pkg;
    this.#code = code;
  }

  read(): GoType {
    const sign = this.#code.charAt(this.#at++);
    switch (sign) {
      case "*": {
        const elem = this.read();
        return { kind: "pointer", name: `*${elem.name}`, elem };
      }
      case "[": {
        const elem = this.read();
        return { kind: "slice", name: `[]${elem.name}`, elem, isMessage: false };
      }
      case "{": {
        const key = this.read();
        this.#at++;
        const elem = this.read();
        return { kind: "map", name: `map[${key.name}]${elem.name}`, key, elem };
      }
      case "@":
        return this.#reference();
      default: {
        const kind = scalarKinds[sign];
        assert(kind !== undefined, `bad Go type code ${this.#code}`);
        return { kind, name: kind };
      }
    }
  }

  #reference(): GoType {
    const start = this.#at;
    const close = this.#code.indexOf("}", start);
    this.#at = close < 0 ? this.#code.length : close;
    const name = this.#code.slice(start, this.#at);
    const slash = name.indexOf("/");
    return slash < 0 ? namedType(this.#pkg, name) : namedType(name.slice(0, slash), name.slice(slash + 1));
  }
}
