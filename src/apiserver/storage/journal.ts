// Makes a store durable: each write is appended before it takes effect, and the state is rebuilt from the entries.
// Without a journal the store is in memory only.

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
  /** The revision up to which the history was dropped. */
  readonly compactedRevision: number;
  /** The remaining entries, in ascending order of revision. */
  readonly entries: Iterable<JournalEntry>;
}

export interface Journal {
  load(): JournalState;
  /**
   * Returns when the entry is as durable as the journal promises; throws StorageWriteFailed and keeps nothing of the
   * entry.
   */
  append(entry: JournalEntry): void;
  /** Forgets superseded entries: reads below the revision are no longer possible. */
  compact(compactedRevision: number, superseded: readonly number[]): void;
  close(): void;
}
