// Deleting a collection does not use the special deletes of kinds.

import { expect, it } from "vitest";
import { startTestServer } from "../testing.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

const definition = (finalizers: readonly string[]): object => ({
  metadata: { name: "widgets.example.com", finalizers },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

for (const transport of ["bytes", "direct"] as const) {
  it(`${transport}: definitions are deleted at once, or wait for finalizers without a condition`, async () => {
    const { [transport]: client, clock } = startTestServer();
    await client.post(DEFINITIONS, definition([]));
    await clock.advance(0);
    expect((await client.delete(DEFINITIONS)).status).toBe(200);
    expect((await client.get(`${DEFINITIONS}/widgets.example.com`)).status).toBe(404);
    await client.post(DEFINITIONS, definition(["example.com/hold"]));
    await clock.advance(0);
    await client.delete(DEFINITIONS);
    await clock.advance(0);
    const { body } = await client.get(`${DEFINITIONS}/widgets.example.com`);
    expect(body.metadata).toMatchObject({ generation: 2, finalizers: ["example.com/hold"] });
    expect(body.status.conditions.map(({ type }: { type: string }) => type)).toEqual(["NamesAccepted", "Established"]);
  });

  it(`${transport}: system priority classes are deleted too`, async () => {
    const { [transport]: client } = startTestServer();
    expect((await client.delete(`${CLASSES}/system-node-critical`)).status).toBe(403);
    expect((await client.delete(CLASSES)).status).toBe(200);
    expect((await client.get(`${CLASSES}/system-node-critical`)).status).toBe(404);
  });
}
