// The strategy of custom resources. Objects arrive in the stored version; the rules are those of the requested version.
// Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import { isInt64 } from "#api/int64.ts";
import { isDns1123Subdomain, isQualifiedName } from "#api/names.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject, parseApiVersion } from "#api/object.ts";
import { goFormat, goType } from "#api/patch/go-format.ts";
import { deepEqual, isObject, type JsonObject } from "#api/patch/json-value.ts";
import { type JSONSchemaProps, propertyOf } from "#cel/json-schema.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";
import type { KindStrategy, StrategyContext, UpdateStrategy } from "#kinds/strategy.ts";
import { Correlation } from "./correlation.ts";
import { validateListTypes } from "./list-types.ts";
import { validateSchema } from "./openapi-validation.ts";
import { validateEmbedded } from "./resource-meta.ts";
import type { RuleValidator } from "./rule-validator.ts";

export interface ScaleDefinition {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version of a custom resource, for its strategy. */
export interface CustomVersion extends GroupVersionKind {
  readonly schema: JSONSchemaProps | undefined;
  readonly rules: RuleValidator | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScaleDefinition | undefined;
}

export interface CustomStrategyOptions {
  readonly namespaced: boolean;
  readonly stored: GroupVersionKind;
  versionOf(name: string): CustomVersion | undefined;
  /** Converts to the stored version: prunes unknown fields and adds defaults. */
  toStoredForm(object: KubeObject): KubeObject;
}

const METADATA = field.newPath("metadata");

export function customResourceStrategy(options: CustomStrategyOptions): KindStrategy {
  const { namespaced, stored } = options;
  const versionOf = ({ groupVersion }: StrategyContext): CustomVersion =>
    options.versionOf(groupVersion?.version ?? stored.version) ??
    ({ ...stored, schema: undefined, rules: undefined, hasStatus: false, scale: undefined } as const);
  const anyHasStatus = options.versionOf(stored.version)?.hasStatus === true;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    defaultPropagation: "Background",
    prepareForCreate(object, ctx) {
      const prepared = versionOf(ctx).hasStatus ? withoutStatus(object) : object;
      return { ...prepared, metadata: { ...prepared.metadata, generation: 1 } };
    },
    validate(given, ctx) {
      const version = versionOf(ctx);
      const object = inVersion(given, version);
      const errors = typeMeta(given, version);
      // An object with a wrong apiVersion or kind gets only the generic checks below.
      if (errors.length === 0) {
        genericObjectMeta(errors, object.metadata ?? {}, namespaced, isDns1123Subdomain, METADATA);
        errors.push(...validateSchema(object, version.schema));
        scaleSpec(errors, object, version.scale);
        scaleStatus(errors, object, version.scale);
      }
      errors.push(...validateEmbedded(object, version.schema, false), ...validateListTypes(object, version.schema));
      runRules(errors, version, object, undefined, undefined);
      return errors;
    },
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    prepareForUpdate(object, old, ctx) {
      let prepared = object;
      if (versionOf(ctx).hasStatus) {
        prepared = Object.hasOwn(old, "status") ? withStatus(object, (old as Fields).status) : withoutStatus(object);
      }
      if (isSameContent(prepared, old)) return prepared;
      const generation = (old.metadata?.generation ?? 0) + 1;
      return { ...prepared, metadata: { ...prepared.metadata, generation } };
    },
    validateUpdate(given, before, ctx) {
      const version = versionOf(ctx);
      const [object, old] = [inVersion(given, version), inVersion(before, version)];
      const errors = typeMeta(given, version);
      const correlation = new Correlation(object, old, version.schema);
      if (errors.length === 0) {
        genericObjectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
        errors.push(...validateSchema(object, version.schema, undefined, correlation));
        scaleSpec(errors, object, version.scale);
        scaleStatus(errors, object, version.scale);
      }
      errors.push(...validateEmbedded(object, version.schema, false));
      if (validateListTypes(old, version.schema).length === 0)
        errors.push(...validateListTypes(object, version.schema));
      runRules(errors, version, object, old, correlation);
      return errors;
    },
    warningsOnUpdate: (object, old, ctx) => {
      const version = versionOf(ctx);
      return [...finalizerWarnings(object, old), ...ruleWarnings(version, object, old)];
    },
    canonicalize: options.toStoredForm,
    subresources: { status: statusStrategy(versionOf) },
    ...(anyHasStatus ? { resetFields: [["status"]] } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function statusStrategy(versionOf: (ctx: StrategyContext) => CustomVersion): UpdateStrategy {
  return {
    prepareForUpdate(object, old) {
      const { managedFields } = object.metadata ?? {};
      const { managedFields: _old, ...metadata } = old.metadata ?? {};
      // The requested version was checked before. All fields except the status keep their old value.
      const kept = { ...old, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
      return Object.hasOwn(object, "status") ? withStatus(kept, (object as Fields).status) : withoutStatus(kept);
    },
    validateUpdate(given, before, ctx) {
      const version = versionOf(ctx);
      const [object, old] = [inVersion(given, version), inVersion(before, version)];
      const errors = typeMeta(given, version);
      if (errors.length > 0) return errors;
      const correlation = new Correlation(object, old, version.schema);
      genericObjectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
      if (Object.hasOwn(object, "status")) {
        const schema = propertyOf(version.schema, "status");
        const { status } = object as Fields;
        const below = correlation.key("status") ?? new Correlation(status, (old as Fields).status, schema);
        errors.push(...validateSchema(status, schema, field.newPath("status"), below));
      }
      scaleStatus(errors, object, version.scale);
      const lists = validateListTypes(object, version.schema);
      if (lists.length > 0 && validateListTypes(old, version.schema).length === 0) errors.push(...lists);
      runRules(errors, version, object, old, correlation);
      return errors;
    },
    resetFields: [["metadata"], ["spec"]],
  };
}

function inVersion(object: KubeObject, version: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(version);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function withoutStatus(object: KubeObject): KubeObject {
  if (!Object.hasOwn(object, "status")) return object;
  const { status: _status, ...rest } = object as Fields;
  return rest as KubeObject;
}

const withStatus = (object: KubeObject, status: unknown): KubeObject => ({ ...object, status }) as KubeObject;

function isSameContent(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _a, ...content } = object as Fields;
  const { metadata: _b, ...before } = old as Fields;
  return deepEqual(content, before);
}

/** Versions of the kind are converted, but another group is another kind. */
function typeMeta(object: KubeObject, version: GroupVersionKind): field.FieldError[] {
  const errors: field.FieldError[] = [];
  if (object.kind !== version.kind) {
    errors.push(field.invalid(field.newPath("kind"), object.kind ?? "", `must be ${version.kind}`));
  }
  const { apiVersion = "" } = object;
  if (parseApiVersion(apiVersion).group !== version.group) {
    errors.push(field.invalid(field.newPath("apiVersion"), apiVersion, `must be ${apiVersionOf(version)}`));
  }
  return errors;
}

/** Errors after which rules are not run. */
const BLOCKING: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const NOT_CHECKED =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

function runRules(
  errors: field.FieldError[],
  { rules }: CustomVersion,
  object: KubeObject,
  old: KubeObject | undefined,
  correlation: Correlation | undefined,
): void {
  if (rules === undefined) return;
  if (errors.some(({ type }) => BLOCKING.has(type))) errors.push(field.invalid(undefined, null, NOT_CHECKED));
  else errors.push(...rules.validate(object, old, correlation).errors);
}

/** Rules that unchanged parts violate only produce warnings. */
function ruleWarnings(version: CustomVersion, given: KubeObject, before: KubeObject): readonly string[] {
  if (version.rules === undefined) return [];
  const [object, old] = [inVersion(given, version), inVersion(before, version)];
  return version.rules.validate(object, old, new Correlation(object, old, version.schema)).warnings;
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old?.metadata?.finalizers);
  const added = [...new Set(metadata?.finalizers)].filter((name) => !known.has(name)).sort();
  return added.flatMap((name) => {
    const at = `metadata.finalizers: ${goQuote(name)}`;
    const warnings = isQualifiedName(name).map((message) => `${at}: ${message}`);
    if (!name.includes("/") && !STANDARD_FINALIZERS.has(name)) {
      const more = name.includes(".") ? " including a path (/)" : "";
      const why = "to avoid accidental conflicts with other finalizer writers";
      warnings.push(`${at}: prefer a domain-qualified finalizer name${more} ${why}`);
    }
    return warnings;
  });
}

const INT32_MAX = 2147483647;

export const splitPath = (path: string): string[] => (path.startsWith(".") ? path.slice(1) : path).split(".");

/** The value at a path, or Go's error. Upstream: unstructured.NestedInt64, NestedString */
export function nestedValue(
  object: JsonObject,
  path: readonly string[],
  wanted: "int64" | "string",
): { readonly value: unknown } | { readonly error: string } {
  let value: unknown = object;
  for (const [i, name] of path.entries()) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) {
      const at = path.slice(0, i + 1).join(".");
      return {
        error: `.${at} accessor error: ${goFormat(value)} is of the type ${goType(value)}, expected map[string]interface{}`,
      };
    }
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (value === undefined) return { value };
  const fits = wanted === "string" ? typeof value === "string" : isInt64(value);
  if (fits) return { value };
  const type = value === null ? "<nil>" : goType(value);
  return { error: `.${path.join(".")} accessor error: ${goFormat(value)} is of the type ${type}, expected ${wanted}` };
}

function replicas(errors: field.FieldError[], object: KubeObject, path: string): void {
  const found = nestedValue(object as unknown as JsonObject, splitPath(path), "int64");
  const at = field.newPath(path);
  if ("error" in found) errors.push(field.invalid(at, 0, found.error));
  else if (isInt64(found.value) && found.value < 0) {
    errors.push(field.invalid(at, found.value, "should be a non-negative integer"));
  } else if (isInt64(found.value) && found.value > INT32_MAX) {
    errors.push(field.invalid(at, found.value, `should be less than or equal to ${INT32_MAX}`));
  }
}

function scaleSpec(errors: field.FieldError[], object: KubeObject, scale: ScaleDefinition | undefined): void {
  if (scale !== undefined) replicas(errors, object, scale.specReplicasPath);
}

function scaleStatus(errors: field.FieldError[], object: KubeObject, scale: ScaleDefinition | undefined): void {
  if (scale === undefined) return;
  replicas(errors, object, scale.statusReplicasPath);
  if (scale.labelSelectorPath === undefined) return;
  const found = nestedValue(object as unknown as JsonObject, splitPath(scale.labelSelectorPath), "string");
  if ("error" in found) errors.push(field.invalid(field.newPath(scale.labelSelectorPath), "", found.error));
}
