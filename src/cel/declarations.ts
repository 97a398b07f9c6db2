// The functions and type names for rules, read from the table when the first rule is compiled.

import { FUNCTIONS } from "./function-table.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  opaqueType,
  optionalType,
  paramType,
  parseType,
  STRING,
  structType,
  TIMESTAMP,
  type Type,
  typeType,
  UINT,
} from "./types.ts";

export interface Overload {
  readonly id: string;
  readonly isMember: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly params: readonly string[];
}

/** Additional types that some expressions may use. */
export interface Extension {
  /** A type whose name may be used, and whose values may be created. */
  structType(name: string): Type | undefined;
  overloadsOf?(name: string): readonly Overload[] | undefined;
}

let functions: Map<string, Overload[]> | undefined;

export function overloadsOf(name: string): readonly Overload[] | undefined {
  functions ??= readFunctions();
  return functions.get(name);
}

function readFunctions(): Map<string, Overload[]> {
  const read = new Map<string, Overload[]>();
  for (const line of FUNCTIONS.trim().split("\n")) {
    // Names may hold the separator: "_||_".
    const match = /^(\.?)(.+)\|([^|]+)\|([^|]*)\|([^|]+)$/.exec(line);
    const [, dot = "", name = "", id = "", args = "", result = ""] = match ?? [];
    const types = args === "" ? [] : args.split(";").map(parseType);
    const resultType = parseType(result);
    const params = new Set<string>();
    for (const type of [...types, resultType]) collectParams(type, params);
    const overload: Overload = { id, isMember: dot !== "", args: types, result: resultType, params: [...params] };
    const known = read.get(name);
    if (known === undefined) read.set(name, [overload]);
    else known.push(overload);
  }
  return read;
}

function collectParams(type: Type, into: Set<string>): void {
  if (type.kind === "param") into.add(type.name);
  for (const param of type.params) collectParams(param, into);
}

const NAMED: Readonly<Record<string, Type>> = {
  __proto__: null as never,
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  dyn: DYN,
  int: INT,
  list: listType(DYN),
  map: mapType(DYN, DYN),
  null_type: NULL,
  string: STRING,
  type: typeType(paramType("type")),
  uint: UINT,
  "google.protobuf.Duration": DURATION,
  "google.protobuf.Timestamp": TIMESTAMP,
  optional_type: optionalType(paramType("V")),
  "net.IP": opaqueType("net.IP"),
  "net.CIDR": opaqueType("net.CIDR"),
  "kubernetes.Quantity": structType("kubernetes.Quantity"),
  "kubernetes.URL": structType("kubernetes.URL"),
  "kubernetes.Semver": structType("kubernetes.Semver"),
  "kubernetes.NamedFormat": structType("kubernetes.NamedFormat"),
};

/** The type for a name that is used as a value. */
export function namedType(name: string): Type | undefined {
  return NAMED[name];
}
