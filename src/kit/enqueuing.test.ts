import { expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { noMetrics } from "#base/metrics.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { enqueuing } from "./enqueuing.ts";
import { KeyQueue } from "./key-queue.ts";

function setup() {
  const why: string[] = [];
  const trace = {
    queued: (_: string, key: string, cause: object) => void why.push(`${key} ${Object.values(cause).join(" ")}`),
    started: () => undefined,
    finished: () => undefined,
  };
  const context = { clock: testClock(), metrics: noMetrics, trace };
  return { queue: new KeyQueue({ context, controller: "test", name: "" }), why };
}
const object = (name: string): ObjectOf<typeof Pods> => stored(Pods, { metadata: { name } });

it("queues an object's own key, and says which event did", async () => {
  const { queue, why } = setup();
  const handler = enqueuing(queue, Pods);
  handler.onAdd(object("a"), true);
  handler.onUpdate(object("old"), object("b"));
  handler.onDelete(object("c"), false);
  expect(why).toEqual(["ns/a event pods add ns/a", "ns/b event pods update ns/b", "ns/c event pods delete ns/c"]);
  expect(await queue.take(neverAborted())).toBe("ns/a");
});

it("queues the key that an object concerns, or none", () => {
  const { queue, why } = setup();
  const handler = enqueuing(queue, Pods, ({ metadata }) => (metadata.name === "mine" ? metadata.namespace : undefined));
  handler.onAdd(object("other"), false);
  handler.onAdd(object("mine"), false);
  expect(why).toEqual(["ns event pods add ns/mine"]);
});
