// Validation of CustomResourceDefinitions.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
//
// Deviation: a definition with a conversion webhook is refused. Upstream's tolerance for definitions older than
// structural schemas is left out, because there are none here.

import * as field from "#api/field-error.ts";
import type {
  CustomResourceConversion,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  CustomResourceValidation,
} from "#api/generated/types/apiextensions-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1035Label, isDns1123Subdomain } from "#api/names.ts";
import { type CustomResourceDefinition, hasDefault, type JSONSchemaProps, someSchema } from "#cel/json-schema.ts";
import { IMMUTABLE } from "#kinds/parts/checks.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";
import { APPROVED_ANNOTATION, approvalOf } from "./crd-approval.ts";
import {
  type InternalSpec,
  internalSpec,
  printedSchema,
  printedVersion,
  schemasOf,
  unchangedSchemas,
} from "./crd-internal.ts";
import { type CompileRules, validateSchemaNodes } from "./crd-schema-validation.ts";
import { validateColumns, validateSubresources } from "./crd-served-parts.ts";
import { type CheckRules, validateDefaults } from "./default-validation.ts";
import type { MetadataReader } from "./resource-meta.ts";
import { validateSelectableFields } from "./selectable-fields.ts";
import { unsupportedInStructural, validateStructural } from "./structural-schema.ts";

type Errors = field.FieldError[];
type Path = field.FieldPath;

export interface DefinitionChecks {
  readonly read: MetadataReader;
  readonly checkRules: CheckRules;
  readonly compileRules: CompileRules;
}

interface SpecChecks extends DefinitionChecks {
  readonly unchanged: ReadonlySet<string>;
}

const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");
const METADATA = field.newPath("metadata");

export function validateDefinition(crd: CustomResourceDefinition, checks: DefinitionChecks): Errors {
  const errors: Errors = [];
  const { spec } = crd;
  const required = `${spec?.names?.plural ?? ""}.${spec?.group ?? ""}`;
  const checkName = (name: string): string[] =>
    name === required
      ? isDns1123Subdomain(name)
      : [...isDns1123Subdomain(name), 'must be spec.names.plural+"."+spec.group'];
  genericObjectMeta(errors, crd.metadata ?? {}, false, checkName, METADATA);
  validateRest(errors, crd, undefined, checks);
  return errors;
}

export function validateDefinitionUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  checks: DefinitionChecks,
): Errors {
  const errors: Errors = [];
  genericObjectMetaUpdate(errors, crd.metadata ?? {}, old.metadata ?? {}, METADATA);
  validateRest(errors, crd, old, checks);
  return errors;
}

export function validateDefinitionStatusUpdate(crd: CustomResourceDefinition, old: CustomResourceDefinition): Errors {
  const errors: Errors = [];
  genericObjectMetaUpdate(errors, crd.metadata ?? {}, old.metadata ?? {}, METADATA);
  validateNames(errors, crd.status?.acceptedNames, STATUS.child("acceptedNames"));
  return errors;
}

function validateRest(
  errors: Errors,
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  checks: DefinitionChecks,
): void {
  const internal = internalSpec(crd.spec);
  validateSpec(errors, internal, {
    ...checks,
    unchanged: old === undefined ? new Set() : unchangedSchemas(internal, internalSpec(old.spec)),
  });
  if (old !== undefined) immutableFields(errors, crd, old);
  validateNames(errors, crd.status?.acceptedNames, STATUS.child("acceptedNames"));
  storedVersions(errors, crd.status?.storedVersions, internal.versions, STATUS.child("storedVersions"));
  apiApproval(errors, crd, old);
  if (crd.spec.preserveUnknownFields && !old?.spec.preserveUnknownFields) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    errors.push(field.invalid(SPEC.child("preserveUnknownFields"), true, detail));
  }
}

function immutableFields(errors: Errors, { spec }: CustomResourceDefinition, old: CustomResourceDefinition): void {
  const isEstablished = old.status?.conditions?.some((c) => c.type === "Established" && c.status === "True") ?? false;
  const fix = (path: Path, value: string, before: string): void => {
    if (value !== before) errors.push(field.invalid(path, value, IMMUTABLE));
  };
  const { names, group, scope } = old.spec;
  if (isEstablished) {
    fix(SPEC.child("scope"), spec.scope, scope);
    fix(SPEC.child("names", "kind"), spec.names.kind, names.kind);
  }
  fix(SPEC.child("group"), spec.group, group);
  fix(SPEC.child("names", "plural"), spec.names.plural, names.plural);
}

