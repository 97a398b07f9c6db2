import { expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
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
const object = (name: string): KubeObject => ({ metadata: { namespace: "ns", name } });

it("queues an object's own key, and says which event did", async () => {
  const { queue, why } = setup();
  const handler = enqueuing(queue, "things");
  handler.onAdd(object("a"), true);
  handler.onUpdate(object("old"), object("b"));
  handler.onDelete(object("c"), false);
  expect(why).toEqual(["ns/a event things add ns/a", "ns/b event things update ns/b", "ns/c event things delete ns/c"]);
  expect(await queue.take(neverAborted())).toBe("ns/a");
});

it("queues the key that an object concerns, or none", () => {
  const { queue, why } = setup();
  const handler = enqueuing(queue, "things", ({ metadata }) =>
    metadata?.name === "mine" ? metadata.namespace : undefined,
  );
  handler.onAdd(object("other"), false);
  handler.onAdd(object("mine"), false);
  expect(why).toEqual(["ns event things add ns/mine"]);
});
