import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { Operations } from "./operations.ts";

describe("persistentvolume-attach-detach/8, persistentvolume-attach-detach/14, persistentvolume-attach-detach/tests operations", () => {
  let clock: VirtualClock;
  let operations: Operations;
  let life: AbortController;
  let ended: Promise<void>;
  beforeEach(() => {
    clock = testClock();
    operations = new Operations(clock, noLog);
    life = new AbortController();
    ended = operations.run(life.signal);
  });
  afterEach(async () => {
    life.abort();
    await ended;
  });
  const forever = (signal: AbortSignal): Promise<void> => clock.sleep(1e9, signal);
  const failing = (): Promise<void> => Promise.reject(new Error("no"));
  const passing = (): Promise<void> => Promise.resolve();

  it("exclude each other on one key", () => {
    expect(operations.start({ volume: "v" }, "volume_attach", forever)).toBe(true);
    expect(operations.start({ volume: "v" }, "volume_detach", forever)).toBe(false);
    expect(operations.isRunning({ volume: "v", node: "a" })).toBe(true);
    expect(operations.mayStart({ volume: "v", node: "a" }, "volume_detach")).toBe(false);
    expect(operations.isRunning({ volume: "w" })).toBe(false);
  });

  it("on a node leave other nodes alone, and keep the cluster from the volume", () => {
    operations.start({ volume: "v", node: "a" }, "volume_attach", forever);
    expect(operations.mayStart({ volume: "v", node: "b" }, "volume_attach")).toBe(true);
    expect(operations.isRunning({ volume: "v" })).toBe(true);
  });

  it("that succeed leave nothing behind", async () => {
    operations.start({ volume: "v" }, "volume_attach", passing);
    await clock.advance(0);
    expect(operations.mayStart({ volume: "v" }, "volume_attach")).toBe(true);
  });

  it("back off from 500 ms, twice as long after each failure, to 122 s", async () => {
    for (const waitMs of [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000]) {
      operations.start({ volume: "v" }, "volume_attach", failing);
      await clock.advance(waitMs);
      expect(operations.mayStart({ volume: "v" }, "volume_attach")).toBe(false);
      await clock.advance(1);
      expect(operations.mayStart({ volume: "v" }, "volume_attach")).toBe(true);
    }
  });

  it("do not back off from the other operation, which starts with a new back-off", async () => {
    operations.start({ volume: "v" }, "volume_attach", failing);
    await clock.advance(501);
    operations.start({ volume: "v" }, "volume_attach", failing);
    await clock.advance(0);
    expect(operations.isRunning({ volume: "v" })).toBe(false);
    expect(operations.mayStart({ volume: "v" }, "volume_attach")).toBe(false);
    expect(operations.start({ volume: "v" }, "volume_detach", failing)).toBe(true);
    await clock.advance(501);
    expect(operations.mayStart({ volume: "v" }, "volume_detach")).toBe(true);
  });
});
