// The waits that every clock offers, told once on top of `after`.
import type { Clock } from "./clock.ts";
import { DeadlineExceeded } from "./errors.ts";

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

export function deadlineSignal(clock: Pick<Clock, "after">, ms: number, parent: AbortSignal): AbortSignal {
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
  return controller.signal;
}
