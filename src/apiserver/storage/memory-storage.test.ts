import { testClock } from "#base/testing.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { describeStorage } from "./storage.contract.ts";

describeStorage("memory storage", () => {
  const clock = testClock();
  return {
    clock,
    open: (options) => new MemoryStorage({ clock, ...options }),
    advance: (ms) => clock.advance(ms),
  };
});
