// Time as a dependency. Everything that waits takes a Clock; nothing reads the host's time. Two implementations follow
// one contract (clock.contract.ts): the system clock in platform/ and the virtual clock beside this file.

/** Milliseconds since the Unix epoch; may carry a fraction down to the microsecond. */
export type EpochMs = number;

/** A pending callback. Disposing it twice, or after it fired, does nothing. */
export interface Timer extends Disposable {
  readonly isPending: boolean;
}

export interface Clock {
  /** Wall time. Never compare two readings for a duration: use monotonicMs. */
  now(): EpochMs;
  /** Never goes backwards; its zero has no meaning. */
  monotonicMs(): number;
  /** Resolves after ms, rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Runs callback once, after ms (a value below 0 counts as 0), never synchronously. */
  after(ms: number, callback: () => void): Timer;
  /** A signal that aborts with a DeadlineExceeded after ms, or with the parent when that aborts. */
  deadline(ms: number, parent: AbortSignal): AbortSignal;
}
