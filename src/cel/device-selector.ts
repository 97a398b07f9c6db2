// Expressions that select devices. Upstream: k8s.io/dynamic-resource-allocation/cel/compile.go

import { compileCel, isFailure } from "./compile.ts";
import type { Bounds } from "./schema-bounds.ts";
import { ANY, BOOL, declaredName, mapType, parseType, STRING, structType, type Type } from "./types.ts";

export interface DeviceSelector {
  /** Why it is invalid. */
  readonly error?: string;
  /** The compiler failed; the text is not the cause. */
  readonly isInternal?: boolean;
  /** The estimated maximum cost. */
  readonly costMax: bigint;
}

const NAMES_MAX = 32n;
const DOMAIN_MAX = 63n;
const ID_MAX = 32n;
const DRIVER_MAX = 63n;
const VALUE_MAX = 64n;

const QUANTITY = parseType("kubernetes.Quantity");

const DEVICE: Type = structType(
  "kubernetes.DRADevice",
  new Map([
    ["driver", STRING],
    ["allowMultipleAllocations", BOOL],
    ["attributes", mapType(STRING, mapType(STRING, ANY))],
    ["capacity", mapType(STRING, mapType(STRING, QUANTITY))],
  ]),
);

const sized = (max: bigint): Bounds => ({ max, shortest: 0 });

/** By domain, then by identifier. */
const byDomain = (values: Bounds, otherFields?: Bounds): Bounds => ({
  ...sized(NAMES_MAX),
  keys: sized(DOMAIN_MAX),
  values: { ...sized(NAMES_MAX), keys: sized(ID_MAX), values, ...(otherFields && { otherFields }) },
});

const ATTRIBUTE = sized(VALUE_MAX);

const BOUNDS: Bounds = {
  ...sized(0n),
  fields: new Map([
    ["driver", sized(DRIVER_MAX)],
    ["allowMultipleAllocations", sized(1n)],
    ["attributes", byDomain(ATTRIBUTE, ATTRIBUTE)],
    ["capacity", byDomain(sized(0n))],
  ]),
};

const VARIABLES: ReadonlyMap<string, Type> = new Map([["device", DEVICE]]);

export function compileDeviceSelector(text: string): DeviceSelector {
  const compiled = compileCel(text, VARIABLES, BOUNDS, { hasBind: true, boundVariable: "device" });
  if (isFailure(compiled)) {
    const error = `${compiled.phase} failed: ${compiled.message}`;
    return { error, isInternal: compiled.phase !== "compilation", costMax: 0n };
  }
  const { type, costMax } = compiled;
  if (type.kind === "bool" || type.kind === "any") return { costMax };
  return { error: `must evaluate to bool or the unknown type, not ${declared(type)}`, costMax };
}

const declared = (type: Type): string =>
  type.params.length === 0 ? declaredName(type) : `${declaredName(type)}(${type.params.map(declared).join(", ")})`;
