import { describe, expect, it } from "vitest";
import { countListeners, neverAborted, testClock } from "#base/testing.ts";
import { createQueue, type Queue } from "./queue.ts";

const never = neverAborted();
const make = (): Queue<string> => createQueue<string>({ clock: testClock() });

describe("Queue", () => {
  it("machinery/5.6.1 never hands a key to two workers, and never loses an add", async () => {
    const queue = make();
    queue.add("a");
    queue.add("a");
    expect(queue.length()).toBe(1);
    expect(await queue.get(never)).toBe("a");
    queue.add("a");
    queue.add("a");
    expect(queue.length()).toBe(0);
    const second = queue.get(never);
    queue.add("b");
    expect(await second).toBe("b");
    queue.done("a");
    expect([queue.length(), await queue.get(never)]).toEqual([1, "a"]);
    queue.done("a");
    queue.done("b");
    expect(queue.length()).toBe(0);
  });

  it("machinery/5.6.2 hands out what is queued after shutDown, takes no adds, and still brings back a dirty key", async () => {
    const queue = make();
    queue.add("a");
    queue.add("b");
    expect(await queue.get(never)).toBe("a");
    queue.add("a");
    queue.shutDown();
    queue.add("c");
    expect(queue.isShuttingDown()).toBe(true);
    expect(await queue.get(never)).toBe("b");
    const none = await queue.get(never);
    expect(none).toBe(undefined);
    queue.done("a");
    expect(await queue.get(never)).toBe("a");
    queue.done("a");
    expect(await queue.get(never)).toBe(undefined);
  });

  it("machinery/5.6.2 wakes every waiting worker at shutDown", async () => {
    const queue = make();
    const workers = [queue.get(never), queue.get(never)];
    queue.shutDown();
    expect(await Promise.all(workers)).toEqual([undefined, undefined]);
  });

  it("machinery/5.6.3 drains: waits until nothing is being worked on", async () => {
    const queue = make();
    for (const key of ["a", "b", "c"]) queue.add(key);
    await queue.get(never);
    await queue.get(never);
    let isDrained = false;
    const drained = queue.shutDownWithDrain(never).then(() => {
      isDrained = true;
    });
    queue.done("a");
    await Promise.resolve();
    expect(isDrained).toBe(false);
    expect(await queue.get(never)).toBe("c");
    queue.done("c");
    queue.done("b");
    await drained;
    await make().shutDownWithDrain(never);
  });

  it("machinery/5.6.3 shutDown or an abort ends a drain", async () => {
    const queue = make();
    queue.add("stuck");
    await queue.get(never);
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const aborted = queue.shutDownWithDrain(controller.signal);
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    const drained = queue.shutDownWithDrain(never);
    queue.shutDown();
    await drained;
    expect(listeners()).toBe(0);
  });

  it("machinery/5.6.4 is first in, first out, for keys and for waiting workers", async () => {
    const queue = make();
    const served: string[] = [];
    const worker = async (name: string): Promise<void> => {
      served.push(`${name}:${await queue.get(never)}`);
    };
    const waiting = ["w1", "w2", "w3"].map(worker);
    for (const key of ["c", "a", "b", "d"]) queue.add(key);
    await Promise.all(waiting);
    await worker("w4");
    expect(served).toEqual(["w1:c", "w2:a", "w3:b", "w4:d"]);
  });

  it("get gives up with the signal's reason, leaves no listener and takes no key with it", async () => {
    const queue = make();
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const patient = queue.get(controller.signal);
    queue.add("a");
    expect([await patient, listeners()]).toEqual(["a", 0]);
    const gone = queue.get(controller.signal);
    const next = queue.get(never);
    controller.abort("stop");
    await expect(gone).rejects.toBe("stop");
    await expect(queue.get(controller.signal)).rejects.toBe("stop");
    queue.add("b");
    expect(await next).toBe("b");
  });

  it("keeps a hundred thousand keys in order", async () => {
    const queue = make();
    for (let i = 0; i < 100_000; i++) queue.add(`key-${i}`);
    for (let i = 0; i < 100_000; i++) {
      const key = await queue.get(never);
      expect(key === `key-${i}`).toBe(true);
      queue.done(`key-${i}`);
    }
    expect(queue.length()).toBe(0);
  });
});
