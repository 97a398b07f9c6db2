// A disk in memory: entries outlive the server that wrote them. They are kept as text, so that two servers share only
// what a file would contain.

import { parseExactJson } from "#api/json.ts";
import type { Journal, JournalEntry, JournalState } from "#apiserver/storage/journal.ts";
import { StorageWriteFailed } from "#apiserver/storage/storage.ts";
import { stringifyJson } from "#base/json.ts";

export class MemoryDisk {
  /** By revision, ascending. */
  readonly #entries = new Map<number, string>();
  #revision = 0;
  #compactedRevision = 0;

  /**
   * Opens the journal for one server. After its end, further writes of that server fail, like those of a dead process.
   */
  open(): Journal {
    let isOpen = true;
    const guard = (): void => {
      if (!isOpen) throw new StorageWriteFailed("the process of this journal has ended");
    };
    return {
      load: () => this.#load(),
      append: (entry) => {
        guard();
        this.#entries.set(entry.revision, stringifyJson(entry));
        this.#revision = entry.revision;
      },
      compact: (compactedRevision, superseded) => {
        guard();
        this.#compactedRevision = Math.max(this.#compactedRevision, compactedRevision);
        this.#revision = Math.max(this.#revision, compactedRevision);
        for (const revision of superseded) this.#entries.delete(revision);
      },
      close: () => {
        isOpen = false;
      },
    };
  }

  #load(): JournalState {
    const entries = [...this.#entries.values()].map((text) => parseExactJson(text) as JournalEntry);
    return { revision: this.#revision, compactedRevision: this.#compactedRevision, entries };
  }
}
