// How a store outlives its process: each write is appended before it takes effect, and the state
// is rebuilt from what was appended. Without a journal the store lives in memory only.

import type { KubeObject } from "#api/object.ts";

export interface JournalEntry {
  readonly revision: number;
  readonly resource: string;
  readonly key: string;
  readonly object: KubeObject;
  readonly isDeletion: boolean;
}

export interface JournalState {
  /** The highest revision ever appended or compacted up to; 0 for a new journal. */
  readonly revision: number;
  /** Up to where the history was dropped. */
  readonly compactedRevision: number;
  /** What is left, in ascending order of revision. */
  readonly entries: Iterable<JournalEntry>;
}

export interface Journal {
  load(): JournalState;
  /** Returns when the entry is as durable as the journal promises; throws StorageWriteFailed and keeps nothing of it. */
  append(entry: JournalEntry): void;
  /** Forgets superseded entries: reads below the revision are over. */
  compact(compactedRevision: number, superseded: readonly number[]): void;
  close(): void;
}
