// Which pods use which volumes, with which label and policy, and where they conflict.
// Upstream: pkg/controller/volume/selinuxwarning/cache.

import type { ObjectKey } from "#api/object.ts";
import { labelsConflict } from "./labels.ts";

export type ChangePolicy = "MountOption" | "Recursive";

export interface VolumeUse {
  readonly label: string;
  readonly policy: ChangePolicy;
}

/** A conflict as reported to the pod; the other pod gets the reverse. */
export interface Conflict {
  readonly property: "SELinuxLabel" | "SELinuxChangePolicy";
  readonly pod: ObjectKey;
  readonly value: string;
  readonly otherPod: ObjectKey;
  readonly otherValue: string;
}

interface UsedVolume {
  /** Absent: not a CSI volume. */
  readonly driver: string | undefined;
  readonly users: Map<ObjectKey, VolumeUse>;
}

export class VolumeUsers {
  readonly #volumes = new Map<string, UsedVolume>();
  readonly #volumesOfPod = new Map<ObjectKey, Set<string>>();

  /** The conflicts of a new or changed use, each followed by its reverse. */
  add(volume: string, pod: ObjectKey, use: VolumeUse, driver: string | undefined): readonly Conflict[] {
    const known = this.#volumes.get(volume) ?? { driver, users: new Map<ObjectKey, VolumeUse>() };
    this.#volumes.set(volume, known);
    const before = known.users.get(pod);
    if (before !== undefined && before.label === use.label && before.policy === use.policy) return [];
    known.users.set(pod, use);
    this.#volumesOfPod.set(pod, (this.#volumesOfPod.get(pod) ?? new Set()).add(volume));
    return [...known.users].flatMap(([other, otherUse]) => conflictsBetween(pod, use, other, otherUse));
  }

  remove(pod: ObjectKey): void {
    for (const volume of this.#volumesOfPod.get(pod) ?? []) {
      const known = this.#volumes.get(volume);
      known?.users.delete(pod);
      if (known?.users.size === 0) this.#volumes.delete(volume);
    }
    this.#volumesOfPod.delete(pod);
  }

  podsOfDriver(driver: string): readonly ObjectKey[] {
    const volumes = [...this.#volumes.values()].filter((volume) => volume.driver === driver);
    return [...new Set(volumes.flatMap(({ users }) => [...users.keys()]))];
  }

  /** All current conflicts, in both directions. */
  conflicts(): readonly Conflict[] {
    const found: Conflict[] = [];
    for (const { users } of this.#volumes.values()) {
      // Equal uses never conflict, and most volumes have only one: thousands of pods may share a volume.
      const groups = [...Map.groupBy(users, ([, { label, policy }]) => `${policy} ${label}`).values()];
      for (const [i, group] of groups.entries()) {
        const others = groups.slice(i + 1).flat();
        for (const [pod, use] of group) {
          for (const [other, otherUse] of others) found.push(...conflictsBetween(pod, use, other, otherUse));
        }
      }
    }
    return found;
  }
}

function conflictsBetween(pod: ObjectKey, use: VolumeUse, other: ObjectKey, otherUse: VolumeUse): readonly Conflict[] {
  if (use.label === otherUse.label && use.policy === otherUse.policy) return [];
  const both = (property: Conflict["property"], value: string, otherValue: string): readonly Conflict[] => [
    { property, pod, value, otherPod: other, otherValue },
    { property, pod: other, value: otherValue, otherPod: pod, otherValue: value },
  ];
  return [
    ...(use.policy === otherUse.policy ? [] : both("SELinuxChangePolicy", use.policy, otherUse.policy)),
    ...(labelsConflict(use.label, otherUse.label) ? both("SELinuxLabel", use.label, otherUse.label) : []),
  ];
}

/** Does not name pods of another namespace. In that case upstream omits the space before the value. */
export function conflictMessage({ property, pod, value, otherPod, otherValue }: Conflict): string {
  const [namespace] = pod.split("/");
  const [otherNamespace, otherName] = otherPod.split("/");
  const outcome = "If both pods land on the same node, only one of them may access the volume.";
  if (namespace !== otherNamespace) {
    return `${property}"${value}" conflicts with another pod that uses the same volume as this pod with a different ${property}. ${outcome}`;
  }
  return `${property} "${value}" conflicts with pod ${otherName} that uses the same volume as this pod with ${property} "${otherValue}". ${outcome}`;
}
