// The OpenAPI documents of custom resources, v3 and v2, and their discovery, while definitions are created, changed and
// deleted. Each case has a separate group, named after its namespace.

import type { JudgeCase, Step } from "./case.ts";
import { del, get, merge, patch, post } from "./steps.ts";

type Json = Record<string, unknown>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "$ns.example";
const V3 = `/openapi/v3/apis/${GROUP}/v1`;
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const version = (schema: Json, more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

const definition = (versions: readonly Json[], more: Json = {}, kind = "Widget"): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: `${kind.toLowerCase()}s`, kind, shortNames: [`${kind[0]?.toLowerCase()}x`], categories: ["all"] },
    versions,
    ...more,
  },
});

const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });

const FULL = version(
  object(
    {
      spec: object(
        {
          size: { type: "integer", format: "int32", minimum: 0, exclusiveMinimum: true, maximum: 100 },
          color: { type: "string", enum: ["red", "blue"], default: "red", description: "What it looks like." },
          note: { type: "string", nullable: true, maxLength: 5, title: "A note", example: "hi" },
          port: { "x-kubernetes-int-or-string": true },
          share: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
          tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 3 },
          parts: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: object(
              { name: { type: "string", pattern: "^[a-z]+$" }, weight: { type: "integer", default: 1 } },
              { required: ["name"], "x-kubernetes-map-type": "atomic" },
            ),
          },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          inner: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
          strict: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
            required: ["kind"],
          },
          at: { type: "string", format: "date-time" },
          limits: { type: "object", additionalProperties: { type: "integer" }, minProperties: 1 },
          maybe: object({ deep: { type: "boolean" } }, { nullable: true }),
          some: object({ a: { type: "string" }, b: { type: "string" } }, {
            oneOf: [{ required: ["a"] }, { required: ["b"] }],
            "x-kubernetes-validations": [{ rule: "has(self.a) || has(self.b)", message: "one is needed" }],
          } as Json),
        },
        { required: ["size", "note"], externalDocs: { url: "https://example.com/size" } },
      ),
      status: object({ size: { type: "integer" }, selector: { type: "string" } }),
    },
    { description: "Widget does things.", required: ["spec"] },
  ),
  {
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
    },
    selectableFields: [{ jsonPath: ".spec.color" }],
  },
);

interface OpenApi {
  readonly openapi?: string;
  readonly swagger?: string;
  readonly info: Json;
  readonly components?: { readonly schemas: Json };
  readonly definitions?: Json;
  /** For v2: parameters that operations share. */
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly paths: Readonly<Record<string, Json>>;
}

const SHARED = "io.k8s.";

/** Namespaces are named after the suite. */
const OWN_PATH = /\/openapi-\d+\.example\//;
const OWN_SCHEMA = /^example\.openapi-\d+\./;

/** Everything about the case's kinds; the rest of the v2 document describes all kinds of the server. */
function document(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const { components, definitions, paths, openapi, swagger, info, parameters } = body as OpenApi;
  const schemas = Object.entries(components?.schemas ?? definitions ?? {});
  const custom = Object.entries(paths).filter(([path]) => OWN_PATH.test(path));
  return {
    form: openapi ?? swagger,
    info,
    schemas: withParameters(Object.fromEntries(schemas.filter(([name]) => OWN_SCHEMA.test(name))), {}),
    shared: openapi === undefined ? [] : schemas.map(([name]) => name).filter((name) => name.startsWith(SHARED)),
    paths: Object.fromEntries(custom.map(([path, item]) => [path, withParameters(item, parameters ?? {})])),
  };
}

/** With references to parameters resolved, and without descriptions: those are upstream's prose. */
function withParameters(value: unknown, parameters: Readonly<Record<string, Json>>): unknown {
  if (Array.isArray(value)) return value.map((each) => withParameters(each, parameters));
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref?.startsWith("#/parameters/"))
    return withParameters(parameters[$ref.slice("#/parameters/".length)], parameters);
  const told = Object.entries(value).filter(([name, each]) => name !== "description" || typeof each !== "string");
  return Object.fromEntries(told.map(([name, each]) => [name, withParameters(each, parameters)]));
}

