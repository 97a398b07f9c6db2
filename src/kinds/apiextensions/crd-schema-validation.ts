// Validates a schema in a definition, node by node.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, ValidateCustomResourceDefinitionOpenAPISchema

import * as field from "#api/field-error.ts";
import { findField } from "#cel/field-path.ts";
import {
  hasDefault,
  itemsOf,
  type JSONSchemaProps,
  propertyOf,
  tupleOf,
  type ValidationRule,
  valuesOf,
} from "#cel/json-schema.ts";
import { printedSchema } from "./crd-internal.ts";
import { RuleCosts } from "./rule-costs.ts";
import { unsupportedInStructural } from "./structural-schema.ts";

type Path = field.FieldPath;

export interface SchemaErrors {
  readonly schema: field.FieldError[];
  readonly cel: field.FieldError[];
}

/** The position of a node, which restricts its fields. */
interface Place {
  readonly isRoot: boolean;
  readonly isInsideMeta: boolean;
  /** Why the node may not have a default; undefined if it may. */
  readonly noDefaults: string | undefined;
  /** The enclosing list whose items cannot be correlated across updates. */
  readonly uncorrelatable: Path | undefined;
}

/** Compiles the rules of a node and adds their cost. */
export type CompileRules = (
  node: SchemaNode,
  path: Path,
  uncorrelatable: Path | undefined,
  costs: RuleCosts,
) => field.FieldError[];

/** Undefined if the schema is not structural. */
type CheckRules = ((node: SchemaNode, path: Path, place: Place) => field.FieldError[]) | undefined;

/** A node and its parents, from which the types of its rules follow. */
export interface SchemaNode {
  readonly schema: JSONSchemaProps;
  readonly parent: SchemaNode | undefined;
}

/**
 * Rules are compiled only if the schema is structural. If the schema is unchanged, a single rule may exceed its cost
 * limit.
 */
export function validateSchemaNodes(
  schema: JSONSchemaProps,
  path: Path,
  compileRules: CompileRules | undefined,
  isUnchanged: boolean,
): field.FieldError[] {
  const errors: SchemaErrors = { schema: [], cel: [] };
  const place: Place = { isRoot: true, isInsideMeta: false, noDefaults: undefined, uncorrelatable: undefined };
  const costs = new RuleCosts(isUnchanged);
  const checkRules: CheckRules =
    compileRules && ((node, at, { uncorrelatable }) => compileRules(node, at, uncorrelatable, costs));
  check(errors, { schema, parent: undefined }, path, place, checkRules);
  return [...errors.schema, ...errors.cel, ...costs.errors(path)];
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const META_FIELDS = ["metadata", "kind", "apiVersion"];

function check(all: SchemaErrors, node: SchemaNode, path: Path, place: Place, checkRules?: CheckRules): void {
  const { schema } = node;
  const errors: field.FieldError[] = [];
  standard(errors, schema, path, place);
  if (schema.uniqueItems) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(field.forbidden(path.child("uniqueItems"), detail));
  }
  const before = all.schema.length;
  all.schema.push(...errors);
  const below = (next: JSONSchemaProps | undefined, at: Path, where: Partial<Place>, rules?: CheckRules): void => {
    if (next) check(all, { schema: next, parent: node }, at, { ...place, isRoot: false, ...where }, rules);
  };
  checkMapAndProperties(all.schema, schema, path, place, (next, at, where) => below(next, at, where, checkRules));
  below(schema.not, path.child("not"), {});
  for (const name of ["allOf", "oneOf", "anyOf"] as const) {
    schema[name]?.forEach((each, i) => {
      below(each, path.child(name).index(i), {});
    });
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {})) {
    below(each, path.child("definitions").key(name), {});
  }
  const isMap = schema["x-kubernetes-list-type"] === "map";
  const inItems = isMap ? {} : { uncorrelatable: place.uncorrelatable ?? path };
  below(itemsOf(schema), path.child("items"), inItems, checkRules);
  tupleOf(schema).forEach((each, i) => {
    below(each, path.child("items").index(i), inItems, checkRules);
  });
  for (const [name, each] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(each)) below(each as JSONSchemaProps, path.child("dependencies").key(name), {});
  }
  listAndMapTypes(all.schema, schema, path);
  const rules = schema["x-kubernetes-validations"] ?? [];
  rules.forEach((rule, i) => {
    ruleText(all.schema, schema, rule, path.child("x-kubernetes-validations").index(i));
  });
  // A node's rules are compiled only if it and all nodes below it are valid.
  const isInOrder = all.schema.length === before;
  if (rules.length > 0 && isInOrder && checkRules !== undefined) all.cel.push(...checkRules(node, path, place));
}

