// Definitions and their instances. Each case has a separate group, named after its namespace.

import type { JudgeCase, Step } from "./case.ts";
import { applyYaml, asTable, get, jsonPatch, merge, patch, post, put, strategic } from "./steps.ts";

type Json = Record<string, unknown>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "$ns.example";
const NAME = `widgets.${GROUP}`;
const WIDGETS = `/apis/${GROUP}/v1/namespaces/$ns/widgets`;

const version = (schema: Json, more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

const definition = (versions: readonly Json[], more: Json = {}, names: Json = {}): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: NAME },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", ...names },
    versions,
    ...more,
  },
});

const widget = (name: string, spec: unknown, more: Json = {}): Json => ({
  apiVersion: `${GROUP}/v1`,
  kind: "Widget",
  metadata: { name },
  spec,
  ...more,
});

const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });

const FULL = version(
  object({
    spec: object(
      {
        size: { type: "integer", minimum: 0, maximum: 100 },
        color: { type: "string", enum: ["red", "blue"], default: "red" },
        note: { type: "string", nullable: true, maxLength: 5 },
        port: { "x-kubernetes-int-or-string": true },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 3 },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: object(
            { name: { type: "string", pattern: "^[a-z]+$" }, weight: { type: "integer", default: 1 } },
            { required: ["name"] },
          ),
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        at: { type: "string", format: "date-time" },
        limits: { type: "object", additionalProperties: { type: "integer" } },
      },
      { required: ["size"] },
    ),
    status: object({ size: { type: "integer" }, selector: { type: "string" } }),
  }),
  {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.size",
        statusReplicasPath: ".status.size",
        labelSelectorPath: ".status.selector",
      },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "First", type: "string", jsonPath: ".spec.parts[0].name" },
      { name: "Heavy", type: "string", jsonPath: ".spec.parts[?(@.weight==1)].name", priority: 1 },
      { name: "Free", type: "string", jsonPath: ".spec.free" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    selectableFields: [{ jsonPath: ".spec.color" }],
  },
);

/** Defines the kind on both servers and waits until it is served. */
const teach = (crd: Json, path = WIDGETS): Step[] => [
  post(DEFINITIONS, crd, { view: () => undefined }),
  { ...get(path), awaits: 200, view: () => undefined },
];

const specAndConditions = (body: unknown): unknown => {
  const { spec, status, metadata } = body as { spec: Json; status: Json; metadata: Json };
  const conditions = (status?.conditions ?? []) as Json[];
  return {
    spec,
    generation: metadata?.generation,
    finalizers: metadata?.finalizers ?? null,
    acceptedNames: status?.acceptedNames,
    storedVersions: status?.storedVersions,
    conditions: conditions.map(({ type, status: value, reason, message }) => ({ type, value, reason, message })),
  };
};

const del = (target: string, more: Partial<Step> = {}): Step => ({ method: "DELETE", target, ...more });

const partOf =
  (...path: string[]) =>
  (body: unknown): unknown =>
    path.reduce<unknown>((value, name) => (value as Json)[name], body);

const rules = (list: readonly Json[], properties: Json): Json =>
  object(properties, { "x-kubernetes-validations": list });