function validateSpec(errors: Errors, internal: InternalSpec, checks: SpecChecks): void {
  const { spec, versions } = internal;
  const { group = "", scope = "", names } = spec;
  const atGroup = SPEC.child("group");
  const groupErrors = isDns1123Subdomain(group);
  if (group === "") errors.push(field.required(atGroup, ""));
  else if (groupErrors.length > 0) errors.push(field.invalid(atGroup, group, groupErrors.join(",")));
  else if (!group.includes(".")) {
    errors.push(field.invalid(atGroup, group, "should be a domain with at least one dot"));
  }
  const scopes = ["Cluster", "Namespaced"];
  if (scope === "") errors.push(field.required(SPEC.child("scope"), ""));
  else if (!scopes.includes(scope)) errors.push(field.notSupported(SPEC.child("scope"), scope, scopes));
  if (!internal.validation?.openAPIV3Schema) {
    versions.forEach(({ schema }, i) => {
      const at = SPEC.child("versions").index(i).child("schema", "openAPIV3Schema");
      if (!schema?.openAPIV3Schema) errors.push(field.required(at, ""));
    });
  }
  const hasDefaults = [...schemasOf(internal)].some((schema) => someSchema(schema, hasDefault));
  if (hasDefaults && spec.preserveUnknownFields) {
    const detail = "must be false in order to use defaults in the schema";
    errors.push(field.invalid(SPEC.child("preserveUnknownFields"), true, detail));
  }
  validateVersions(errors, internal, checks);
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names?.[name]) errors.push(field.required(SPEC.child("names", name), ""));
  }
  validateNames(errors, names, SPEC.child("names"));
  const isStatusEnabled = [internal.subresources, ...versions.map(({ subresources }) => subresources)].some(
    (subresources) => !!subresources?.status,
  );
  const isUnchanged = checks.unchanged.has(versions[0]?.name ?? "");
  validateValidation(errors, internal.validation, isStatusEnabled, isUnchanged, SPEC.child("validation"), checks);
  validateSubresources(errors, internal.subresources, SPEC.child("subresources"));
  validateColumns(errors, internal.columns, SPEC);
  if (internal.selectableFields !== undefined && internal.selectableFields.length > 0) {
    const at = SPEC.child("selectableFields");
    const schema = internal.validation?.openAPIV3Schema;
    if (schema === undefined) {
      errors.push(field.invalid(at, "", "may only be set when validations.schema is included"));
    } else validateSelectableFields(errors, internal.selectableFields, schema, at);
  }
  validateConversion(errors, spec.conversion, spec.preserveUnknownFields === true, SPEC.child("conversion"));
}

function validateVersions(errors: Errors, internal: InternalSpec, checks: SpecChecks): void {
  const { versions } = internal;
  const at = SPEC.child("versions");
  const hasOwnSubresources = versions.some(({ subresources }) => subresources !== undefined);
  versions.forEach((version, i) => {
    const nameErrors = isDns1035Label(version.name ?? "");
    if (nameErrors.length > 0) {
      errors.push(field.invalid(at.index(i).child("name"), version.name ?? "", nameErrors.join(",")));
    }
    const subresources = hasOwnSubresources ? version.subresources : internal.subresources;
    validateVersion(errors, version, !!subresources?.status, at.index(i), checks);
  });
  const printed = (): unknown => versions.map(printedVersion);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(field.invalid(at, printed(), "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(
      field.invalid(
        at,
        internal.spec.versions ? printed() : null,
        "must have exactly one version marked as storage version",
      ),
    );
  }
  const [first] = versions;
  if (first?.name) {
    const messages = isDns1035Label(first.name);
    if (messages.length > 0) errors.push(field.invalid(SPEC.child("version"), first.name, messages.join(",")));
  }
}

function validateVersion(
  errors: Errors,
  version: CustomResourceDefinitionVersion,
  isStatusEnabled: boolean,
  path: Path,
  checks: SpecChecks,
): void {
  for (const detail of deprecationErrors(version)) {
    errors.push(field.invalid(path.child("deprecationWarning"), version.deprecationWarning, detail));
  }
  const isUnchanged = checks.unchanged.has(version.name);
  validateValidation(errors, version.schema, isStatusEnabled, isUnchanged, path.child("schema"), checks);
  validateSubresources(errors, version.subresources, path.child("subresources"));
  validateColumns(errors, version.additionalPrinterColumns, path);
  if (version.selectableFields === undefined || version.selectableFields.length === 0) return;
  const at = path.child("selectableFields");
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) {
    const detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
    errors.push(field.invalid(at, "", detail));
  } else validateSelectableFields(errors, version.selectableFields, schema, at);
}

function deprecationErrors({ deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion): string[] {
  if (text === undefined) return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const errors: string[] = [];
  if (byteLength(text) > 256) errors.push("must be <= 256 characters long");
  if (text === "") errors.push("must not be an empty string");
  let index = 0;
  for (const char of text) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      errors.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
      break;
    }
    index += byteLength(char);
  }
  return errors;
}

/** Fields that the root may have if there is a status subresource, in the order of Go's struct. */
const ALLOWED_AT_ROOT = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

