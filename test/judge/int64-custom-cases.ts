// Custom resources with 64-bit integers and larger ones.

import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import { stringifyJson } from "#base/json.ts";
import type { JudgeCase, Step } from "./case.ts";
import { applyYaml, asTable, get, jsonPatch, merge, patch, post, put } from "./steps.ts";

type Json = Record<string, unknown>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "$ns.example";
const WIDGETS = `/apis/${GROUP}/v1/namespaces/$ns/widgets`;

const yaml = { headers: { "content-type": "application/yaml" } };
const asYaml = { accept: "application/yaml" };
const BEYOND = INT64_MAX + 1n;

const text = (body: unknown): string => stringifyJson(body);
const versionsOnly = { view: (body: unknown) => ((body as Json).spec as Json).versions };

const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });

const definition = (spec: Json, more: Json = {}): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: object({ spec }) }, ...more }],
  },
});

const teach = (crd: Json): Step[] => [
  post(DEFINITIONS, crd, { view: () => undefined }),
  { ...get(WIDGETS), awaits: 200, view: () => undefined },
];

const widget = (name: string, spec: unknown): Json => ({
  apiVersion: `${GROUP}/v1`,
  kind: "Widget",
  metadata: { name },
  spec,
});

const NUMBERS = object({
  int: { type: "integer" },
  int64: { type: "integer", format: "int64" },
  int32: { type: "integer", format: "int32" },
  number: { type: "number" },
  double: { type: "number", format: "double" },
  float: { type: "number", format: "float" },
  either: { "x-kubernetes-int-or-string": true },
  text: { type: "string" },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  set: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
  map: {
    type: "array",
    items: object({ key: { type: "integer" }, value: { type: "integer" } }, { required: ["key"] }),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["key"],
  },
});

const FIELDS = ["int", "int64", "int32", "number", "double", "float", "either", "text"];

