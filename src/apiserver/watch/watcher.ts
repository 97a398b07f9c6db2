// One client's watch: its selection, and its queued events. The buffer is bounded; a watcher that falls behind is
// closed, and the client resumes from the last version it saw.

import type { Selection } from "../selection.ts";
import type { StoredVersion } from "../storage/storage.ts";

export type WatcherEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly version: StoredVersion }
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly endsInitialEvents: boolean };

export class Watcher {
  readonly selection: Selection;
  readonly wantsBookmarks: boolean;
  /** Events up to this revision are skipped. */
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

  /** Begins with these events, regardless of the bound. */
  start(initial: WatcherEvent[]): void {
    this.#pending = initial;
  }

  /** Queues a write to the table, if it concerns this watcher. */
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

  /** The queued events, at most `max`; empty when there are none. */
  take(max: number): WatcherEvent[] {
    if (this.#pending.length <= max) {
      const all = this.#pending;
      this.#pending = [];
      return all;
    }
    return this.#pending.splice(0, max);
  }

  /** Resolves when an event is queued, or the watcher is closed. One caller at a time. */
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
 * The event type of a write for one selection: an object that begins to match is added, one that stops matching is
 * deleted. Undefined: no event.
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
