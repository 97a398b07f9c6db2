// Errors without a caller that could handle them: logged in one place, and never in a hot loop.
// Upstream: k8s.io/apimachinery/pkg/util/runtime/runtime.go
import type { Clock } from "./clock.ts";
import { errorMessage } from "./errors.ts";
import type { Logger, LogValues } from "./log.ts";

/** The shortest time between two reports; a faster caller waits. */
const spacingMs = 1;

export class UnhandledErrors {
  readonly #clock: Clock;
  #lastAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastAt = clock.monotonicMs();
  }

  /** Logs the error at once. Await the result before continuing: it slows down a loop of errors. */
  async report(
    error: unknown,
    place: { log: Logger; message?: string; values?: LogValues },
    signal: AbortSignal,
  ): Promise<void> {
    place.log.named("UnhandledError").error(error, place.message ?? "Unhandled Error", place.values);
    const now = this.#clock.monotonicMs();
    const sinceMs = now - this.#lastAt;
    this.#lastAt = now;
    if (sinceMs < spacingMs) await this.#clock.sleep(spacingMs - sinceMs, signal);
  }
}

/** Runs fn. An error is logged as a crash and thrown again, to end the process. */
export async function logCrash<T>(fn: () => Promise<T> | T, log: Logger): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    const stack = error instanceof Error ? error.stack : undefined;
    log.error(undefined, "Observed a panic", { panic: errorMessage(error), stacktrace: stack ?? "" });
    throw error;
  }
}