export const int64CustomCases: readonly JudgeCase[] = [
  {
    name: "int64: every kind of number of a custom resource",
    steps: [
      ...teach(definition(NUMBERS)),
      ...FIELDS.flatMap((name) =>
        [INT64_MAX, INT64_MIN, 2n ** 53n, 2n ** 53n - 1n, BEYOND, 10n ** 30n].map((value, i) =>
          post(WIDGETS, text(widget(`${name}-${i}`, { [name]: value }))),
        ),
      ),
      ...["1e18", "1.5", "-0", "9007199254740993.0"].flatMap((value) =>
        ["number", "int", "free"].map((name) =>
          post(WIDGETS, text(widget("other", { [name]: name === "free" ? { a: 0 } : 0 })).replace(/(?<=:)0/, value), {
            headers: { "content-type": "application/json" },
          }),
        ),
      ),
      post(WIDGETS, text(widget("free", { free: { a: INT64_MAX, b: [BEYOND], c: { d: INT64_MIN } } }))),
      get(`${WIDGETS}/free`),
      get(`${WIDGETS}/free`, asYaml),
      post(WIDGETS, text(widget("yaml", { int: INT64_MAX, number: INT64_MIN })), yaml),
    ],
  },
  {
    name: "int64: patches and apply of a custom resource",
    steps: [
      ...teach(definition(NUMBERS)),
      post(WIDGETS, widget("a", { int: INT64_MAX, free: { a: INT64_MAX } })),
      put(`${WIDGETS}/a`, { ...widget("a", { int: INT64_MAX, free: { a: INT64_MAX } }) }),
      patch(`${WIDGETS}/a`, merge, { spec: { int: INT64_MAX - 1n } }),
      patch(`${WIDGETS}/a`, merge, { spec: { int: INT64_MAX - 1n } }),
      patch(`${WIDGETS}/a`, merge, text({ spec: { int: BEYOND } })),
      patch(`${WIDGETS}/a`, merge, text({ spec: { number: BEYOND } })),
      patch(`${WIDGETS}/a`, jsonPatch, [
        { op: "test", path: "/spec/int", value: INT64_MAX - 1n },
        { op: "replace", path: "/spec/int", value: INT64_MIN },
        { op: "copy", from: "/spec/free/a", path: "/spec/free/b" },
      ]),
      patch(
        `${WIDGETS}/b?fieldManager=one`,
        applyYaml,
        widget("b", {
          int: INT64_MAX,
          set: [INT64_MAX, INT64_MAX - 1n, 1],
          map: [
            { key: INT64_MAX, value: 1 },
            { key: INT64_MAX - 1n, value: 2 },
          ],
        }),
      ),
      // More writes would show the rounding of keys in the real server's managedFields.
      patch(`${WIDGETS}/n?fieldManager=one`, applyYaml, widget("n", { int: INT64_MAX, either: INT64_MIN })),
      patch(`${WIDGETS}/n?fieldManager=two`, applyYaml, widget("n", { int: INT64_MAX })),
      patch(`${WIDGETS}/n?fieldManager=two`, applyYaml, widget("n", { int: INT64_MAX - 1n })),
      patch(`${WIDGETS}/n?fieldManager=two&force=true`, applyYaml, widget("n", { int: INT64_MAX - 1n })),
      patch(`${WIDGETS}/n?fieldManager=one`, applyYaml, widget("n", { either: INT64_MIN + 1n })),
      patch(`${WIDGETS}/c?fieldManager=one`, applyYaml, widget("c", { set: [INT64_MAX, INT64_MAX] })),
      post(WIDGETS, widget("d", { set: [INT64_MAX, 1, INT64_MAX] })),
      post(WIDGETS, widget("d", { map: [{ key: INT64_MAX }, { key: INT64_MAX }] })),
      post(WIDGETS, widget("e", { set: [INT64_MAX, INT64_MAX - 1n] })),
    ],
  },
  {
    name: "int64: bounds, enums and defaults of a schema",
    steps: [
      ...teach(
        definition(
          object({
            low: { type: "integer", minimum: 2 ** 53 },
            high: { type: "integer", maximum: 2 ** 53 },
            beyond: { type: "integer", maximum: INT64_MAX },
            below: { type: "integer", minimum: INT64_MIN },
            open: { type: "number", maximum: 2 ** 53, exclusiveMaximum: true },
            even: { type: "integer", multipleOf: 2 },
            thirds: { type: "number", multipleOf: 3 },
            one: { type: "integer", enum: [INT64_MAX, 1] },
            given: { type: "integer", default: INT64_MAX },
            long: { type: "string", maxLength: INT64_MAX },
            short: { type: "string", minLength: INT64_MAX },
          }),
        ),
      ),
      { ...get(`${DEFINITIONS}/widgets.${GROUP}`), ...versionsOnly },
      ...[
        { low: 2n ** 53n },
        { low: 2n ** 53n - 1n },
        { low: INT64_MAX },
        { high: 2n ** 53n + 1n },
        { high: 2n ** 53n },
        { high: INT64_MIN },
        { beyond: 1 },
        { beyond: INT64_MAX },
        { below: 1 },
        { open: 2n ** 53n },
        { open: 2n ** 53n - 1n },
        { open: 2n ** 53n + 1n },
        { even: INT64_MAX },
        { even: INT64_MIN },
        { thirds: INT64_MAX },
        { thirds: 2n ** 53n },
        { one: INT64_MAX },
        { one: INT64_MAX - 1n },
        { long: "abc" },
        { short: "abc" },
        {},
      ].map((spec, i) => post(WIDGETS, widget(`w-${i}`, spec))),
    ],
  },
  {
    name: "int64: columns, selectable fields and replicas",
    steps: [
      ...teach(
        definition(NUMBERS, {
          subresources: { scale: { specReplicasPath: ".spec.int", statusReplicasPath: ".status.int" } },
          additionalPrinterColumns: [
            { name: "Int", type: "integer", jsonPath: ".spec.int64" },
            { name: "Number", type: "number", jsonPath: ".spec.int64" },
            { name: "Text", type: "string", jsonPath: ".spec.int64" },
            { name: "Double", type: "integer", jsonPath: ".spec.number" },
            { name: "Free", type: "string", jsonPath: ".spec.free" },
            { name: "Found", type: "integer", jsonPath: ".spec.map[?(@.key==9223372036854775807)].value" },
          ],
          selectableFields: [{ jsonPath: ".spec.int64" }],
        }),
      ),
      post(
        WIDGETS,
        text(
          widget("a", {
            int64: INT64_MAX,
            number: 1.5,
            free: { a: INT64_MIN },
            map: [
              { key: 1, value: 1 },
              { key: INT64_MAX, value: INT64_MIN },
            ],
          }),
        ),
      ),
      post(WIDGETS, text(widget("b", { int64: 2n ** 53n, number: BEYOND }))),
      get(WIDGETS, asTable),
      get(`${WIDGETS}?fieldSelector=spec.int64=9223372036854775807`),
      get(`${WIDGETS}?fieldSelector=spec.int64=9223372036854775806`),
      post(WIDGETS, widget("c", { int: INT64_MAX })),
      post(WIDGETS, widget("c", { int: INT64_MIN })),
    ],
  },
  {
    name: "int64: rules see every integer",
    steps: [
      ...teach(
        definition(
          object(
            {
              a: { type: "integer" },
              b: { type: "integer", format: "int64" },
              n: { type: "number" },
              e: { "x-kubernetes-int-or-string": true },
              s: { type: "array", maxItems: 5, items: { type: "integer" }, "x-kubernetes-list-type": "set" },
            },
            {
              "x-kubernetes-validations": [
                {
                  rule: "!has(self.a) || self.a != 9223372036854775806",
                  message: "a is it",
                },
                { rule: "!has(self.b) || self.b - 1 < self.b", message: "b - 1 is less" },
                {
                  rule: "!has(self.n) || self.n < 9223372036854775000.0",
                  message: "n is more",
                },
                {
                  rule: "!has(self.e) || type(self.e) != int || self.e == 9223372036854775807",
                  message: "e is less",
                },
                { rule: "!has(self.s) || !(9223372036854775806 in self.s)", message: "s has it" },
              ],
            },
          ),
        ),
      ),
      ...[
        { a: INT64_MAX },
        { a: INT64_MAX - 1n },
        { b: INT64_MAX },
        { b: INT64_MIN },
        { n: INT64_MAX },
        { n: 2n ** 53n },
        { n: 1_500_000.5 },
        { e: INT64_MAX },
        { e: INT64_MAX - 1n },
        { s: [INT64_MAX] },
        { s: [INT64_MAX, INT64_MAX - 1n] },
      ].map((spec, i) => post(WIDGETS, widget(`w-${i}`, spec))),
      patch(`${WIDGETS}/w-0`, merge, { spec: { a: INT64_MAX - 1n } }),
    ],
  },
];
