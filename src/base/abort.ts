// Cancellation scopes. A scope's signal aborts with its parents; leaving the scope (`using`)
// aborts it and removes every listener, so that a long-lived parent collects no garbage.
import type { Clock } from "./clock.ts";
import { deadlineOf, noteDeadline } from "./clock-waits.ts";
import { Aborted, DeadlineExceeded } from "./errors.ts";

export interface Scope extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** The abort reason of a signal whose scope was left. */
const scopeEnded = new Aborted("scope ended");

/** A scope that aborts as soon as one of its parents does, with that parent's reason. */
export function childScope(...parents: AbortSignal[]): Scope {
  const controller = new AbortController();
  const links: { parent: AbortSignal; listener: () => void }[] = [];
  const unlink = (): void => {
    for (const { parent, listener } of links) parent.removeEventListener("abort", listener);
    links.length = 0;
  };
  const abort = (reason: unknown = new Aborted()): void => {
    unlink();
    controller.abort(reason);
  };
  for (const parent of parents) {
    if (parent.aborted) {
      abort(parent.reason);
      break;
    }
    const listener = (): void => abort(parent.reason);
    parent.addEventListener("abort", listener, { once: true });
    links.push({ parent, listener });
  }
  for (const parent of parents) noteDeadline(controller.signal, deadlineOf(controller.signal), deadlineOf(parent));
  return { signal: controller.signal, abort, [Symbol.dispose]: () => abort(scopeEnded) };
}

/** A child scope that also aborts, with a DeadlineExceeded, after ms. Leaving it frees the timer. */
export function deadlineScope(clock: Clock, ms: number, ...parents: AbortSignal[]): Scope {
  const scope = childScope(...parents);
  if (scope.signal.aborted) return scope;
  const timer = clock.after(ms, () => scope.abort(new DeadlineExceeded(ms)));
  noteDeadline(scope.signal, clock.monotonicMs() + ms, deadlineOf(scope.signal));
  scope.signal.addEventListener("abort", () => timer[Symbol.dispose](), { once: true });
  return scope;
}

/** Cleanup after an abort: fn gets a signal that no parent can abort; only the time limit does. */
export async function shielded<T>(clock: Clock, limitMs: number, fn: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using scope = deadlineScope(clock, limitMs);
  return await fn(scope.signal);
}

/** Resolves when the signal aborts; never rejects. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The promise's outcome, or the signal's reason if that comes first. The promise itself continues. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const unlink = (): void => signal.removeEventListener("abort", onAbort);
    promise.then(
      (value) => {
        unlink();
        resolve(value);
      },
      (error: unknown) => {
        unlink();
        reject(error);
      },
    );
  });
}
