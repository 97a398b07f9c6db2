// Errors that can occur in every layer.

/** The reason of a signal made by Clock.deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
  readonly afterMs: number;
  constructor(afterMs: number) {
    super(`deadline of ${afterMs} ms exceeded`);
    this.afterMs = afterMs;
  }
}

/** The reason of a signal that was aborted because its owner stopped. */
export class Aborted extends Error {
  override readonly name = "Aborted";
  constructor(message = "aborted") {
    super(message);
  }
}

/** An error that no retry can fix: the worker loop logs and counts it, and does not requeue. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** True for the error that an aborted wait throws. Such errors are never logged as failures. */
export function isAborted(error: unknown, signal?: AbortSignal): boolean {
  if (error instanceof Aborted) return true;
  if (signal?.aborted && error === signal.reason) return true;
  return error instanceof Error && error.name === "AbortError";
}

/** The text of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One line for several errors, each text once. Upstream: k8s.io/apimachinery/pkg/util/errors, aggregate.Error */
export function aggregateText(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
