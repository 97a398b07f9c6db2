// The trigger time of a write of endpoints: the earliest change since the last sync of the Service. For a Service that
// is new to this process it is the creation time.
// Upstream: k8s.io/endpointslice/util/trigger_time_tracker.go.

import type { ObjectKey } from "#api/object.ts";
import { parseTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { podCondition } from "#rules/pod-status.ts";
import type { Pod, Service } from "./model.ts";

interface SeenTimes {
  readonly service: EpochMs;
  readonly pods: ReadonlyMap<string, EpochMs>;
}

export class TriggerTimes {
  readonly #seen = new Map<ObjectKey, SeenTimes>();

  /** Called once per sync, even if it writes nothing. Undefined: no change with a time. */
  next(key: ObjectKey, service: Service, pods: readonly Pod[]): EpochMs | undefined {
    const last = this.#seen.get(key);
    const created = parseTime(service.metadata.creationTimestamp);
    const times = new Map<string, EpochMs>();
    let earliest: EpochMs | undefined;
    const changed = (time: EpochMs, before: EpochMs | undefined): void => {
      if (before !== undefined && time <= before) return;
      if (earliest === undefined || time < earliest) earliest = time;
    };
    for (const pod of pods) {
      const time = timeOrUndefined(podCondition(pod, "Ready")?.lastTransitionTime);
      if (time === undefined) continue;
      const { name } = pod.metadata;
      times.set(name, time);
      changed(time, last?.pods.get(name));
    }
    changed(created, last?.service);
    this.#seen.set(key, { service: created, pods: times });
    return last === undefined ? created : earliest;
  }

  forget(key: ObjectKey): void {
    this.#seen.delete(key);
  }
}
