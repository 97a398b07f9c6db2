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
  const clock = testClock();
  const context = { clock, metrics: noMetrics, trace };
  return { clock, queue: new KeyQueue({ context, controller: "test", name: "" }), why };
}
type OwnPod = ObjectOf<typeof Pods>;
const object = (name: string): OwnPod => stored(Pods, { metadata: { name } });

it("queues an object's own key, and says which event did", async () => {
  const { queue, why } = setup();
  const handler = enqueuing<OwnPod>(queue, Pods, {});
  handler.onAdd?.(object("a"), true);
  handler.onUpdate?.(object("old"), object("b"));
  handler.onDelete?.(object("c"), false);
  expect(why).toEqual(["ns/a event pods add ns/a", "ns/b event pods update ns/b", "ns/c event pods delete ns/c"]);
  expect(await queue.take(neverAborted())).toBe("ns/a");
});

it("queues the key that an object concerns, or none", () => {
  const { queue, why } = setup();
  const handler = enqueuing<OwnPod>(queue, Pods, {
    key: ({ metadata }) => (metadata.name === "mine" ? metadata.namespace : undefined),
  });
  handler.onAdd?.(object("other"), false);
  handler.onAdd?.(object("mine"), false);
  expect(why).toEqual(["ns event pods add ns/mine"]);
});

it("hears only the events that count, when they matter", () => {
  const { queue, why } = setup();
  const when = (_: OwnPod, old: OwnPod | undefined): boolean => old?.metadata.name !== "ignored";
  const handler = enqueuing<OwnPod>(queue, Pods, { on: ["add", "update"], when });
  expect(handler.onDelete).toBeUndefined();
  handler.onAdd?.(object("ignored"), false);
  handler.onUpdate?.(object("ignored"), object("a"));
  handler.onUpdate?.(object("b"), object("ignored"));
  expect(why).toEqual(["ns/ignored event pods add ns/ignored", "ns/ignored event pods update ns/ignored"]);
});

it("delays a sync on request", async () => {
  const { queue, clock } = setup();
  const handler = enqueuing<OwnPod>(queue, Pods, { afterMs: 1_000 });
  let taken: string | undefined;
  void queue.take(neverAborted()).then((key) => (taken = key));
  handler.onAdd?.(object("a"), false);
  await clock.advance(999);
  handler.onUpdate?.(object("a"), object("a"));
  expect(taken).toBeUndefined();
  await clock.advance(1);
  expect(taken).toBe("ns/a");
});
