// Definitions of custom resources for fuzzed requests: small schemas built from valid and invalid pieces. Each has a
// separate group, so that no two claim the same names.

import { isDeepStrictEqual } from "node:util";
import type { Place } from "./fuzz-kinds.ts";
import type { Edits } from "./fuzz-random.ts";

const schema = (properties: object = {}, more: object = {}): object => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties, ...more } } },
});

const version = (name: string, properties: object = { plain: { type: "string" } }, more: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: schema(properties),
  ...more,
});

const ROOT = "/spec/versions/0/schema/openAPIV3Schema";
const PROPERTIES = `${ROOT}/properties/spec/properties`;
const rule = (text: string, more: object = {}): object => ({ "x-kubernetes-validations": [{ rule: text, ...more }] });

/** Each entry is a separate property. */
const properties: Readonly<Record<string, object>> = {
  size: { type: "integer", format: "int32", minimum: 0, maximum: 10, default: 3 },
  ratio: { type: "number", multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
  color: { type: "string", enum: ["red", "blue"], default: "red", maxLength: 10 },
  name: { type: "string", pattern: "^[a-z]+$", minLength: 1, nullable: true },
  when: { type: "string", format: "date-time" },
  odd: { type: "string", format: "unheard-of" },
  port: { "x-kubernetes-int-or-string": true },
  both: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  whole: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  tags: { type: "array", maxItems: 4, items: { type: "string", maxLength: 4 }, "x-kubernetes-list-type": "set" },
  rows: {
    type: "array",
    maxItems: 3,
    items: {
      type: "object",
      required: ["key"],
      properties: { key: { type: "string", maxLength: 4 }, value: { type: "boolean", default: false } },
    },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["key"],
  },
  amounts: { type: "object", maxProperties: 3, additionalProperties: { type: "integer" } },
  atom: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "string" } } },
  nested: {
    type: "object",
    properties: { deep: { type: "object", default: {}, properties: { x: { default: 1, type: "integer" } } } },
  },
  some: {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    oneOf: [{ required: ["a"] }, { required: ["b"] }],
  },
  never: { type: "object", properties: { a: { type: "string" } }, not: { required: ["a"] } },
  checked: { type: "integer", ...rule("self >= 0 && self < 100") },
  fixed: {
    type: "string",
    maxLength: 8,
    ...rule("self == oldSelf", { message: "it is fixed", reason: "FieldValueForbidden" }),
  },
  told: { type: "string", maxLength: 8, ...rule("self != 'x'", { messageExpression: "'not ' + self" }) },
  optional: { type: "string", maxLength: 8, ...rule("oldSelf.orValue('a') == self", { optionalOldSelf: true }) },
  ordered: {
    type: "object",
    properties: { from: { type: "integer" }, to: { type: "integer" } },
    ...rule("!has(self.from) || !has(self.to) || self.from <= self.to", { fieldPath: ".from" }),
  },
};

