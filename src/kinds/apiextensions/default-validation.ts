// Defaults in schemas must be valid: pruned, of the right type, and conforming to the rules.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go

import * as field from "#api/field-error.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { COST_PER_OBJECT_MAX } from "#cel/cost.ts";
import { asEmbedded, hasDefault, isEmbedded, itemsOf, type JSONSchemaProps } from "#cel/json-schema.ts";
import { validateSchema } from "./openapi-validation.ts";
import { prune } from "./pruning.ts";
import { CoercionError, coerce, type MetadataReader, validateEmbedded } from "./resource-meta.ts";

/** Runs the CEL rules of a schema on its default, within the remaining budget. */
export type CheckRules = (
  schema: JSONSchemaProps,
  isResourceRoot: boolean,
  value: unknown,
  path: field.FieldPath,
  budget: Budget,
) => field.FieldError[];

/** The cost budget for all defaults of a schema. Below 0 nothing more is checked. */
export interface Budget {
  left: number;
}

/** Builds the resource around a value. */
type Surround = (value: unknown) => unknown;

interface Checks {
  readonly read: MetadataReader;
  readonly checkRules: CheckRules;
}

interface Context extends Checks {
  readonly budget: Budget;
}

const surroundRoot: Surround = (value) => ({
  kind: "Validation",
  apiVersion: "validation/v1",
  ...(value as Record<string, unknown>),
});

export function validateDefaults(schema: JSONSchemaProps, path: field.FieldPath, checks: Checks): field.FieldError[] {
  const root = asEmbedded(schema);
  const errors: field.FieldError[] = [];
  check(errors, root, root, surroundRoot, false, path, { ...checks, budget: { left: COST_PER_OBJECT_MAX } });
  return errors;
}

function check(
  errors: field.FieldError[],
  schema: JSONSchemaProps,
  outerRoot: JSONSchemaProps,
  outerSurround: Surround,
  isInsideMeta: boolean,
  path: field.FieldPath,
  context: Context,
): void {
  if (context.budget.left < 0) return;
  const isResource = isEmbedded(schema);
  const root = isResource ? schema : outerRoot;
  const surround = isResource ? surroundRoot : outerSurround;
  const isMeta = isInsideMeta && !isResource;
  if (hasDefault(schema)) {
    const at = path.child("default");
    errors.push(
      ...(isMeta
        ? metadataDefault(schema, root, surround, at, context)
        : plainDefault(schema, at, schema === root, context)),
    );
  }
  const items = itemsOf(schema);
  if (items !== undefined) {
    check(errors, items, root, (value) => surround([value]), isMeta, path.child("items"), context);
  }
  const { properties = {} } = schema;
  for (const key of Object.keys(properties)) {
    const isMetaField = isResource && (key === "metadata" || key === "apiVersion" || key === "kind");
    const below = properties[key] as JSONSchemaProps;
    const around: Surround = (value) => surround({ [key]: value });
    check(errors, below, root, around, isMeta || isMetaField, path.child("properties").key(key), context);
  }
}

function plainDefault(
  schema: JSONSchemaProps,
  path: field.FieldPath,
  isRoot: boolean,
  { read, checkRules, budget }: Context,
): field.FieldError[] {
  const errors: field.FieldError[] = [];
  const value = schema.default;
  if (!deepEqual(prune(value, schema, isEmbedded(schema)), value)) {
    errors.push(field.invalid(path, value, "must not have unknown fields"));
  }
  try {
    const coerced = coerce(value, schema, isEmbedded(schema), { read, isLenient: false }, path);
    const wrong = validateEmbedded(coerced, schema, isEmbedded(schema), path);
    if (wrong.length > 0) return [...errors, ...wrong];
    const invalid = validateSchema(coerced, schema, path);
    return [...errors, ...(invalid.length > 0 ? invalid : checkRules(schema, isRoot, coerced, path, budget))];
  } catch (error) {
    if (error instanceof CoercionError) return [...errors, error.fieldError];
    throw error;
  }
}

function metadataDefault(
  schema: JSONSchemaProps,
  root: JSONSchemaProps,
  surround: Surround,
  path: field.FieldPath,
  { read, checkRules, budget }: Context,
): field.FieldError[] {
  const invalid = (why: string): field.FieldError[] => [
    field.invalid(path, schema.default, `must result in valid metadata: ${why}`),
  ];
  try {
    const resource = coerce(surround(schema.default), root, true, { read, isLenient: false });
    const wrong = validateEmbedded(resource, root, true);
    if (wrong.length > 0) return invalid(field.aggregateText(wrong.map(field.errorText)));
  } catch (error) {
    if (error instanceof CoercionError) return invalid(error.message);
    throw error;
  }
  const errors = validateSchema(schema.default, schema, path);
  return errors.length > 0 ? errors : checkRules(schema, false, schema.default, path, budget);
}