/** Without the bodies of operations. */
function outline(body: unknown): unknown {
  const whole = document(body) as { paths?: Readonly<Record<string, Json>> };
  if (whole.paths === undefined) return body;
  const methods = Object.entries(whole.paths).map(([path, item]) => [path, Object.keys(item).sort()]);
  return { ...whole, paths: Object.fromEntries(methods) };
}

const isOwn = ({ name }: { name?: string }): boolean => /^openapi-\d+\.example$/.test(name ?? "");
const discovered = (body: { items: { metadata: { name?: string } }[] }): unknown =>
  body.items.filter(({ metadata }) => isOwn(metadata));

const established = (name: string): Step => ({
  ...get(`${DEFINITIONS}/${name}s.${GROUP}`),
  awaitsValue: ["status.conditions.1.status", "True"],
  view: () => "established",
});
const v3 = (more: Partial<Step> = {}, target = V3): Step => ({
  ...get(target),
  awaits: 200,
  view: outline as never,
  ...more,
});
/** Waits until the document contains this text, or no longer does. */
const v2 = (text: string, has = true, more: Partial<Step> = {}): Step => ({
  ...get("/openapi/v2"),
  view: outline as never,
  awaitsBody: (body) => JSON.stringify(body).includes(text) === has,
  ...more,
});
const discovery = (): Step => ({ ...get("/apis", { accept: AGGREGATED }), view: discovered as never });

export const openApiCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.1.r21 publishes the schema and the operations of a namespaced kind with subresources",
    steps: [
      post(DEFINITIONS, definition([FULL]), { view: () => "" }),
      established("widget"),
      v3({ capture: { tag: "headers.etag" }, view: document as never }),
      v3({ headers: { "if-none-match": "$tag" }, awaits: 304 }),
      v2("example.openapi-0.", true, { view: document as never }),
      discovery(),
      del(`${DEFINITIONS}/widgets.${GROUP}`, undefined, { view: () => "" }),
      { ...get(V3), awaits: 404 },
      v2("openapi-0.example", false),
    ],
  },
  {
    name: "machinery/7.1.r21 publishes two kinds of one group, one of which may have any field",
    steps: [
      post(DEFINITIONS, definition([version({ type: "object", "x-kubernetes-preserve-unknown-fields": true })]), {
        view: () => "",
      }),
      post(DEFINITIONS, definition([version(object({ size: { type: "integer" } }))], { scope: "Cluster" }, "Gear"), {
        view: () => "",
      }),
      established("widget"),
      established("gear"),
      v3({ awaitsBody: (body) => /Widget.*Gear|Gear.*Widget/.test(JSON.stringify(body)) }),
      v2("V1Gear"),
      discovery(),
      del(`${DEFINITIONS}/widgets.${GROUP}`, undefined, { view: () => "" }),
      v3({ awaitsBody: (body) => !JSON.stringify(body).includes("Widget") }),
      v2("V1NamespacedWidget", false),
      discovery(),
      del(`${DEFINITIONS}/gears.${GROUP}`, undefined, { view: () => "" }),
      { ...get(V3), awaits: 404 },
    ],
  },
  {
    name: "machinery/7.1.r21 publishes a changed schema and a version that comes and goes",
    steps: [
      post(DEFINITIONS, definition([version(object({ size: { type: "integer" } }))]), { view: () => "" }),
      established("widget"),
      v3(),
      patch(
        `${DEFINITIONS}/widgets.${GROUP}`,
        merge,
        {
          spec: {
            versions: [
              version(object({ size: { type: "integer" }, color: { type: "string" } })),
              { ...version(object({ big: { type: "boolean" } })), name: "v2beta1", storage: false },
            ],
          },
        },
        { view: () => "" },
      ),
      v3({ awaitsBody: (body) => JSON.stringify(body).includes("color") }),
      v3({}, V3.replace("v1", "v2beta1")),
      discovery(),
      v2("V2beta1"),
      patch(
        `${DEFINITIONS}/widgets.${GROUP}`,
        merge,
        { spec: { versions: [version(object({ color: { type: "string" } }))] } },
        { view: () => "" },
      ),
      v2("V2beta1", false),
      discovery(),
      del(`${DEFINITIONS}/widgets.${GROUP}`, undefined, { view: () => "" }),
      { ...get(V3), awaits: 404 },
    ],
  },
];
