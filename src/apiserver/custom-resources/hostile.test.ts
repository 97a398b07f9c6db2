// Mutated definitions and instances are refused or accepted, but never crash the server.

import { describe, expect, it } from "vitest";
import type { Rng } from "#base/rng.ts";
import { seededRng } from "#base/seeded-rng.ts";
import definitionsFile from "#test/vectors/crd-definitions.json" with { type: "json" };
import objectsFile from "#test/vectors/crd-objects.json" with { type: "json" };
import { startTestServer } from "../testing.ts";

type Json = Record<string, unknown>;

const definitions = (definitionsFile as unknown as readonly { readonly definition: Json }[]).map(
  (each) => each.definition,
);
const objects = objectsFile as unknown as readonly { readonly schema: Json; readonly object: Json }[];

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

const definition = (schema: unknown): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const VALUES: readonly string[] = [
  "null",
  '""',
  "0",
  "-1",
  "1.5",
  "1e300",
  "true",
  "[]",
  "{}",
  '"x"',
  '["a"]',
  '[{"rule": "self.a.b"}]',
  '{"__proto__": {"a": 1}}',
];

function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.keys(value).flatMap((key) => pathsOf((value as Json)[key], [...path, key]))];
}

/** Removes or replaces up to three parts. */
function mutated(value: unknown, rng: Rng): unknown {
  const root: Json = { value: structuredClone(value) };
  for (let n = 0; n <= rng.below(3); n++) {
    const paths = pathsOf(root).slice(1);
    const path = paths[rng.below(paths.length)] ?? ["value"];
    const parent = path.slice(0, -1).reduce<Json>((at, key) => at[key] as Json, root);
    const last = path.at(-1) as string;
    if (rng.below(4) === 0 && path.length > 1) delete parent[last];
    else parent[last] = JSON.parse(VALUES[rng.below(VALUES.length)] as string);
  }
  return root.value;
}

describe("hostile definitions and instances", () => {
  it("machinery/7.2.r8 1,500 mutated definitions", async () => {
    const { bytes } = startTestServer();
    const rng = seededRng("definitions");
    for (let i = 0; i < 1_500; i++) {
      const given = mutated(definitions[rng.below(definitions.length)], rng);
      const { status, body } = await bytes.post(`${DEFINITIONS}?dryRun=All`, given);
      expect(status, `${body.message} for ${JSON.stringify(given)}`).toBeLessThan(500);
    }
  });

  it("machinery/7.2.r8 1,000 mutated instances", async () => {
    const rng = seededRng("instances");
    for (let i = 0; i < 25; i++) {
      const { schema, object } = objects[rng.below(objects.length)] as (typeof objects)[number];
      const { bytes, clock, server } = startTestServer();
      await bytes.post(DEFINITIONS, definition(schema));
      await clock.advance(0);
      for (let j = 0; j < 40; j++) {
        const given = mutated({ ...object, metadata: { name: `n${j}` } }, rng);
        const { status, body } = await bytes.post(WIDGETS, given);
        expect(status, `${body.message} for ${JSON.stringify(given)}`).toBeLessThan(500);
      }
      server.close();
    }
  });

  it("machinery/7.2.r8 deep schemas and objects", async () => {
    const { bytes, clock } = startTestServer();
    let schema: Json = { type: "string" };
    let object: unknown = "x";
    for (let i = 0; i < 400; i++) {
      schema = { type: "object", properties: { a: schema } };
      object = { a: object };
    }
    expect((await bytes.post(DEFINITIONS, definition(schema))).status).toBe(201);
    await clock.advance(0);
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, ...(object as Json) };
    expect((await bytes.post(WIDGETS, widget)).status).toBe(201);
  });
});