function validateValidation(
  errors: Errors,
  validation: CustomResourceValidation | undefined,
  isStatusEnabled: boolean,
  isUnchanged: boolean,
  path: Path,
  checks: DefinitionChecks,
): void {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return;
  const found: Errors = [];
  if (isStatusEnabled) rootFields(found, schema, path);
  if (schema.nullable) {
    found.push(field.forbidden(path.child("openAPIV3Schema.nullable"), "nullable cannot be true at the root"));
  }
  const at = path.child("openAPIV3Schema");
  const unreadable = unsupportedInStructural(schema);
  let isStructural = false;
  if (unreadable === undefined) {
    let wrong = validateStructural(schema, at);
    if (wrong.length === 0) wrong = validateDefaults(schema, at, checks);
    found.push(...wrong);
    isStructural = wrong.length === 0;
  }
  found.push(...validateSchemaNodes(schema, at, isStructural ? checks.compileRules : undefined, isUnchanged));
  if (found.length === 0 && unreadable !== undefined) found.push(field.invalid(at, "", unreadable));
  errors.push(...found);
}

function rootFields(errors: Errors, schema: JSONSchemaProps, path: Path): void {
  const printed = printedSchema(schema) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(printed)) {
    if (value === null || value === "" || value === false) continue;
    if (name === "Type") {
      if (schema.type === "object") continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      errors.push(field.invalid(path.child("openAPIV3Schema.type"), schema.type, detail));
      return;
    }
    if (ALLOWED_AT_ROOT.includes(name)) continue;
    const allowed = `[${ALLOWED_AT_ROOT.join(" ")}]`;
    const detail = `only ${allowed} fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(field.invalid(path.child("openAPIV3Schema"), printed, detail));
    return;
  }
}

export function validateNames(errors: Errors, names: CustomResourceDefinitionNames | undefined, path: Path): void {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names ?? {};
  const label = (value: string, at: Path, prefix = ""): void => {
    const messages = isDns1035Label(prefix === "" ? value : value.toLowerCase());
    if (value !== "" && messages.length > 0) errors.push(field.invalid(at, value, prefix + messages.join(",")));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  label(plural, path.child("plural"));
  label(singular, path.child("singular"));
  label(kind, path.child("kind"), mixed);
  label(listKind, path.child("listKind"), mixed);
  const each = (values: readonly string[], at: Path): void =>
    values.forEach((value, i) => {
      const messages = isDns1035Label(value);
      if (messages.length > 0) errors.push(field.invalid(at.index(i), value, messages.join(",")));
    });
  each(shortNames, path.child("shortNames"));
  if (kind !== "" && kind === listKind) {
    errors.push(field.invalid(path.child("listKind"), listKind, "kind and listKind may not be the same"));
  }
  each(categories, path.child("categories"));
}

function validateConversion(
  errors: Errors,
  conversion: CustomResourceConversion | undefined,
  isPreserving: boolean,
  path: Path,
): void {
  if (conversion === undefined) return;
  const { strategy = "", webhook } = conversion;
  const at = path.child("strategy");
  if (strategy !== "None" && isPreserving) {
    errors.push(field.invalid(at, strategy, "must be None if spec.preserveUnknownFields is true"));
  }
  if (strategy === "") errors.push(field.required(at, ""));
  else if (strategy === "Webhook") {
    errors.push(field.invalid(at, strategy, "conversion webhooks are not supported by this server, use None"));
    return;
  } else if (strategy !== "None") errors.push(field.notSupported(at, strategy, ["None", "Webhook"]));
  const detail = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig) errors.push(field.forbidden(path.child("webhookClientConfig"), detail));
  if ((webhook?.conversionReviewVersions?.length ?? 0) > 0) {
    errors.push(field.forbidden(path.child("conversionReviewVersions"), detail));
  }
}

function storedVersions(
  errors: Errors,
  stored: readonly string[] | undefined,
  versions: readonly CustomResourceDefinitionVersion[],
  path: Path,
): void {
  if (!stored?.length) {
    errors.push(field.invalid(path, stored ?? null, "must have at least one stored version"));
    return;
  }
  for (const { name, storage } of versions) {
    if (storage && !stored.includes(name)) {
      errors.push(field.invalid(path, stored, `must have the storage version ${name}`));
    }
  }
  for (const name of new Set(stored)) {
    if (versions.some((version) => version.name === name)) continue;
    const detail =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
      `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(field.invalid(path.index(stored.lastIndexOf(name)), name, detail));
  }
}

function apiApproval(errors: Errors, crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): void {
  const approval = approvalOf(crd);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return;
  const path = METADATA.child("annotations").key(APPROVED_ANNOTATION);
  const annotation = crd.metadata?.annotations?.[APPROVED_ANNOTATION] ?? "";
  if (approval.state === "missing") errors.push(field.required(path, approval.reason));
  else if (approval.state === "invalid") errors.push(field.invalid(path, annotation, approval.reason));
}
