// The trace of control loops: why a key was queued, and what its sync read, wrote and waits for. The `why` command, the
// dashboard, the simulation's checkers and the differential tests use the same record. Without a listener there is no
// recorder, and every call site is one undefined check.

import { type KubeObject, type ObjectKey, objectKey } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";

export type ChangeType = "add" | "update" | "delete";

/** Why a key was queued. */
export type Cause =
  | {
      readonly kind: "event";
      readonly resource: string;
      readonly event: ChangeType;
      readonly object: ObjectKey;
    }
  | { readonly kind: "resync" }
  | { readonly kind: "retry"; readonly error: string; readonly attempt: number }
  | { readonly kind: "timer"; readonly afterMs: number; readonly reason: string };

export function eventCause<T extends KubeObject>(resource: Resource<T>, event: ChangeType, object: NoInfer<T>): Cause {
  return { kind: "event", resource: resource.resource, event, object: objectKey(object) };
}

export interface Write {
  readonly verb: string;
  readonly path: string;
  /** HTTP status; 0 when no answer came. */
  readonly code: number;
}

export type SyncOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "requeued"; readonly afterMs: number }
  | { readonly kind: "backedOff"; readonly reason: string }
  | { readonly kind: "failed"; readonly error: string; readonly isTerminal: boolean };

/** One sync of one key, from taking it off the queue to the outcome. */
export interface SyncRecord {
  readonly controller: string;
  /** The key's text. */
  readonly key: string;
  readonly causes: readonly Cause[];
  readonly startedMs: number;
  readonly writes: Write[];
}

/**
 * Receives the trace. Each traced sync runs with a separate signal. Clients report requests together with their signal,
 * which identifies the sync.
 */
export interface SyncTrace {
  queued(controller: string, key: string, cause: Cause): void;
  started(record: SyncRecord, signal: AbortSignal): void;
  finished(record: SyncRecord, outcome: SyncOutcome, endedMs: number): void;
}
