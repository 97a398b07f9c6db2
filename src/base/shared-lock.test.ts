import { describe, expect, it } from "vitest";
import { hostTurn } from "#base/testing.ts";
import { SharedLock } from "./shared-lock.ts";

describe("a shared lock", () => {
  it("lets many in together, and one alone after those that are in and before those that come", async () => {
    const lock = new SharedLock();
    const order: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      order.push(`${name} begins`);
      await hostTurn();
      order.push(`${name} ends`);
    };
    await Promise.all([
      lock.together(task("a")),
      lock.together(task("b")),
      lock.alone(task("alone")),
      lock.together(task("c")),
    ]);
    expect(order).toEqual([
      "a begins",
      "b begins",
      "a ends",
      "b ends",
      "alone begins",
      "alone ends",
      "c begins",
      "c ends",
    ]);
  });

  it("is free again after a task that failed", async () => {
    const lock = new SharedLock();
    const failing = (): Promise<never> => Promise.reject(new Error("no"));
    await expect(lock.together(failing)).rejects.toThrow("no");
    await expect(lock.alone(failing)).rejects.toThrow("no");
    await expect(lock.alone(async () => "in")).resolves.toBe("in");
  });
});