/** Refused everywhere, each for one reason only, because upstream visits properties in random order. */
const wrongProperties: readonly object[] = [
  { type: "nonsense" },
  {},
  { type: "integer", default: "x" },
  { type: "integer", minimum: 5, default: 1 },
  { type: "string", enum: ["a"], default: "b" },
  { type: "string", pattern: "(" },
  { type: "string", minLength: -1 },
  { type: "string", minLength: 3, maxLength: 2 },
  { type: "array" },
  { type: "array", items: [{ type: "string" }] },
  { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "nonsense" },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-map-keys": ["a"] },
  { type: "array", items: { type: "string" }, uniqueItems: true },
  { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
  { type: "object", additionalProperties: false },
  { type: "object", "x-kubernetes-map-type": "nonsense" },
  { type: "object", "x-kubernetes-preserve-unknown-fields": false },
  { type: "object", "x-kubernetes-embedded-resource": true },
  { type: "string", "x-kubernetes-embedded-resource": true },
  { type: "integer", "x-kubernetes-int-or-string": true },
  { type: "object", required: ["a", "a"] },
  { type: "string", nullable: true, default: null, enum: [] },
  { type: "object", allOf: [{ type: "object" }] },
  { type: "object", anyOf: [{ properties: { unknown: { minimum: 1 } } }] },
  { type: "object", $ref: "#/definitions/x" },
  { type: "object", definitions: { x: { type: "string" } } },
  { type: "object", dependencies: { a: ["b"] } },
  { type: "object", patternProperties: { "^a": { type: "string" } } },
  { type: "integer", multipleOf: 0 },
  { type: "integer", ...rule("") },
  { type: "integer", ...rule("self >") },
  { type: "integer", ...rule("self.missing") },
  { type: "integer", ...rule("self + 1") },
  { type: "integer", ...rule("self > 0", { message: " " }) },
  { type: "integer", ...rule("self > 0", { message: "two\nlines" }) },
  { type: "integer", ...rule("self > 0", { messageExpression: "self" }) },
  { type: "integer", ...rule("self > 0", { reason: "Nonsense" }) },
  { type: "integer", ...rule("self > 0", { fieldPath: ".nowhere" }) },
  { type: "integer", ...rule("self > 0", { optionalOldSelf: true }) },
  { type: "integer", unknown: 1 },
];

const asProperty = (name: string, content: object): Edits => ({ [`${PROPERTIES}/${name}`]: content });

interface Definition {
  readonly metadata: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
  readonly spec: { readonly names: object };
  readonly status?: {
    readonly acceptedNames?: object;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Whether the names are accepted and the definition is established or, if it is deleted, its instances are gone. */
function isSettled({ metadata, spec, status }: Definition): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  const isGoing =
    deletionTimestamp !== undefined && finalizers.some((name) => name.startsWith("customresourcecleanup."));
  const isEstablished = status?.conditions?.some((each) => each.type === "Established" && each.status === "True");
  return !isGoing && isEstablished === true && isDeepStrictEqual(spec.names, status?.acceptedNames);
}

export const definitions: Place = {
  label: "customresourcedefinitions",
  collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  prefix: "things.",
  suffix: ".$ns.example",
  hasRuledNames: true,
  needsVersion: true,
  isSettled: (object) => isSettled(object as Definition),
  minimal: {
    spec: {
      group: "$name.$ns.example",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [version("v1")],
    },
  },
  options: [
    ...Object.entries(properties).map(([name, content]) => asProperty(name, content)),
    { "/spec/scope": "Cluster" },
    {
      "/spec/names": {
        plural: "things",
        singular: "thing",
        kind: "Thing",
        listKind: "Things",
        shortNames: ["th"],
        categories: ["all"],
      },
    },
    { "/spec/versions/0/subresources": { status: {} } },
    {
      "/spec/versions/0/subresources": {
        scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
      },
    },
    {
      "/spec/versions/0/additionalPrinterColumns": [
        { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 },
      ],
    },
    {
      "/spec/versions/0/additionalPrinterColumns": [
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
    },
    {
      "/spec/versions/1": version("v2beta1", undefined, {
        storage: false,
        deprecated: true,
        deprecationWarning: "use v1",
      }),
    },
    { "/spec/versions/1": version("v0", undefined, { storage: false, served: false }) },
    { "/spec/conversion": { strategy: "None" } },
    { [`${ROOT}/required`]: ["spec"] },
    { [`${ROOT}/properties/metadata`]: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
    { "/status": { storedVersions: ["v1"], conditions: [], acceptedNames: { plural: "x", kind: "X" } } },
  ],
  changes: [
    ...Object.entries(properties).map(([name, content]) => asProperty(name, content)),
    { "/spec/versions": [version("v1", { size: properties.size })] },
    {
      "/spec/versions": [
        version("v1", { checked: properties.checked, tags: properties.tags }, { subresources: { status: {} } }),
      ],
    },
    { "/spec/versions": [version("v1"), version("v2", { color: properties.color }, { storage: false })] },
    { "/spec/versions": [version("v1", undefined, { storage: false }), version("v2", { fixed: properties.fixed })] },
    { "/spec/names/shortNames": ["th", "tg"] },
    { "/spec/names/kind": "Thingy", "/spec/names/listKind": "ThingyList" },
    { "/spec/names/categories": ["all"], "/spec/names/singular": "one" },
    { "/spec/names/shortNames": undefined },
    { "/metadata/annotations/more": "1" },
    { "/metadata/labels/more": "1" },
  ],
  wrong: [
    ...wrongProperties.map((content) => asProperty("wrong", content)),
    ...wrongProperties.slice(0, 12).map((content) => ({ "/spec/versions": [version("v1", { wrong: content })] })),
    { "/spec/group": "other.example" },
    { "/spec/group": "" },
    { "/spec/scope": "Nonsense" },
    { "/spec/scope": "Cluster" },
    { "/spec/names/plural": "Others" },
    { "/spec/names/kind": "" },
    { "/spec/names/kind": "bad kind", "/spec/names/listKind": "bad kind" },
    { "/spec/names/shortNames": ["UPPER", "th!"] },
    { "/spec/versions": [] },
    { "/spec/versions": [version("v1"), version("v2")] },
    { "/spec/versions": [version("v1", undefined, { storage: false })] },
    { "/spec/versions": [version("v1"), version("v1", undefined, { storage: false })] },
    { "/spec/versions": [version("V1!")] },
    { "/spec/versions": [version("v1", undefined, { schema: undefined })] },
    { "/spec/versions": [version("v1", undefined, { schema: {} })] },
    { "/spec/versions": [version("v1", undefined, { schema: { openAPIV3Schema: { type: "string" } } })] },
    { "/spec/versions": [version("v1", undefined, { served: "yes" })] },
    { "/spec/versions": [version("v1", undefined, { deprecationWarning: "why" })] },
    { "/spec/versions/0/subresources": { scale: {} } },
    { "/spec/versions/0/subresources": { scale: { specReplicasPath: "spec", statusReplicasPath: ".spec.x" } } },
    { "/spec/versions/0/additionalPrinterColumns": [{ name: "", type: "nonsense", jsonPath: "x" }] },
    { "/spec/versions/0/selectableFields": [{ jsonPath: ".spec.missing" }] },
    { "/spec/versions/0/selectableFields": [{ jsonPath: ".metadata.name" }] },
    { "/spec/conversion": { strategy: "Nonsense" } },
    { "/spec/conversion": { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } },
    { "/spec/preserveUnknownFields": true },
    { "/metadata/annotations/api-approved.kubernetes.io": "nonsense" },
    { [`${ROOT}/properties/metadata`]: { type: "object", properties: { labels: { type: "object" } } } },
    { [`${ROOT}/properties/kind`]: { type: "integer" } },
    { "/spec": "text" },
  ],
  status: [
    { "/status/conditions/-": { type: "Odd", status: "True", reason: "R", message: "m" } },
    { "/status/storedVersions": ["v1"] },
    { "/metadata/annotations/more": "2", "/spec/scope": "Nonsense" },
  ],
  wrongStatus: [
    { "/status/storedVersions": [] },
    { "/status/storedVersions": ["v9"] },
    { "/status/storedVersions": "v1" },
    { "/status/conditions": "x" },
  ],
  strategic: [
    { spec: { names: { shortNames: ["sm"] } } },
    { spec: { versions: [version("v1", { size: properties.size })] } },
    { spec: { conversion: null } },
  ],
};
