import { describe, expect, it } from "vitest";
import { hostTurn } from "#base/testing.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import { podFacts } from "./pod-facts.ts";
import type { PluginName } from "./rejection.ts";
import { backoffMs, SchedulingQueue } from "./scheduling-queue.ts";
import { type PodParts, testPod } from "./testing.ts";

const facts = (name: string, parts: PodParts = {}) => podFacts(testPod(name, parts));
const fit: ReadonlySet<PluginName> = new Set(["NodeResourcesFit"]);

function open() {
  const clock = new VirtualClock({ turn: hostTurn });
  const queue = new SchedulingQueue(clock, () => undefined);
  const take = (): string => queue.take()?.facts.pod.metadata.name ?? "";
  /** Takes a pod and reports that no node fits. */
  const fail = (): string => {
    const queued = queue.take();
    if (queued === undefined) return "";
    queue.giveBackUnschedulable(queued, fit);
    return queued.facts.pod.metadata.name;
  };
  return { clock, queue, take, fail };
}

describe("the scheduling queue", () => {
  it("scheduler/2 orders by priority, then by age", async () => {
    const { clock, queue, take } = open();
    queue.add(facts("b"));
    await clock.advance(1);
    queue.add(facts("a"));
    queue.add(facts("urgent", { priority: 5 }));
    queue.add(facts("c"));
    queue.remove("c");
    expect([take(), take(), take(), take()]).toEqual(["urgent", "b", "a", ""]);
  });

  it("scheduler/3 doubles the back-off from 1 s to 10 s", () => {
    expect([0, 1, 2, 3, 4, 5, 60].map(backoffMs)).toEqual([1000, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it("scheduler/3 lets pods in back-off wait only while other pods are ready", async () => {
    const { clock, queue, take, fail } = open();
    queue.add(facts("a", { priority: 9 }));
    expect([fail(), take()]).toEqual(["a", ""]);
    queue.moveAfter("node added");
    queue.add(facts("b"));
    expect([take(), take(), take()]).toEqual(["b", "a", ""]);
    queue.remove("a");
    queue.add(facts("a", { priority: 9 }));
    fail();
    queue.moveAfter("node added");
    queue.add(facts("c"));
    await clock.advance(1_000);
    expect([take(), take()]).toEqual(["a", "c"]);
  });

  it("scheduler/3 waits out the back-off after an error", async () => {
    const { clock, queue, take } = open();
    queue.add(facts("a"));
    const queued = queue.take();
    if (queued !== undefined) queue.giveBackAfterError(queued);
    queue.moveAfter("node added");
    await clock.advance(999);
    expect(take()).toBe("");
    await clock.advance(1);
    expect(take()).toBe("a");
  });

  it("scheduler/4 keeps unschedulable pods until an event may help, the pod changes, or five minutes have passed", async () => {
    const { clock, queue, take, fail } = open();
    queue.add(facts("a"));
    fail();
    queue.moveAfter("node labels changed");
    queue.refresh(facts("a"));
    expect(take()).toBe("");
    queue.add(facts("a", { labels: { changed: "yes" } }));
    expect(fail()).toBe("a");
    await clock.advance(5 * 60_000 - 1);
    expect(take()).toBe("");
    await clock.advance(30_000);
    expect(take()).toBe("a");
  });

  it("drops a pod that was removed during its attempt", () => {
    const { queue, take } = open();
    queue.add(facts("a"));
    const queued = queue.take();
    queue.remove("a");
    if (queued !== undefined) queue.giveBackUnschedulable(queued, fit);
    queue.moveAfter("node added");
    expect(take()).toBe("");
  });
});
