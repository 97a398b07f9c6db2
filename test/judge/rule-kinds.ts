// The types of values that a schema describes, and the paths to parts of the variables in scope, for random rules.

export type Schema = Record<string, unknown>;

/** The type of a part of a schema, or of an expression. */
export interface Kind {
  readonly name:
    | "int"
    | "double"
    | "bool"
    | "string"
    | "bytes"
    | "duration"
    | "timestamp"
    | "dyn"
    | "list"
    | "map"
    | "object";
  /** The type of a list's items or a map's values. */
  readonly item?: Kind;
  readonly fields?: Readonly<Record<string, Kind>>;
}

export type KindName = Kind["name"];

const SPELLED: Readonly<Record<string, string>> = { "c-d": "c__dash__d", in: "__in__" };

export type Scope = readonly { readonly name: string; readonly kind: Kind }[];

export const INT: Kind = { name: "int" };
export const STRING: Kind = { name: "string" };

export function kindOf(schema: Schema): Kind {
  if (schema["x-kubernetes-int-or-string"]) return { name: "dyn" };
  switch (schema.type) {
    case "integer":
      return INT;
    case "number":
      return { name: "double" };
    case "boolean":
      return { name: "bool" };
    case "array":
      return { name: "list", item: kindOf(schema.items as Schema) };
    case "string": {
      const formats: Readonly<Record<string, KindName>> = {
        byte: "bytes",
        duration: "duration",
        date: "timestamp",
        "date-time": "timestamp",
      };
      return { name: formats[String(schema.format)] ?? "string" };
    }
    default:
      break;
  }
  if (schema.additionalProperties) return { name: "map", item: kindOf(schema.additionalProperties as Schema) };
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  return { name: "object", fields: Object.fromEntries(properties.map(([name, each]) => [name, kindOf(each)])) };
}

/** All expressions that only name parts, with their types. */
function* waysIn(scope: Scope): Generator<readonly [way: string, kind: Kind]> {
  for (const { name, kind } of scope) yield* waysFrom(name, kind, 0);
}

function* waysFrom(way: string, kind: Kind, depth: number): Generator<readonly [string, Kind]> {
  yield [way, kind];
  for (const [name, each] of Object.entries(kind.fields ?? {})) {
    yield* waysFrom(`${way}.${SPELLED[name] ?? name}`, each, depth + 1);
  }
}

const fits = (wanted: Kind, given: Kind): boolean =>
  wanted.name === given.name &&
  (wanted.name === "object"
    ? wanted === given
    : wanted.item === undefined || (given.item !== undefined && fits(wanted.item, given.item)));

export const waysTo = (scope: Scope, kind: Kind): string[] =>
  [...waysIn(scope)].filter(([, given]) => fits(kind, given)).map(([way]) => way);

export const kindAt = (scope: Scope, wanted: string): Kind | undefined =>
  [...waysIn(scope)].find(([way]) => way === wanted)?.[1];

export const fieldsIn = (scope: Scope): string[] =>
  [...waysIn(scope)].map(([way]) => way).filter((way) => way.includes("."));

export const kindsIn = (scope: Scope): Kind[] => [...waysIn(scope)].map(([, kind]) => kind);

/** Makes the last field optional. */
export const optionally = (way: string): string => way.replace(/\.([^.]*)$/, ".?$1");
