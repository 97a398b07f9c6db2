// The system clock, several times as fast: a program that waits for minutes takes seconds here, while the servers keep
// their own time.

import type { Clock } from "#base/clock.ts";
import { deadlineSignal, sleepOn } from "#base/clock-waits.ts";
import { systemClock } from "#platform/system/system-clock.ts";

export function hurriedClock(factor: number): Clock {
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonicMs: () => systemClock.monotonicMs() * factor,
    after: (ms, callback) => systemClock.after(ms / factor, callback),
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    deadline: (ms, parent) => deadlineSignal(clock, ms, parent),
  };
  return clock;
}
