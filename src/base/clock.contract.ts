// The contract of every Clock. virtual-clock.test.ts and platform's system-clock.test.ts run it. It sets no upper bound
// for the length of a wait.
import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { DeadlineExceeded } from "./errors.ts";
import { countListeners } from "./testing.ts";

export interface ClockSubject {
  readonly clock: Clock;
  /** Lets time pass until the promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
}

export function clockContract(name: string, make: () => ClockSubject): void {
  describe(`${name} keeps the clock contract`, () => {
    const stop = new Error("stop");

    it("fires timers in the order of their times, equal ones in the order of their making", async () => {
      const { clock, drive } = make();
      const order: string[] = [];
      const done = new Promise<void>((resolve) => {
        clock.after(12, () => order.push("late"));
        clock.after(1, () => order.push("first"));
        clock.after(1, () => order.push("second"));
        clock.after(24, resolve);
      });
      await drive(done);
      expect(order).toEqual(["first", "second", "late"]);
    });

    it("never runs a callback synchronously, not even for zero or negative times", async () => {
      const { clock, drive } = make();
      for (const ms of [0, -5]) {
        let hasRun = false;
        const done = new Promise<void>((resolve) => {
          clock.after(ms, () => {
            hasRun = true;
            resolve();
          });
        });
        expect(hasRun).toBe(false);
        await drive(done);
        expect(hasRun).toBe(true);
      }
    });

    it("reports whether a timer is pending, and disposing twice or late does nothing", async () => {
      const { clock, drive } = make();
      const fired: string[] = [];
      const kept = clock.after(2, () => fired.push("kept"));
      const dropped = clock.after(1, () => fired.push("dropped"));
      expect([kept.isPending, dropped.isPending]).toEqual([true, true]);
      dropped[Symbol.dispose]();
      dropped[Symbol.dispose]();
      expect(dropped.isPending).toBe(false);
      await drive(clock.sleep(6, new AbortController().signal));
      expect(kept.isPending).toBe(false);
      kept[Symbol.dispose]();
      expect(fired).toEqual(["kept"]);
    });

    it("lets both clocks move on by at least the time slept", async () => {
      const { clock, drive } = make();
      const before = { wall: clock.now(), monotonic: clock.monotonicMs() };
      await drive(clock.sleep(8, new AbortController().signal));
      // Host timers may be early by a fraction of a millisecond.
      expect(clock.monotonicMs() - before.monotonic).toBeGreaterThanOrEqual(7);
      expect(clock.now()).toBeGreaterThanOrEqual(before.wall);
    });

    it("monotonic time never goes backwards", async () => {
      const { clock, drive } = make();
      let last = clock.monotonicMs();
      for (let i = 0; i < 5; i++) {
        await drive(clock.sleep(i % 2, new AbortController().signal));
        const next = clock.monotonicMs();
        expect(next).toBeGreaterThanOrEqual(last);
        last = next;
      }
    });

    it("sleep rejects with the reason as soon as the signal aborts, and leaves no listener", async () => {
      const { clock, drive } = make();
      const controller = new AbortController();
      const listeners = countListeners(controller.signal);
      const sleeping = clock.sleep(3_600_000, controller.signal).catch((error: unknown) => error);
      expect(listeners()).toBe(1);
      clock.after(1, () => controller.abort(stop));
      expect(await drive(sleeping)).toBe(stop);
      await expect(clock.sleep(1, controller.signal)).rejects.toBe(stop);

      const other = new AbortController();
      const otherListeners = countListeners(other.signal);
      await drive(clock.sleep(1, other.signal));
      expect(otherListeners()).toBe(0);
    });

    it("deadline aborts with DeadlineExceeded, or with its parent", async () => {
      const { clock, drive } = make();
      const parent = new AbortController();
      const listeners = countListeners(parent.signal);
      const deadline = clock.deadline(2, parent.signal);
      expect(deadline.aborted).toBe(false);
      await drive(clock.sleep(10, new AbortController().signal));
      expect(deadline.reason).toBeInstanceOf(DeadlineExceeded);
      expect(deadline.reason).toMatchObject({ afterMs: 2, message: "deadline of 2 ms exceeded" });
      expect(listeners()).toBe(0);

      const far = clock.deadline(3_600_000, parent.signal);
      parent.abort(stop);
      expect(far.reason).toBe(stop);
      expect(clock.deadline(1, parent.signal).reason).toBe(stop);
    });

    it("takes waits longer than any host timer", async () => {
      const { clock, drive } = make();
      let hasFired = false;
      using far = clock.after(2 ** 31 + 5, () => {
        hasFired = true;
      });
      using endless = clock.after(Number.POSITIVE_INFINITY, () => {
        hasFired = true;
      });
      await drive(clock.sleep(5, new AbortController().signal));
      expect([hasFired, far.isPending, endless.isPending]).toEqual([false, true, true]);
    });
  });
}
