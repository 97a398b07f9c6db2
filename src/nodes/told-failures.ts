// Which failures of probes have been told: each once, however often its pod is looked at.

import type { NodeEvent } from "./pod-events.ts";

export class ToldFailures {
  /** Those of the last look, by the uid of a pod that had some. An earlier failure of the same probe does not come back. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  /** The events that are yet to be told. */
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