function checkMapAndProperties(
  errors: field.FieldError[],
  schema: JSONSchemaProps,
  path: Path,
  place: Place,
  below: (next: JSONSchemaProps | undefined, at: Path, where: Partial<Place>) => void,
): void {
  const { properties = {} } = schema;
  const names = Object.keys(properties);
  if (schema.additionalProperties !== undefined) {
    if (names.length > 0 && schema.additionalProperties !== true) {
      const detail = "additionalProperties and properties are mutual exclusive";
      errors.push(field.forbidden(path.child("additionalProperties"), detail));
    }
    const where = place.isInsideMeta ? { noDefaults: " inside additionalProperties applying to object metadata" } : {};
    below(valuesOf(schema), path.child("additionalProperties"), where);
  }
  const mapType = schema["x-kubernetes-map-type"];
  const isCorrelatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  for (const name of names) {
    const isMeta = (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) && META_FIELDS.includes(name);
    below(properties[name], path.child("properties").key(name), {
      ...(isCorrelatable ? {} : { uncorrelatable: place.uncorrelatable ?? path }),
      ...(isMeta ? { isInsideMeta: true } : {}),
      ...(isMeta && place.isRoot ? { noDefaults: ` in top-level ${name}` } : {}),
    });
  }
}

/** Upstream: specStandardValidatorV3.validate */
function standard(errors: field.FieldError[], schema: JSONSchemaProps, path: Path, place: Place): void {
  const { type = "" } = schema;
  if (type !== "" && !TYPES.includes(type)) errors.push(field.notSupported(path.child("type"), type, TYPES));
  if (hasDefault(schema) && place.noDefaults !== undefined) {
    errors.push(field.forbidden(path.child("default"), `must not be set${place.noDefaults}`));
  }
  const refused: readonly [string, boolean, string][] = [
    ["id", !!schema.id, "id is not supported"],
    ["additionalItems", schema.additionalItems !== undefined, "additionalItems is not supported"],
    ["patternProperties", hasKeys(schema.patternProperties), "patternProperties is not supported"],
    ["definitions", hasKeys(schema.definitions), "definitions is not supported"],
    ["dependencies", schema.dependencies !== undefined, "dependencies is not supported"],
    ["$ref", schema.$ref !== undefined, "$ref is not supported"],
    ["type", type === "null", "type cannot be set to null, use nullable as an alternative"],
    ["items", tupleOf(schema).length > 0, "items must be a schema object and not an array"],
  ];
  for (const [name, isUsed, detail] of refused) if (isUsed) errors.push(field.forbidden(path.child(name), detail));
  if (place.isInsideMeta && schema["x-kubernetes-embedded-resource"]) {
    const detail = "must not be used inside of resource meta";
    errors.push(field.forbidden(path.child("x-kubernetes-embedded-resource"), detail));
  }
}

const hasKeys = (map: object | undefined): boolean => map !== undefined && Object.keys(map).length > 0;

function listAndMapTypes(errors: field.FieldError[], schema: JSONSchemaProps, path: Path): void {
  const { type = "" } = schema;
  const mapType = schema["x-kubernetes-map-type"];
  const listType = schema["x-kubernetes-list-type"];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const at = path.child("x-kubernetes-preserve-unknown-fields");
    errors.push(field.invalid(at, false, "must be true or undefined"));
  }
  const mustBe = (wanted: string, name: string): void => {
    const detail = `must be ${wanted} if ${name} is specified`;
    const at = path.child("type");
    errors.push(type === "" ? field.required(at, detail) : field.invalid(at, type, detail));
  };
  if (mapType !== undefined && type !== "object") mustBe("object", "x-kubernetes-map-type");
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(field.notSupported(path.child("x-kubernetes-map-type"), mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && type !== "array") mustBe("array", "x-kubernetes-list-type");
  else if (listType === "set") setItems(errors, schema, path);
  if (listType !== undefined && listType !== "atomic" && listType !== "set" && listType !== "map") {
    errors.push(field.notSupported(path.child("x-kubernetes-list-type"), listType, ["atomic", "set", "map"]));
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = path.child("x-kubernetes-list-type");
    errors.push(listType === undefined ? field.required(at, detail) : field.invalid(at, listType, detail));
  }
  if (listType === "map") mapItems(errors, schema, keys, path);
  if (listType === "map" || listType === "set") nullableItems(errors, schema, listType, keys, path);
}

