// Which probe failures were reported: each once, however often its pod is synced.

import type { NodeEvent } from "./pod-events.ts";

export class ToldFailures {
  /** The failures of the last pass, by the pod's UID. An earlier failure of the same probe does not return. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  /** The events that were not reported yet. */
  untold(uid: string, events: readonly NodeEvent[]): readonly NodeEvent[] {
    const failures = events.flatMap(({ failure }) => failure ?? []);
    if (failures.length === 0) return events;
    const before = this.#told.get(uid);
    this.#told.set(uid, new Set(failures));
    return events.filter(({ failure }) => failure === undefined || !before?.has(failure));
  }

  forget(uid: string): void {
    this.#told.delete(uid);
  }
}
