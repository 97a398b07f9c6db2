import { describe, expect, it } from "vitest";
import { childScope, deadlineScope, orAborted, shielded, whenAborted } from "./abort.ts";
import { Aborted, DeadlineExceeded, isAborted } from "./errors.ts";
import { countListeners, testClock } from "./testing.ts";

describe("childScope", () => {
  it("aborts with whichever parent aborts first, with its reason", () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const scope = childScope(a.signal, b.signal);
    b.abort("b");
    a.abort("a");
    expect(scope.signal.reason).toBe("b");
    expect(childScope(a.signal).signal.reason).toBe("a");
  });

  it("leaves no listener on its parents in any ending", () => {
    const parent = new AbortController();
    const listeners = countListeners(parent.signal);
    for (let i = 0; i < 1000; i++) {
      using _left = childScope(parent.signal);
    }
    childScope(parent.signal).abort();
    const other = new AbortController();
    childScope(parent.signal, other.signal);
    expect(listeners()).toBe(1);
    other.abort();
    expect(listeners()).toBe(0);
  });

  it("aborts what hangs on it when it is left, without touching the parent", () => {
    const parent = new AbortController();
    let seen: AbortSignal | undefined;
    {
      using scope = childScope(parent.signal);
      seen = scope.signal;
      expect(seen.aborted).toBe(false);
    }
    expect(isAborted(seen.reason)).toBe(true);
    expect(parent.signal.aborted).toBe(false);
  });
});

describe("deadlineScope", () => {
  it("aborts in time, and frees its timer when it is left", async () => {
    const clock = testClock();
    const parent = new AbortController();
    const late = deadlineScope(clock, 10, parent.signal);
    {
      using _early = deadlineScope(clock, 600_000, parent.signal);
      expect(clock.pendingCount).toBe(2);
    }
    expect(clock.pendingCount).toBe(1);
    await clock.run("idle");
    expect(late.signal.reason).toBeInstanceOf(DeadlineExceeded);
    parent.abort();
    expect(deadlineScope(clock, 1, parent.signal).signal.aborted).toBe(true);
    expect(clock.pendingCount).toBe(0);
  });
});

describe("shielded", () => {
  it("cleans up after an abort, but not for longer than its limit", async () => {
    const clock = testClock();
    const parent = new AbortController();
    parent.abort(new Aborted());
    const cleanup = (ms: number): Promise<string> =>
      shielded(clock, 100, async (signal) => {
        await clock.sleep(ms, signal);
        return "clean";
      });
    const quick = cleanup(50);
    const slow = cleanup(500).catch((error: unknown) => error);
    await clock.run("idle");
    expect(await quick).toBe("clean");
    expect(await slow).toBeInstanceOf(DeadlineExceeded);
    expect(clock.now()).toBe(testClock().now() + 100);
  });
});

describe("orAborted and whenAborted", () => {
  it("take what comes first and clean up", async () => {
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    expect(await orAborted(Promise.resolve(1), controller.signal)).toBe(1);
    await expect(orAborted(Promise.reject(new Error("own")), controller.signal)).rejects.toThrow("own");
    expect(listeners()).toBe(0);
    const waiting = orAborted(new Promise(() => undefined), controller.signal);
    const end = whenAborted(controller.signal);
    controller.abort("gone");
    await expect(waiting).rejects.toBe("gone");
    await end;
    await whenAborted(controller.signal);
    await expect(orAborted(Promise.reject(new Error("late")), controller.signal)).rejects.toBe("gone");
  });
});
