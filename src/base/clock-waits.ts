// The waits of every clock, built on `after`, and the deadline that a signal carries. With it a caller whose turn would
// come too late can give up at once.
import type { Clock } from "./clock.ts";
import { DeadlineExceeded } from "./errors.ts";

const deadlineAt: unique symbol = Symbol("deadlineAt");
type DatedSignal = AbortSignal & { [deadlineAt]?: number };

/** The latest moment at which the signal will abort, in monotonic milliseconds, if its scopes have a deadline. */
export function deadlineOf(signal: AbortSignal): number | undefined {
  return (signal as DatedSignal)[deadlineAt];
}

/** Stores the earlier of the given deadlines on the signal. */
export function noteDeadline(signal: AbortSignal, one: number | undefined, other: number | undefined): void {
  if (one === undefined && other === undefined) return;
  (signal as DatedSignal)[deadlineAt] = Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY);
}

export function sleepOn(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal.reason);
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

export function deadlineSignal(
  clock: Pick<Clock, "after" | "monotonicMs">,
  ms: number,
  parent: AbortSignal,
): AbortSignal {
  if (parent.aborted) return parent;
  const controller = new AbortController();
  const onAbort = (): void => {
    timer[Symbol.dispose]();
    controller.abort(parent.reason);
  };
  const timer = clock.after(ms, () => {
    parent.removeEventListener("abort", onAbort);
    controller.abort(new DeadlineExceeded(ms));
  });
  parent.addEventListener("abort", onAbort, { once: true });
  noteDeadline(controller.signal, clock.monotonicMs() + ms, deadlineOf(parent));
  return controller.signal;
}
