import { describe, expect, it } from "vitest";
import { Aborted } from "./errors.ts";
import { TaskGroup } from "./task-group.ts";
import { countListeners, neverAborted, testClock } from "./testing.ts";

describe("TaskGroup", () => {
  it("returns the body's value only after every child ended", async () => {
    const clock = testClock(0);
    const ended: number[] = [];
    const running = TaskGroup.run(neverAborted(), (group) => {
      for (const ms of [30, 10]) {
        group.spawn(async (signal) => {
          await clock.sleep(ms, signal);
          group.spawn(async (inner) => {
            await clock.sleep(100, inner);
            ended.push(ms);
          });
        });
      }
      return "value";
    });
    await clock.run("idle");
    expect(await running).toBe("value");
    expect([ended, clock.now()]).toEqual([[10, 30], 130]);
  });

  it("runs tasks that are known beforehand, and ends with the last or at the first failure", async () => {
    const clock = testClock(0);
    const nap = (ms: number) => (signal: AbortSignal) => clock.sleep(ms, signal);
    const all = TaskGroup.all(neverAborted(), [nap(10), nap(30)]).then(() => clock.now());
    const failure = TaskGroup.all(neverAborted(), [nap(1000), () => Promise.reject(new Error("no"))]).catch(String);
    await clock.run("idle");
    expect(await Promise.all([all, failure])).toEqual([30, "Error: no"]);
  });

  it("cancels the rest at the first failure, waits for their cleanup and throws it", async () => {
    const clock = testClock(0);
    const parent = new AbortController();
    const listeners = countListeners(parent.signal);
    const cleaned: string[] = [];
    const running = TaskGroup.run(parent.signal, async (group) => {
      group.spawn(async (signal) => {
        try {
          await clock.sleep(1000, signal);
        } finally {
          await clock.sleep(5, neverAborted());
          cleaned.push("child");
        }
      });
      group.spawn(async () => {
        await clock.sleep(10, neverAborted());
        throw new Error("broken");
      });
      await clock.sleep(1000, group.signal);
    }).catch((error: unknown) => error);
    await clock.run("idle");
    expect(await running).toMatchObject({ message: "broken" });
    expect([cleaned, clock.now()]).toEqual([["child"], 15]);
    expect([parent.signal.aborted, listeners()]).toEqual([false, 0]);
  });

  it("aggregates failures in spawn order, with the earliest as the cause", async () => {
    const clock = testClock(0);
    const fail = (ms: number, message: string) => async (): Promise<void> => {
      await clock.sleep(ms, neverAborted());
      throw new Error(message);
    };
    const running = TaskGroup.run(neverAborted(), (group) => {
      group.spawn(fail(30, "a"));
      group.spawn(fail(20, "b"));
      group.spawn(fail(10, "c"));
    }).catch((error: unknown) => error);
    await clock.run("idle");
    const error = (await running) as AggregateError;
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.message).toBe("a; b; c");
    expect(error.cause).toMatchObject({ message: "c" });
  });

  it("treats an abort as the end, not as a failure", async () => {
    const clock = testClock();
    const parent = new AbortController();
    const forever = (signal: AbortSignal): Promise<void> => clock.sleep(1e9, signal);
    const daemon = TaskGroup.run(parent.signal, (group) => {
      group.spawn(forever);
      group.spawn(forever);
    });
    const waiting = TaskGroup.run(parent.signal, (group) => forever(group.signal)).catch((error: unknown) => error);
    const cancelled = TaskGroup.run(parent.signal, (group) => {
      group.spawn(forever);
      group.cancel();
    });
    await cancelled;
    const reason = new Aborted("stop");
    parent.abort(reason);
    await daemon;
    expect(await waiting).toBe(reason);
    expect(clock.pendingCount).toBe(0);
  });

  it("refuses work after its end", async () => {
    let kept: TaskGroup | undefined;
    await TaskGroup.run(neverAborted(), (group) => {
      kept = group;
      expect(group.size).toBe(1);
    });
    expect(() => kept?.spawn(async () => undefined)).toThrow("has ended");
  });
});
