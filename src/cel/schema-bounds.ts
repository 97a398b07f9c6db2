// The maximum sizes of a schema's values, from its limits or from the size of a request.
// Upstream: k8s.io/apiserver/pkg/cel/{common/schemas.go,limits.go}, SchemaDeclType

import { byteLength } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";
import { hasDefault, isEmbedded, itemsOf, type JSONSchemaProps, valuesOf } from "./json-schema.ts";
import { asResource, escapeName } from "./schema-types.ts";
import { wrapped } from "./sizes.ts";

export interface Bounds {
  /** In characters, bytes, items or entries; 0 if nothing is counted. */
  readonly max: bigint;
  /** The bytes of its shortest JSON form. */
  readonly shortest: number;
  readonly fields?: ReadonlyMap<string, Bounds>;
  /** For other fields; absent: unknown. */
  readonly otherFields?: Bounds;
  /** For the items of a list or the values of a map. */
  readonly values?: Bounds;
  readonly keys?: Bounds;
}

const REQUEST_BYTES_MAX = 3 * 1024 * 1024;
const LONGEST_TEXT = BigInt(REQUEST_BYTES_MAX - 2);

/** How often a value of this size fits into a request, each followed by a comma. */
export const timesInRequest = (shortest: number): bigint => BigInt(Math.trunc(REQUEST_BYTES_MAX / (shortest + 1)));

const scalar = (shortest: number, max = 0n): Bounds => ({ max, shortest });

const BOOL = scalar(4);
const NUMBER = scalar(1);
/** Keys count as empty. */
const KEY = scalar(2);

/** Undefined: rules cannot see it. */
export function boundsOf(schema: JSONSchemaProps | undefined, isResourceRoot: boolean): Bounds | undefined {
  if (schema === undefined) return undefined;
  if (schema["x-kubernetes-int-or-string"]) return scalar(1, fourBytesEach(schema.maxLength) ?? LONGEST_TEXT);
  switch (schema.type) {
    case "array": {
      const items = itemsOf(schema);
      const values = boundsOf(items, isEmbedded(items));
      return values && { max: limit(schema.maxItems) ?? fitting(values.shortest + 1), shortest: 2, values };
    }
    case "object": {
      const root = isResourceRoot ? asResource(schema) : schema;
      const inMap = valuesOf(root);
      if (inMap === undefined) return objectBounds(root);
      const values = boundsOf(inMap, isEmbedded(inMap));
      const max = values && (limit(schema.maxProperties) ?? fitting(values.shortest + 6));
      return max === undefined ? undefined : { max, shortest: 2, values: values as Bounds, keys: KEY };
    }
    case "string":
      return stringBounds(schema);
    case "boolean":
      return BOOL;
    case "number":
    case "integer":
      return NUMBER;
    default:
      return undefined;
  }
}

const limit = (given: Int64 | undefined): bigint | undefined =>
  given === undefined || given === null ? undefined : BigInt(given > 0 ? given : 0);

/** Lengths are in characters, of up to four bytes each. */
function fourBytesEach(length: Int64 | undefined): bigint | undefined {
  const most = limit(length);
  return most === undefined ? undefined : wrapped(most * 4n);
}

const fitting = (bytesEach: number): bigint => BigInt(Math.trunc((REQUEST_BYTES_MAX - 2) / bytesEach));

function objectBounds({ properties = {}, required = [] }: JSONSchemaProps): Bounds {
  const fields = new Map<string, Bounds>();
  let shortest = 2;
  for (const [name, property] of Object.entries(properties)) {
    const bounds = boundsOf(property, isEmbedded(property));
    if (bounds === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, bounds);
    if (required.includes(name) && !hasDefault(property)) shortest += byteLength(name) + bounds.shortest + 4;
  }
  return { max: 0n, shortest, fields };
}

function stringBounds(schema: JSONSchemaProps): Bounds {
  switch (schema.format) {
    case "byte":
      return scalar(2, limit(schema.maxLength) ?? LONGEST_TEXT);
    case "duration":
      return scalar(3, 32n);
    case "date":
      return scalar(12, 12n);
    case "date-time":
      return scalar(21, 32n);
    default:
      return scalar(2, fourBytesEach(schema.maxLength) ?? longestOf(schema.enum ?? []) ?? LONGEST_TEXT);
  }
}

function longestOf(values: readonly unknown[]): bigint | undefined {
  if (values.length === 0) return undefined;
  return BigInt(Math.max(0, ...values.map((value) => (typeof value === "string" ? byteLength(value) : 0))));
}
