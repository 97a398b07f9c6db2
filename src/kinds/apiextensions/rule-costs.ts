// Cost limits for the rules of a schema: for each expression, and for their total.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/{validation,cel_validation}.go

import * as field from "#api/field-error.ts";
import type { Int64 } from "#api/int64.ts";
import type { JSONSchemaProps } from "#cel/json-schema.ts";
import { plus, times } from "#cel/sizes.ts";
import type { SchemaNode } from "./crd-schema-validation.ts";

const EXPRESSION_MAX = 10_000_000n;
const SCHEMA_MAX = 100_000_000n;
/** Only rules above a hundredth of the limit are listed in the error about the total. */
const BLAME_MIN = SCHEMA_MAX / 100n;
const BLAMED_MAX = 4;

export class RuleCosts {
  readonly #isUnchanged: boolean;
  #total = 0n;
  #mostExpensive: { readonly path: field.FieldPath; readonly cost: bigint }[] = [];

  /** An unchanged schema is checked only for its total. */
  constructor(isUnchanged: boolean) {
    this.#isUnchanged = isUnchanged;
  }

  /** Adds the cost of an expression. Returns an error if it alone is too high. */
  add(what: "rule" | "messageExpression", path: field.FieldPath, cost: bigint): field.FieldError[] {
    this.#total = plus(this.#total, cost);
    if (cost >= BLAME_MIN) {
      // A stable sort, like upstream's for lists this short.
      this.#mostExpensive = [...this.#mostExpensive, { path, cost }]
        .sort((a, b) => (a.cost === b.cost ? 0 : a.cost > b.cost ? -1 : 1))
        .slice(0, BLAMED_MAX);
    }
    if (this.#isUnchanged || cost <= EXPRESSION_MAX) return [];
    return [field.forbidden(path, excess(`estimated ${what} cost`, cost, EXPRESSION_MAX))];
  }

  /** The errors if the total is too high. */
  errors(path: field.FieldPath): field.FieldError[] {
    if (this.#total <= SCHEMA_MAX) return [];
    const blame = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#mostExpensive.map((each) => field.forbidden(each.path, blame)),
      field.forbidden(path, excess(what, this.#total, SCHEMA_MAX)),
    ];
  }
}

function excess(what: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const shown = factor > 100 ? "more than 100x" : `${goFixed(factor, factor < 1.5 ? 6 : 1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${shown} (${advice})`;
}

/** Like Go's %.1f, which rounds half to even; toFixed rounds half up. */
export function goFixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const isMiddle = /^5(0*)$/.test(
    value
      .toFixed(Math.min(100, digits + 60))
      .split(".")[1]
      ?.slice(digits) ?? "",
  );
  if (!isMiddle || Number(text.at(-1)) % 2 === 0) return text;
  return (value - Math.sign(value) * 10 ** -(digits + 2)).toFixed(digits);
}

/** How often a value of the node can occur in an object; undefined if unlimited. */
export function occurrencesOf({ parent }: SchemaNode): bigint | undefined {
  if (parent === undefined) return 1n;
  const outer = occurrencesOf(parent);
  const each = childrenMax(parent.schema);
  return outer === undefined || each === undefined ? undefined : times(outer, each);
}

function childrenMax({ type, additionalProperties, maxProperties, maxItems }: JSONSchemaProps): bigint | undefined {
  const limit = (given: Int64 | undefined): bigint | undefined =>
    given === undefined || given === null ? undefined : BigInt(given > 0 ? given : 0);
  if (type === "array") return limit(maxItems);
  const isMap = type === "object" && additionalProperties !== undefined && additionalProperties !== null;
  return isMap ? limit(maxProperties) : 1n;
}
