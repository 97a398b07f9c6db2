// Classifies each pod of an owner once. Most syncs of an owner with thousands of pods follow a change of one pod, and
// examining all the others again is most of the cost. Cached pods never change, so a mark stays valid while the pod is
// the same object and the owner's selector and template labels are the same.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import { isControlledBy } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import { judge } from "#kit/claim.ts";
import { isPodActive, isPodReady, isPodTerminating } from "#rules/pod-status.ts";
import type { ReplicaObject } from "./replica-kind.ts";

/** Active, matching, and controlled by the owner. */
export const KEPT = 1;
/** Active, and a candidate for adoption or release. */
export const IN_QUESTION = 2;
/** Being deleted, matching, and controlled by the owner. */
export const TERMINATING = 4;
/** With KEPT: has all labels of the template. */
export const FULLY_LABELED = 8;
/** With KEPT. */
export const READY = 16;

/** For owners with fewer pods, marks are computed each time. */
const REMEMBERED_PODS_MIN = 64;

interface Known {
  /** The fields of the owner that marks depend on. */
  readonly asked: string;
  readonly pods: readonly Stored<Pod>[];
  readonly marks: Uint8Array;
}

export class PodMarks {
  readonly #known = new Map<ObjectKey, Known>();

  /** A mark for each of these pods, in their order. */
  of(owner: ReplicaObject, selector: Selector, pods: readonly Stored<Pod>[]): Uint8Array {
    const key = objectKey(owner);
    const markOf = (pod: Stored<Pod>): number => mark(pod, owner, selector);
    if (pods.length < REMEMBERED_PODS_MIN) {
      this.#known.delete(key);
      return Uint8Array.from(pods, markOf);
    }
    const asked = askedBy(owner, selector);
    const known = this.#known.get(key);
    const marks = known?.asked === asked ? follow(known, pods, markOf) : Uint8Array.from(pods, markOf);
    this.#known.set(key, { asked, pods, marks });
    return marks;
  }

  forget(key: ObjectKey): void {
    this.#known.delete(key);
  }
}

function askedBy({ metadata, spec }: ReplicaObject, selector: Selector): string {
  const { uid, deletionTimestamp } = metadata;
  const labels = spec?.template?.metadata?.labels;
  return JSON.stringify([uid, deletionTimestamp !== undefined, selector.isSelectable, selector.toString(), labels]);
}

/** The cache keeps pods in order: a changed pod stays at its position, and a deleted pod leaves no gap. */
function follow(
  { pods: old, marks: known }: Known,
  pods: readonly Stored<Pod>[],
  markOf: (pod: Stored<Pod>) => number,
) {
  const marks = new Uint8Array(pods.length);
  let place = 0;
  pods.forEach((pod, i) => {
    if (old[place] !== pod && old[place + 1] === pod) place++;
    marks[i] = old[place] === pod ? (known[place] ?? 0) : markOf(pod);
    place++;
  });
  return marks;
}

function mark(pod: Stored<Pod>, owner: ReplicaObject, selector: Selector): number {
  const matches = ({ metadata }: Stored<Pod>): boolean => selector.matches(metadata.labels ?? {});
  if (!isPodActive(pod)) {
    return isPodTerminating(pod) && isControlledBy(pod, owner) && matches(pod) ? TERMINATING : 0;
  }
  switch (judge(pod, { owner, matches })) {
    case "keep":
      return KEPT | (isFullyLabeled(pod, owner) ? FULLY_LABELED : 0) | (isPodReady(pod) ? READY : 0);
    case "leave":
      return 0;
    case "adopt":
    case "release":
      return IN_QUESTION;
  }
}

export function isFullyLabeled({ metadata }: Stored<Pod>, owner: ReplicaObject): boolean {
  const wanted = owner.spec?.template?.metadata?.labels ?? {};
  for (const key in wanted) if (metadata.labels?.[key] !== wanted[key]) return false;
  return true;
}
