// Types of CEL, and assignability between them. Upstream: github.com/google/cel-go/checker/{types,format}.go

export type TypeKind =
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "duration"
  | "timestamp"
  | "dyn"
  | "any"
  | "error"
  | "list"
  | "map"
  | "struct"
  | "opaque"
  | "type"
  | "param";

export interface Type {
  readonly kind: TypeKind;
  /** For structs, opaque types and parameters; otherwise the kind. */
  readonly name: string;
  readonly params: readonly Type[];
  /** Fields of structs from schemas; absent: no known fields. */
  readonly fields?: ReadonlyMap<string, Type>;
  /** For structs that accept any field: the type of each. */
  readonly anyField?: Type;
}

const simple = (kind: TypeKind): Type => ({ kind, name: kind, params: [] });

export const NULL: Type = simple("null");
export const BOOL: Type = simple("bool");
export const INT: Type = simple("int");
export const UINT: Type = simple("uint");
export const DOUBLE: Type = simple("double");
export const STRING: Type = simple("string");
export const BYTES: Type = simple("bytes");
export const DURATION: Type = simple("duration");
export const TIMESTAMP: Type = simple("timestamp");
export const DYN: Type = simple("dyn");
/** A message of any type: dynamic, but not iterable. */
export const ANY: Type = simple("any");
export const ERROR: Type = simple("error");
export const listType = (element: Type): Type => ({ kind: "list", name: "list", params: [element] });
export const mapType = (key: Type, value: Type): Type => ({ kind: "map", name: "map", params: [key, value] });
export const typeType = (type: Type): Type => ({ kind: "type", name: "type", params: [type] });
export const paramType = (name: string): Type => ({ kind: "param", name, params: [] });
export const opaqueType = (name: string, ...params: Type[]): Type => ({ kind: "opaque", name, params });
export const optionalType = (type: Type): Type => opaqueType("optional_type", type);
export const structType = (name: string, fields?: ReadonlyMap<string, Type>): Type => ({
  kind: "struct",
  name,
  params: [],
  ...(fields && { fields }),
});

const BY_NAME: ReadonlyMap<string, Type> = new Map(
  [NULL, BOOL, INT, UINT, DOUBLE, STRING, BYTES, DURATION, TIMESTAMP, DYN].map((type) => [type.kind, type]),
);

/** Parses the output of formatType. Single capital letters are parameters. */
export function parseType(text: string): Type {
  const open = text.indexOf("(");
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return paramType(text);
    return BY_NAME.get(text) ?? (text.startsWith("net.") ? opaqueType(text) : structType(text));
  }
  const params = splitTypes(text.slice(open + 1, -1)).map(parseType);
  const name = text.slice(0, open);
  if (name === "list" || name === "map" || name === "type") return { kind: name, name, params };
  return opaqueType(name, ...params);
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

export function formatType(type: Type): string {
  if (type.kind === "error") return "!error!";
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
}

const DECLARED: Readonly<Partial<Record<TypeKind, string>>> = {
  any: "google.protobuf.Any",
  duration: "google.protobuf.Duration",
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
};

/** The declared name of a type, which may differ from the checker's output; without parameters. */
export const declaredName = ({ kind, name }: Type): string => DECLARED[kind] ?? name;

export const isOptional = (type: Type): boolean => type.kind === "opaque" && type.name === "optional_type";
export const isDyn = ({ kind }: Type): boolean => kind === "dyn" || kind === "any";

export function isSameType(a: Type, b: Type): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, i) => isSameType(param, b.params[i] as Type)))
  );
}

/** The known types of parameters. */
export class Substitution {
  #known: Map<string, Type>;

  constructor(known: ReadonlyMap<string, Type> = new Map()) {
    this.#known = new Map(known);
  }

  /** Keeps the change only if it succeeds. */
  try(change: (copy: Substitution) => boolean): boolean {
    const copy = new Substitution(this.#known);
    if (!change(copy)) return false;
    this.#known = copy.#known;
    return true;
  }

  set(name: string, type: Type): void {
    this.#known.set(name, type);
  }

  apply(type: Type, paramsAreDyn = false): Type {
    if (type.kind === "param") {
      const known = this.#known.get(type.name);
      return known === undefined ? (paramsAreDyn ? DYN : type) : this.apply(known, paramsAreDyn);
    }
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((param) => this.apply(param, paramsAreDyn)) };
  }

  assignableList(from: readonly Type[], to: readonly Type[]): boolean {
    return from.length === to.length && from.every((type, i) => this.assignable(type, to[i] as Type));
  }

  /** Whether both can be one type. Binds parameters. */
  assignable(a: Type, b: Type): boolean {
    if (b.kind === "param") {
      const outcome = this.#substitute(a, b);
      if (outcome.isValid) return true;
      if (outcome.hadValue) return false;
    }
    if (a.kind === "param") return this.#substitute(b, a).isValid;
    if (isLoose(a) || isLoose(b)) return true;
    if (a.kind === "null") return isNullable(b);
    if (b.kind === "null") return isNullable(a);
    if (a.kind === "type") return b.kind === "type";
    if (a.kind === "opaque" || a.kind === "list" || a.kind === "map") {
      return a.kind === b.kind && a.name === b.name && this.assignableList(a.params, b.params);
    }
    return a.kind === b.kind && a.name === b.name;
  }

  #substitute(type: Type, param: Type): { isValid: boolean; hadValue: boolean } {
    if (type.kind === "param" && type.name === param.name) return { isValid: true, hadValue: true };
    const known = this.#known.get(param.name);
    if (known !== undefined) {
      if (isSameType(type, known)) return { isValid: true, hadValue: true };
      if (!this.assignable(type, known)) return { isValid: false, hadValue: true };
      const general = moreGeneral(type, known);
      if (!this.#refersTo(general, param)) this.#known.set(param.name, general);
      return { isValid: true, hadValue: true };
    }
    if (this.#refersTo(type, param)) return { isValid: false, hadValue: false };
    this.#known.set(param.name, type);
    return { isValid: true, hadValue: false };
  }

  #refersTo(type: Type, param: Type): boolean {
    if (type.kind === "param") {
      if (type.name === param.name) return true;
      const known = this.#known.get(type.name);
      return known !== undefined && this.#refersTo(known, param);
    }
    return type.params.some((each) => this.#refersTo(each, param));
  }
}

const isLoose = (type: Type): boolean => isDyn(type) || type.kind === "error";

const isNullable = ({ kind }: Type): boolean =>
  kind === "null" || kind === "opaque" || kind === "struct" || kind === "duration" || kind === "timestamp";

export function moreGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind === "opaque" || a.kind === "list" || a.kind === "map") {
    return (
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, i) => isLessSpecific(param, b.params[i] as Type))
    );
  }
  return a.name === b.name;
}