export const customResourceCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.2.r8 a definition is named, established, changed and cleaned up",
    steps: [
      ...teach(definition([FULL], {}, { shortNames: ["wd"], categories: ["all"] })),
      { ...get(`${DEFINITIONS}/${NAME}`), view: specAndConditions },
      patch(`${DEFINITIONS}/${NAME}`, merge, { metadata: { labels: { a: "b" } } }, { view: specAndConditions }),
      patch(`${DEFINITIONS}/${NAME}`, merge, { spec: { names: { shortNames: ["wx"] } } }, { view: partOf("spec") }),
      patch(`${DEFINITIONS}/${NAME}`, merge, { spec: { scope: "Cluster" } }),
      patch(`${DEFINITIONS}/${NAME}`, merge, { spec: { names: { kind: "Other" } } }),
      patch(`${DEFINITIONS}/${NAME}`, merge, { spec: { group: "other.example" } }),
      {
        ...get(`/apis/${GROUP}/v1`),
        view: (body) => (body as { resources: Json[] }).resources.map(({ shortNames: _, ...rest }) => rest),
      },
      post(WIDGETS, widget("a", { size: 1 }), { view: () => undefined }),
      del(`${DEFINITIONS}/${NAME}`, { view: specAndConditions }),
      { ...get(`${DEFINITIONS}/${NAME}`), awaits: 404 },
      { ...get(WIDGETS), awaits: 404 },
    ],
  },
  {
    name: "machinery/7.2.r8 names that another definition has are refused",
    steps: [
      ...teach(definition([FULL])),
      post(
        DEFINITIONS,
        {
          ...definition([FULL], { names: { plural: "others", kind: "Widget", shortNames: ["widgets"] } }),
          metadata: { name: `others.${GROUP}` },
        },
        { view: () => undefined },
      ),
      // The real server delays the first create of a kind, which gives its controllers time.
      post(WIDGETS, widget("a", { size: 1 }), { view: () => undefined }),
      { ...get(`${DEFINITIONS}/others.${GROUP}`), view: specAndConditions },
      { ...get(`/apis/${GROUP}/v1/namespaces/$ns/others`), awaits: 404 },
    ],
  },
  {
    name: "machinery/7.2.r8 invalid definitions",
    steps: [
      post(DEFINITIONS, definition([version({ type: "array" })])),
      post(DEFINITIONS, definition([version(object({ spec: {} }))])),
      post(DEFINITIONS, definition([version(object({ spec: { type: "string", default: 5 } }))])),
      post(DEFINITIONS, definition([{ ...version(object({ a: { type: "string" } })), storage: false }])),
      post(
        DEFINITIONS,
        definition([
          version(object({ b: { type: "string" } })),
          { ...version(object({ a: { type: "string" } })), name: "v2" },
        ]),
      ),
      post(DEFINITIONS, definition([version(object({}))], { preserveUnknownFields: true })),
      post(DEFINITIONS, { ...definition([version(object({}))]), metadata: { name: "odd.example" } }),
      post(
        DEFINITIONS,
        definition([version(object({ spec: rules([{ rule: "self.a + 1 == 2" }], { a: { type: "string" } }) }))]),
      ),
      post(DEFINITIONS, definition([version(object({ spec: { type: "string", format: "odd" } }))]), {
        view: partOf("spec"),
      }),
      post(DEFINITIONS, definition([version(object({ a: { type: "array", items: { type: 5 } } }))])),
      post(
        DEFINITIONS,
        definition([version(object({ a: { type: "object", additionalProperties: { properties: [] } } }))]),
      ),
      post(DEFINITIONS, definition([version(object({ a: { type: "object", additionalProperties: "x" } }))])),
      post(`${DEFINITIONS}?fieldValidation=Strict`, definition([{ ...version(object({})), odd: 1 }])),
    ],
  },
  {
    name: "machinery/7.2.r8 creating instances",
    steps: [
      ...teach(definition([FULL])),
      post(WIDGETS, widget("a", { size: 1 })),
      post(
        WIDGETS,
        widget("b", { size: 1, junk: { x: 1 }, parts: [{ name: "p", more: 1 }] }, { status: { size: 9 }, odd: 1 }),
      ),
      post(`${WIDGETS}?fieldValidation=Strict`, widget("c", { size: 1, junk: 1 }, { odd: 1 })),
      post(`${WIDGETS}?fieldValidation=Ignore`, widget("d", { size: 1, junk: 1 })),
      post(`${WIDGETS}?dryRun=All`, widget("e", { size: 1 })),
      post(WIDGETS, widget("f", { size: "x", color: "green", tags: ["a", "a"], note: "too long" })),
      post(WIDGETS, widget("g", {})),
      post(WIDGETS, widget("h", { size: 101, tags: ["a", "b", "c", "d"], parts: [{ name: "P" }, { weight: "x" }] })),
      post(WIDGETS, widget("i", { size: 1, tags: ["a", "a"], parts: [{ name: "p" }, { name: "p" }] })),
      post(WIDGETS, widget("j", { size: 1, note: null, color: null, port: null, tags: null })),
      post(WIDGETS, widget("k", { size: 1, port: "10%", free: { any: [1, { x: null }] }, limits: { a: 1 } })),
      post(WIDGETS, widget("l", { size: 1, port: 1.5, limits: { a: "x" }, at: "yesterday" })),
      post(
        WIDGETS,
        widget("m", {
          size: 1,
          inner: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels: { a: "b" } }, spec: 1 },
        }),
      ),
      post(WIDGETS, widget("n", { size: 1, inner: { kind: "" } })),
      post(WIDGETS, widget("O_", { size: 1 })),
      post(
        WIDGETS,
        widget("p", { size: 1 }, { metadata: { name: "p", labels: { "bad label": "x" }, finalizers: ["odd"] } }),
      ),
      post(WIDGETS, widget("q", { size: 1 }, { metadata: { name: "q", finalizers: ["odd"], odd: 1 } })),
      post(WIDGETS, widget("r", { size: 1 }, { metadata: { name: "r", labels: { a: 1 } } })),
      post(WIDGETS, widget("s", "text")),
      post(WIDGETS, widget("t", { size: 1, junk: 1 }, { kind: "Gadget" })),
      post(`${WIDGETS}?fieldValidation=Ignore`, widget("u", { size: 1 }, { apiVersion: `${GROUP}/v2` })),
      post(WIDGETS, { metadata: { name: "v" }, spec: { size: 1 } }),
      post(WIDGETS, { ...widget("w", { size: 1 }), metadata: { generateName: "w-" } }),
      post(WIDGETS, { ...widget("", { size: 1 }), metadata: {} }),
      post(WIDGETS, widget("a", { size: 1 })),
      get(WIDGETS),
    ],
  },
  {
    name: "machinery/7.2.r8 changing instances",
    steps: [
      ...teach(definition([FULL])),
      post(WIDGETS, widget("a", { size: 1, tags: ["x"] }), { capture: { rv: "metadata.resourceVersion" } }),
      put(`${WIDGETS}/a`, widget("a", { size: 2 })),
      put(
        `${WIDGETS}/a`,
        widget("a", { size: 2 }, { metadata: { name: "a", resourceVersion: "$rv" }, status: { size: 7 } }),
      ),
      put(`${WIDGETS}/a`, widget("a", { size: 3 }, { metadata: { name: "a", resourceVersion: "$rv" } })),
      put(`${WIDGETS}/b`, widget("b", { size: 3 }, { metadata: { name: "b", resourceVersion: "$rv" } })),
      patch(`${WIDGETS}/a`, merge, { spec: { size: 4, color: null } }),
      patch(`${WIDGETS}/a`, merge, { metadata: { labels: { a: "b" } } }),
      patch(`${WIDGETS}/a`, merge, { spec: { size: -1 } }),
      patch(`${WIDGETS}/a?fieldValidation=Strict`, merge, { spec: { junk: 1 } }),
      patch(`${WIDGETS}/a`, jsonPatch, [{ op: "replace", path: "/spec/size", value: 5 }]),
      patch(`${WIDGETS}/a`, jsonPatch, [{ op: "add", path: "/spec/tags", value: ["x", "x"] }]),
      patch(`${WIDGETS}/a`, strategic, { spec: { size: 6 } }),
      patch(`${WIDGETS}/a/status`, merge, {
        status: { size: 6, odd: 1 },
        spec: { size: 9 },
        metadata: { labels: { c: "d" } },
      }),
      patch(`${WIDGETS}/a/status`, merge, { status: { size: "x" } }),
      patch(`${WIDGETS}/a`, merge, { status: { size: 1 } }),
      get(`${WIDGETS}/a/status`),
      get(`${WIDGETS}/a/odd`),
      get(`${WIDGETS}/a/scale`),
      patch(`${WIDGETS}/a/scale`, merge, { spec: { replicas: 8 } }),
      patch(`${WIDGETS}/a/scale`, merge, { spec: { replicas: -1 } }),
      put(`${WIDGETS}/a/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a" },
        spec: { replicas: 9 },
      }),
      get(`${WIDGETS}/a`),
      del(`${WIDGETS}/a`),
      get(`${WIDGETS}/a`),
    ],
  },
  {
    name: "machinery/7.2.r8 applying instances",
    steps: [
      ...teach(definition([FULL])),
      patch(
        `${WIDGETS}/a?fieldManager=one`,
        applyYaml,
        widget("a", { size: 1, parts: [{ name: "p", weight: 2 }], tags: ["x"] }),
      ),
      patch(`${WIDGETS}/a?fieldManager=two`, applyYaml, widget("a", { size: 1, parts: [{ name: "q" }], tags: ["y"] })),
      patch(`${WIDGETS}/a?fieldManager=two`, applyYaml, widget("a", { size: 2 })),
      patch(`${WIDGETS}/a?fieldManager=two&force=true`, applyYaml, widget("a", { size: 2, free: { a: { b: 1 } } })),
      patch(`${WIDGETS}/a?fieldManager=one`, applyYaml, widget("a", { tags: ["z"] })),
      patch(`${WIDGETS}/a?fieldManager=one`, applyYaml, widget("a", { size: "x" })),
      patch(`${WIDGETS}/a/status?fieldManager=st`, applyYaml, {
        ...widget("a", {}),
        spec: undefined,
        status: { size: 3 },
      }),
      get(`${WIDGETS}/a`),
    ],
  },
  {
    name: "machinery/7.2.r8 listing, selecting and printing instances",
    steps: [
      ...teach(definition([FULL], {}, { listKind: "ManyWidgets" })),
      post(
        WIDGETS,
        widget("a", { size: 1, parts: [{ name: "p" }, { name: "q", weight: 2 }], free: { b: 1, a: [2] } }),
        { view: () => undefined },
      ),
      post(WIDGETS, widget("b", { size: 2, color: "blue" }), { view: () => undefined }),
      get(WIDGETS),
      get(`${WIDGETS}?fieldSelector=spec.color%3Dblue`),
      get(`${WIDGETS}?fieldSelector=spec.color%21%3Dblue,metadata.name%3Da`),
      get(`${WIDGETS}?fieldSelector=spec.size%3D1`),
      get(WIDGETS, asTable),
      get(`${WIDGETS}/a`, asTable),
      get(`/apis/${GROUP}/v1/widgets?limit=1`),
      get(`/apis/${GROUP}/v2/widgets`),
      get(`/apis/${GROUP}/v1/odd`),
      get(`/apis/${GROUP}`),
      get(`/apis/${GROUP}/v1`),
      del(`${WIDGETS}?labelSelector=a`),
      del(WIDGETS),
      get(WIDGETS),
    ],
  },
  {
    name: "machinery/7.2.r8 rules in CEL",
    steps: [
      ...teach(
        definition([
          version(
            object(
              {
                spec: rules(
                  [
                    { rule: "self.min <= self.max", message: "min is above max" },
                    {
                      rule: "!has(self.name) || self.name.startsWith('w')",
                      messageExpression: "'name is ' + self.name",
                      fieldPath: ".name",
                    },
                    { rule: "!has(self.name) || self.name != 'wrong'", reason: "FieldValueForbidden" },
                    { rule: "self.max / self.div > 0" },
                    {
                      rule: "!has(oldSelf.fixed) || self.fixed == oldSelf.fixed",
                      message: "fixed is immutable",
                      fieldPath: ".fixed",
                    },
                    {
                      rule: "oldSelf.optMap(o, o.min <= self.min).orValue(true)",
                      optionalOldSelf: true,
                      message: "min only grows",
                    },
                  ],
                  {
                    min: { type: "integer" },
                    max: { type: "integer" },
                    div: { type: "integer", default: 1 },
                    name: {
                      type: "string",
                      maxLength: 10,
                      "x-kubernetes-validations": [{ rule: "self.size() != 3", message: "not three" }],
                    },
                    fixed: { type: "string", maxLength: 10 },
                    cpu: {
                      type: "string",
                      maxLength: 20,
                      "x-kubernetes-validations": [
                        { rule: "isQuantity(self) && quantity(self).isLessThan(quantity('4'))" },
                      ],
                    },
                    hosts: {
                      type: "array",
                      maxItems: 5,
                      items: {
                        type: "string",
                        maxLength: 30,
                        "x-kubernetes-validations": [{ rule: "isIP(self)", reason: "FieldValueInvalid" }],
                      },
                    },
                  },
                ),
              },
              { "x-kubernetes-validations": [{ rule: "self.metadata.name != 'forbidden'" }] },
            ),
          ),
        ]),
      ),
      post(WIDGETS, widget("a", { min: 1, max: 2, fixed: "x" })),
      post(WIDGETS, widget("b", { min: 3, max: 2 })),
      post(WIDGETS, widget("c", { min: 1, max: 2, name: "odd" })),
      post(WIDGETS, widget("d", { min: 1, max: 2, name: "wrong" })),
      post(WIDGETS, widget("e", { min: 1, max: 2, div: 0 })),
      post(WIDGETS, widget("f", { min: 1, max: 2, cpu: "5", hosts: ["1.2.3.4", "x"] })),
      post(WIDGETS, widget("g", { min: 1 })),
      post(WIDGETS, widget("h", { min: "x", max: 2 })),
      post(WIDGETS, widget("forbidden", { min: 1, max: 2 })),
      patch(`${WIDGETS}/a`, merge, { spec: { fixed: "y" } }),
      patch(`${WIDGETS}/a`, merge, { spec: { min: 0 } }),
      patch(`${WIDGETS}/a`, merge, { spec: { min: 2 } }),
      patch(`${WIDGETS}/a`, merge, { spec: { fixed: null } }),
    ],
  },
  {
    name: "machinery/7.2.r8 what was valid once may stay as it is",
    steps: [
      ...teach(
        definition([
          version(
            object({
              spec: object({ a: { type: "string" }, b: { type: "integer" }, c: { type: "string", maxLength: 9 } }),
            }),
          ),
        ]),
      ),
      post(WIDGETS, widget("a", { a: "long text", b: 1, c: "old" })),
      patch(
        `${DEFINITIONS}/${NAME}`,
        jsonPatch,
        [
          {
            op: "replace",
            path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties",
            value: {
              a: { type: "string", maxLength: 3 },
              b: { type: "integer" },
              c: { type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: "self != 'old'" }] },
              d: { type: "string", default: "new" },
            },
          },
        ],
        { view: partOf("metadata", "generation") },
      ),
      // The real server restarts the kind's store and asks clients to wait meanwhile.
      { ...get(`${WIDGETS}?labelSelector=none`), awaits: 200, view: () => undefined },
      { ...post(`${WIDGETS}?dryRun=All`, widget("wait", { a: "long text" })), awaits: 422, view: () => undefined },
      get(`${WIDGETS}/a`),
      patch(`${WIDGETS}/a`, merge, { spec: { b: 2 } }),
      patch(`${WIDGETS}/a`, merge, { spec: { a: "other text" } }),
      patch(`${WIDGETS}/a`, merge, { spec: { c: "old2" } }),
      patch(`${WIDGETS}/a`, merge, { spec: { c: "old" } }),
    ],
  },
  {
    name: "machinery/7.2.r8 several versions without conversion",
    steps: [
      ...teach(
        definition([
          version(object({ spec: object({ a: { type: "string" }, one: { type: "string", default: "1" } }) }), {
            deprecated: true,
          }),
          {
            ...version(
              object({ spec: object({ a: { type: "string", maxLength: 3 }, two: { type: "string", default: "2" } }) }),
            ),
            name: "v2",
            storage: false,
          },
          { ...version(object({})), name: "v3", served: false, storage: false },
        ]),
      ),
      post(WIDGETS, widget("a", { a: "long text", two: "x" })),
      get(WIDGETS.replace("v1", "v2")),
      post(WIDGETS.replace("v1", "v2"), widget("b", { a: "long text" }, { apiVersion: `${GROUP}/v2` })),
      post(WIDGETS.replace("v1", "v2"), widget("c", { a: "x", two: "y" }, { apiVersion: `${GROUP}/v2` })),
      get(`${WIDGETS}/c`),
      get(WIDGETS.replace("v1", "v3")),
      patch(`${WIDGETS.replace("v1", "v2")}/c`, merge, { spec: { a: "z" } }),
      get(`/apis/${GROUP}`),
      { ...get(`${DEFINITIONS}/${NAME}`), view: partOf("status", "storedVersions") },
      patch(`${DEFINITIONS}/${NAME}`, jsonPatch, [{ op: "remove", path: "/spec/versions/0" }]),
    ],
  },
  {
    name: "machinery/7.2.r8 owners in several versions, of fields that one of them does not know",
    steps: [
      ...teach(
        definition([
          version(object({ spec: object({ a: { type: "string" } }), status: object({ x: { type: "integer" } }) }), {
            subresources: { status: {} },
          }),
          {
            ...version(object({ spec: object({ a: { type: "string" }, b: { type: "string" } }) })),
            name: "v2",
            storage: false,
          },
        ]),
      ),
      post(WIDGETS.replace("v1", "v2"), widget("a", { a: "1", b: "2" }, { apiVersion: `${GROUP}/v2` })),
      patch(`${WIDGETS}/a/status`, merge, { status: { x: 1 } }),
      patch(`${WIDGETS}/a/status`, merge, { status: { x: 2 }, spec: { a: "3" } }),
      patch(`${WIDGETS}/a?fieldManager=m`, applyYaml, widget("a", { a: "4" })),
      patch(`${WIDGETS}/a?fieldManager=m&force=true`, applyYaml, widget("a", { a: "4" })),
      patch(
        `${WIDGETS.replace("v1", "v2")}/a?fieldManager=m`,
        applyYaml,
        widget("a", { b: "5" }, { apiVersion: `${GROUP}/v2` }),
      ),
      get(`${WIDGETS}/a`),
    ],
  },
  {
    name: "machinery/7.2.r8 kinds of the cluster",
    steps: [
      ...teach(
        definition([version(object({ spec: object({ a: { type: "string" } }) }))], { scope: "Cluster" }),
        `/apis/${GROUP}/v1/widgets`,
      ),
      post(`/apis/${GROUP}/v1/widgets`, widget("a", { a: "x" })),
      post(WIDGETS, widget("b", { a: "x" })),
      get(`/apis/${GROUP}/v1/widgets/a`),
      get(`/apis/${GROUP}/v1/widgets`, asTable),
      get(`/apis/${GROUP}/v1/widgets/a/status`),
      get(`/apis/${GROUP}/v1/widgets?fieldSelector=metadata.namespace%3Dx`),
    ],
  },
];