function setItems(errors: field.FieldError[], schema: JSONSchemaProps, path: Path): void {
  const items = itemsOf(schema);
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const itemListType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && itemListType !== undefined && itemListType !== "atomic") {
    errors.push(field.invalid(path.child("items", "x-kubernetes-list-type"), itemListType, detail));
  } else if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    errors.push(field.invalid(path.child("items", "x-kubernetes-map-type"), itemListType ?? null, detail));
  }
}

function mapItems(errors: field.FieldError[], schema: JSONSchemaProps, keys: readonly string[], path: Path): void {
  const items = itemsOf(schema);
  const atKeys = path.child("x-kubernetes-list-map-keys");
  if (keys.length === 0) errors.push(field.required(atKeys, "must not be empty if x-kubernetes-list-type is map"));
  if (schema.items === undefined) {
    errors.push(field.required(path.child("items"), "must have a schema if x-kubernetes-list-type is map"));
  } else if (items === undefined) {
    const printed = { Schema: null, JSONSchemas: tupleOf(schema).map(printedSchema) };
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    errors.push(field.invalid(path.child("items"), printed, detail));
  }
  if (items === undefined) return;
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(field.invalid(path.child("items", "type"), items.type ?? "", detail));
    return;
  }
  keys.forEach((key, i) => {
    const property = propertyOf(items, key);
    if (property === undefined) {
      errors.push(field.invalid(atKeys, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(field.invalid(path.child("items", "properties").key(key).child("type"), items.type, detail));
    }
    if (keys.indexOf(key) < i) errors.push(field.invalid(atKeys, keys, "must not contain duplicate entries"));
  });
}

/** Upstream: validateMapListKeysMapSet */
function nullableItems(
  errors: field.FieldError[],
  schema: JSONSchemaProps,
  listType: "map" | "set",
  keys: readonly string[],
  path: Path,
): void {
  const items = itemsOf(schema);
  if (items === undefined) return;
  if (items.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(field.forbidden(path.child("items", "nullable"), detail));
  }
  if (listType !== "map") return;
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const at = path.child("items", "properties").key(key);
    const isKey = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required?.includes(key) && !hasDefault(property)) {
      errors.push(field.required(at.child("default"), `${isKey} must have a default or be a required property`));
    }
    if (property.nullable) errors.push(field.forbidden(at.child("nullable"), `${isKey} cannot be nullable`));
  }
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function ruleText(errors: field.FieldError[], schema: JSONSchemaProps, rule: ValidationRule, path: Path): void {
  const { message = "", messageExpression = "", fieldPath = "" } = rule;
  const text = (rule.rule ?? "").trim();
  if (text === "") errors.push(field.required(path.child("rule"), "rule is not specified"));
  else if (message !== "" && message.trim() === "") {
    errors.push(field.invalid(path.child("message"), message, "must be non-empty if specified"));
  } else if (hasLineBreak(message.trim())) {
    errors.push(field.invalid(path.child("message"), message, "must not contain line breaks"));
  } else if (hasLineBreak(text) && message.trim() === "") {
    errors.push(field.required(path.child("message"), "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    const detail = "messageExpression must be non-empty if specified";
    errors.push(field.required(path.child("messageExpression"), detail));
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    errors.push(field.notSupported(path.child("reason"), rule.reason, REASONS));
  }
  const at = path.child("fieldPath");
  if (fieldPath === "") return;
  if (fieldPath.trim() === "") errors.push(field.invalid(at, fieldPath, "must be non-empty if specified"));
  if (hasLineBreak(fieldPath)) errors.push(field.invalid(at, fieldPath, "must not contain line breaks"));
  const isReadable = unsupportedInStructural(schema) === undefined;
  if (isReadable && typeof findField(fieldPath, schema, true) === "string") {
    errors.push(field.invalid(at, fieldPath, "must be a valid path"));
  }
}
