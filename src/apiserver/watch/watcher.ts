// One client's watch: what it selects, and the events that wait for it. The buffer is bounded; a
// watcher that falls behind is closed, and the client resumes from the last version it saw.

import type { Selection } from "../selection.ts";
import type { StoredVersion } from "../storage/storage.ts";

export type WatcherEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly version: StoredVersion }
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly endsInitialEvents: boolean };

export class Watcher {
  readonly selection: Selection;
  readonly wantsBookmarks: boolean;
  /** Events at or below it are not for this client. */
  readonly afterRevision: number;
  readonly #eventsMax: number;
  #pending: WatcherEvent[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(selection: Selection, wantsBookmarks: boolean, afterRevision: number, eventsMax: number) {
    this.selection = selection;
    this.wantsBookmarks = wantsBookmarks;
    this.afterRevision = afterRevision;
    this.#eventsMax = eventsMax;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Begins with these, however many they are. */
  start(initial: WatcherEvent[]): void {
    this.#pending = initial;
  }

  /** A write to the table, if this watcher is concerned. */
  offer(version: StoredVersion): void {
    if (this.#isClosed || version.revision <= this.afterRevision) return;
    const type = eventTypeFor(this.selection, version);
    if (type !== undefined) this.push({ type, version });
  }

  push(event: WatcherEvent): void {
    if (this.#isClosed) return;
    if (this.#pending.length >= this.#eventsMax) this.close();
    else this.#pending.push(event);
    this.#notify();
  }

  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  /** All that waits, at most `max`; empty when nothing does. */
  take(max: number): WatcherEvent[] {
    if (this.#pending.length <= max) {
      const all = this.#pending;
      this.#pending = [];
      return all;
    }
    return this.#pending.splice(0, max);
  }

  /** Resolves when there is something to take, or the watcher is closed. One caller at a time. */
  ready(): Promise<void> {
    if (this.#pending.length > 0 || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

/**
 * What a write is to one selection: an object that comes to match is added, one that ceases to
 * match is deleted. Undefined: nothing.
 */
export function eventTypeFor(
  selection: Selection,
  version: StoredVersion,
): "ADDED" | "MODIFIED" | "DELETED" | undefined {
  const { previous } = version;
  const wasSelected = previous !== undefined && !previous.isDeletion && selection.matches(previous);
  const isSelected = !version.isDeletion && selection.matches(version);
  if (isSelected) return wasSelected ? "MODIFIED" : "ADDED";
  return wasSelected ? "DELETED" : undefined;
}
