// The custom kinds that both servers define: gadgets before the cases start, and contraptions, which have CEL rules,
// for fuzzed requests.

import type { Subject } from "./exchange.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const GADGETS = "/apis/judge.example/v1/namespaces/$ns/gadgets";

export const CONTRAPTIONS = "/apis/fuzz.example/v1/namespaces/$ns/contraptions";

const gadgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.judge.example" },
  spec: {
    group: "judge.example",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Gadget", shortNames: ["gd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
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
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        selectableFields: [{ jsonPath: ".spec.color" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 0, maximum: 100 },
                  color: { type: "string", enum: ["red", "blue"], default: "red" },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 5 },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        name: { type: "string", pattern: "^[a-z]+$" },
                        weight: { type: "integer", default: 1 },
                      },
                    },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
              status: {
                type: "object",
                properties: { size: { type: "integer" }, selector: { type: "string" }, note: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
};

const contraptions = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "contraptions.fuzz.example" },
  spec: {
    group: "fuzz.example",
    scope: "Namespaced",
    names: { plural: "contraptions", kind: "Contraption" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["min", "max"],
                "x-kubernetes-validations": [
                  {
                    rule: "self.min <= self.max",
                    messageExpression: "self.min > 8 ? 'min is far above max' : 'min is above max'",
                    fieldPath: ".min",
                  },
                  { rule: "!has(oldSelf.fixed) || has(self.fixed)", message: "fixed may not be removed" },
                ],
                properties: {
                  min: { type: "integer", format: "int32" },
                  max: { type: "integer", format: "int32", maximum: 50 },
                  fixed: {
                    type: "string",
                    maxLength: 8,
                    "x-kubernetes-validations": [
                      { rule: "self == oldSelf", message: "it is fixed", reason: "FieldValueForbidden" },
                    ],
                  },
                  port: { "x-kubernetes-int-or-string": true },
                  when: { type: "string", format: "date-time" },
                  note: { type: "string", nullable: true },
                  level: { type: "integer", enum: [1, 2, 3], default: 2 },
                  limits: {
                    type: "object",
                    maxProperties: 3,
                    additionalProperties: { type: "integer", maximum: 100 },
                    "x-kubernetes-validations": [{ rule: "self.all(k, self[k] >= 0)" }],
                  },
                  rows: {
                    type: "array",
                    maxItems: 5,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["key"],
                    items: {
                      type: "object",
                      required: ["key"],
                      properties: { key: { type: "string", maxLength: 5 }, value: { type: "string", default: "0" } },
                    },
                  },
                },
              },
              status: {
                type: "object",
                properties: {
                  phase: { type: "string", enum: ["Up", "Down"] },
                  count: { type: "integer", minimum: 0 },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const TRIES_MAX = 200;

/** Resolves once gadgets are served. */
export const teachCustomKind = (subject: Subject): Promise<void> => teach(subject, gadgets, GADGETS);

/** Resolves once contraptions are served. */
export const teachContraptions = (subject: Subject): Promise<void> => teach(subject, contraptions, CONTRAPTIONS);

async function teach(subject: Subject, definition: object, served: string): Promise<void> {
  const { status, body } = await subject.ask({ method: "POST", target: DEFINITIONS, body: definition });
  if (status !== 201 && status !== 409) throw new Error(`${subject.name} refuses a kind: ${JSON.stringify(body)}`);
  const collection = served.replace("$ns", "default");
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if ((await subject.ask({ method: "GET", target: collection })).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${subject.name} does not serve ${collection}`);
}
