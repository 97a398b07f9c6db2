// A definition in the form that upstream's validation reads: parts that all versions share are moved to the top, and
// values in messages have the names of Go's fields.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go, types.go, types_jsonschema.go

import { semanticEqual } from "#api/equality.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "#api/generated/types/apiextensions-v1.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { itemsOf, type JSONSchemaProps, tupleOf, type ValidationRule } from "#cel/json-schema.ts";

export interface InternalSpec {
  readonly spec: CustomResourceDefinitionSpec;
  /** Set if all versions share it; then absent in the versions. */
  readonly validation?: CustomResourceValidation | undefined;
  readonly subresources?: CustomResourceSubresources | undefined;
  readonly columns?: readonly CustomResourceColumnDefinition[] | undefined;
  readonly selectableFields?: readonly SelectableField[] | undefined;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

const SHARED = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

export function internalSpec(spec: CustomResourceDefinitionSpec): InternalSpec {
  const versions = spec.versions ?? [];
  const [first] = versions;
  if (first === undefined) return { spec, versions };
  const shared = SHARED.filter((name) =>
    versions.every((version) => deepEqual(version[name] ?? null, first[name] ?? null)),
  );
  const value = <K extends (typeof SHARED)[number]>(name: K): CustomResourceDefinitionVersion[K] | undefined =>
    shared.includes(name) ? first[name] : undefined;
  return {
    spec,
    validation: value("schema"),
    subresources: value("subresources"),
    columns: value("additionalPrinterColumns"),
    selectableFields: value("selectableFields"),
    versions: versions.map((version) => {
      const own: Record<string, unknown> = { ...version };
      for (const name of shared) delete own[name];
      return own as unknown as CustomResourceDefinitionVersion;
    }),
  };
}

/** The names of versions with unchanged schemas. Upstream: validation.go, findVersionsWithUnchangedSchemas */
export function unchangedSchemas(internal: InternalSpec, old: InternalSpec): ReadonlySet<string> {
  const names = internal.versions.map(({ name }) => name);
  return new Set(
    names.filter((name) => {
      const before = schemaOf(old, name);
      return before !== undefined && semanticEqual(schemaOf(internal, name), before);
    }),
  );
}

/** A schema that all versions share applies to any version name, even an unknown one. */
function schemaOf({ validation, versions }: InternalSpec, name: string): CustomResourceValidation | undefined {
  return versions.some(({ schema }) => schema !== undefined)
    ? versions.find((version) => version.name === name)?.schema
    : validation;
}

const nullable = <T>(value: T | undefined, print: (value: T) => unknown): unknown =>
  value === undefined || value === null ? null : print(value);

const list = <T>(values: readonly T[] | undefined, print: (value: T) => unknown): unknown =>
  nullable(values, (all) => all.map(print));

const map = (values: Readonly<Record<string, JSONSchemaProps>> | undefined): unknown =>
  nullable(values, (all) =>
    Object.fromEntries(
      Object.keys(all)
        .sort()
        .map((key) => [key, printedSchema(all[key] as JSONSchemaProps)]),
    ),
  );

export function printedVersion(version: CustomResourceDefinitionVersion): unknown {
  return {
    Name: version.name ?? "",
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: nullable(version.schema, ({ openAPIV3Schema }) => ({
      OpenAPIV3Schema: nullable(openAPIV3Schema, printedSchema),
    })),
    Subresources: nullable(version.subresources, ({ status, scale }) => ({
      Status: nullable(status, () => ({})),
      Scale: nullable(scale, (paths) => ({
        SpecReplicasPath: paths.specReplicasPath ?? "",
        StatusReplicasPath: paths.statusReplicasPath ?? "",
        LabelSelectorPath: paths.labelSelectorPath ?? null,
      })),
    })),
    AdditionalPrinterColumns: list(version.additionalPrinterColumns, (column) => ({
      Name: column.name ?? "",
      Type: column.type ?? "",
      Format: column.format ?? "",
      Description: column.description ?? "",
      Priority: column.priority ?? 0,
      JSONPath: column.jsonPath ?? "",
    })),
    SelectableFields: list(version.selectableFields, ({ jsonPath }) => ({ JSONPath: jsonPath ?? "" })),
  };
}

export function printedRule(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule ?? "",
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

export function printedSchema(schema: JSONSchemaProps): unknown {
  const same = <T>(value: T): T => value;
  const orBool = (value: JSONSchemaProps | boolean | undefined): unknown =>
    nullable(value, (given) => ({
      Allows: given !== false,
      Schema: typeof given === "object" ? printedSchema(given) : null,
    }));
  return {
    ID: schema.id ?? "",
    Schema: schema.$schema ?? "",
    Ref: schema.$ref ?? null,
    Description: schema.description ?? "",
    Type: schema.type ?? "",
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? "",
    Title: schema.title ?? "",
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? "",
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: list(schema.enum, same),
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: list(schema.required, same),
    Items: nullable(schema.items, () => ({
      Schema: nullable(itemsOf(schema), printedSchema),
      JSONSchemas: tupleOf(schema).length === 0 ? null : tupleOf(schema).map(printedSchema),
    })),
    AllOf: list(schema.allOf, printedSchema),
    OneOf: list(schema.oneOf, printedSchema),
    AnyOf: list(schema.anyOf, printedSchema),
    Not: nullable(schema.not, printedSchema),
    Properties: map(schema.properties),
    AdditionalProperties: orBool(schema.additionalProperties),
    PatternProperties: map(schema.patternProperties),
    Dependencies: null,
    AdditionalItems: orBool(schema.additionalItems),
    Definitions: map(schema.definitions),
    ExternalDocs: nullable(schema.externalDocs, ({ description, url }) => ({
      Description: description ?? "",
      URL: url ?? "",
    })),
    Example: schema.example ?? null,
    XPreserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] ?? null,
    XEmbeddedResource: schema["x-kubernetes-embedded-resource"] ?? false,
    XIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    XListMapKeys: list(schema["x-kubernetes-list-map-keys"], same),
    XListType: schema["x-kubernetes-list-type"] ?? null,
    XMapType: schema["x-kubernetes-map-type"] ?? null,
    XValidations: list(schema["x-kubernetes-validations"], printedRule),
  };
}

/** All schemas of a definition, shared or per version. */
export function* schemasOf({ validation, versions }: InternalSpec): Generator<JSONSchemaProps> {
  if (validation?.openAPIV3Schema) yield validation.openAPIV3Schema;
  for (const { schema } of versions) if (schema?.openAPIV3Schema) yield schema.openAPIV3Schema;
}
