// Which probe failures were reported: each once, however often its pod is synced.

import type { NodeEvent } from "./pod-events.ts";

export class ReportedFailures {
  /** The failures of the last pass, by the pod's UID. An earlier failure of the same probe does not return. */
  readonly #reported = new Map<string, ReadonlySet<string>>();

  /** The events that were not reported yet. */
  unreported(uid: string, events: readonly NodeEvent[]): readonly NodeEvent[] {
    const failures = events.flatMap(({ failure }) => failure ?? []);
    if (failures.length === 0) return events;
    const before = this.#reported.get(uid);
    this.#reported.set(uid, new Set(failures));
    return events.filter(({ failure }) => failure === undefined || !before?.has(failure));
  }

  forget(uid: string): void {
    this.#reported.delete(uid);
  }
}
