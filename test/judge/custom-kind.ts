// A custom kind that both servers are taught before the cases begin.

import type { Subject } from "./exchange.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const GADGETS = "/apis/judge.example/v1/namespaces/$ns/gadgets";

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

const TRIES_MAX = 200;

/** Resolves once custom resources are served. */
export async function teachCustomKind(subject: Subject): Promise<void> {
  await subject.ask({ method: "POST", target: DEFINITIONS, body: gadgets });
  const collection = GADGETS.replace("$ns", "default");
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if ((await subject.ask({ method: "GET", target: collection })).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${subject.name} does not serve ${collection}`);
}
