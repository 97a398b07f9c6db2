// Logs every ten seconds that a streamed list still waits for its final bookmark.
// Upstream: client-go/tools/cache/reflector.go, initialEventsEndBookmarkTicker

import type { Clock, Timer } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";

const INTERVAL_MS = 10_000;

export interface BookmarkWarningOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger | undefined;
  readonly eventCount: () => number;
}

/** Runs until it is disposed. */
export function warnWhileWithoutBookmark({ name, clock, log, eventCount }: BookmarkWarningOptions): Disposable {
  const startedAt = clock.monotonicMs();
  let timer: Timer;
  let countBefore = 0;
  const arm = (): void => {
    timer = clock.after(INTERVAL_MS, () => {
      const count = eventCount();
      if (count === 0) {
        const seconds = (clock.monotonicMs() - startedAt) / 1000;
        const err = `${name}: awaiting required bookmark event for initial events stream, no events received for ${seconds}s`;
        log?.info("Warning: event bookmark expired", { err });
      } else if (count === countBefore) {
        const err = `${name}: hasn't received required bookmark event marking the end of initial events stream`;
        log?.info("Warning: event bookmark expired", { err });
      }
      countBefore = count;
      arm();
    });
  };
  arm();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
