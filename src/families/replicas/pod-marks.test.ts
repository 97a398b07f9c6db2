import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { FULLY_LABELED, IN_QUESTION, KEPT, PodMarks, READY, TERMINATING } from "./pod-marks.ts";

type StoredPod = ObjectOf<typeof Pods>;
type StoredReplicaSet = ObjectOf<typeof ReplicaSets>;

const labels = { app: "web", tier: "front" };
const owner: StoredReplicaSet = stored(ReplicaSets, {
  metadata: { name: "rs", uid: "u1" },
  spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels } } },
});
const mine = { labels, ownerReferences: [newControllerRef(owner, ReplicaSets)] };
const others = { labels, ownerReferences: [{ ...newControllerRef(owner, ReplicaSets), uid: "u2" }] };
const dying = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const ready = { status: { conditions: [{ type: "Ready", status: "True" }] } };

/** Each pod with its expected mark. */
const forms: readonly (readonly [Omit<StoredPod, "metadata"> & { metadata: object }, number])[] = [
  [{ metadata: mine }, KEPT | FULLY_LABELED],
  [{ metadata: mine, ...ready }, KEPT | FULLY_LABELED | READY],
  [{ metadata: { ...mine, labels: { app: "web" } } }, KEPT],
  [{ metadata: { ...mine, labels: {} } }, IN_QUESTION],
  [{ metadata: { labels } }, IN_QUESTION],
  [{ metadata: { labels: {} } }, 0],
  [{ metadata: others, ...ready }, 0],
  [{ metadata: { ...mine, ...dying }, ...ready }, TERMINATING],
  [{ metadata: { ...others, ...dying } }, 0],
  [{ metadata: mine, status: { phase: "Failed" } }, 0],
];

const marksOf = (marks: PodMarks, set: StoredReplicaSet, pods: readonly StoredPod[]): readonly number[] => [
  ...marks.of(set, selectorFromObject(set.spec?.selector), [...pods]),
];

describe("what pods are to their owner", () => {
  it("replicaset/7 is computed for few and for many pods, after additions, changes, moves and deletions", () => {
    const rng = seededRng(7);
    const draw = (below: number): number => Math.floor(rng.float() * below);
    for (const size of [10, 200]) {
      const marks = new PodMarks();
      const pods: StoredPod[] = [];
      const wanted: number[] = [];
      const put = (at: number, replaced: number): void => {
        const [form, mark] = forms[draw(forms.length)] ?? [{ metadata: {} }, 0];
        const metadata = { ...form.metadata, name: `pod-${rng.float()}` };
        pods.splice(at, replaced, stored(Pods, { ...form, metadata } as never));
        wanted.splice(at, replaced, mark);
      };
      while (pods.length < size) put(pods.length, 0);
      for (let round = 0; round < 60; round++) {
        expect(marksOf(marks, owner, pods)).toEqual(wanted);
        for (let change = draw(4); change > 0; change--) {
          const at = draw(pods.length);
          const gone = draw(3);
          if (gone === 0) put(at, 1);
          else if (gone === 1) put(pods.length, 0);
          else {
            const count = 1 + draw(3);
            for (const list of [pods, wanted]) list.splice(at, count);
          }
        }
      }
    }
  });

  it.each<[string, Partial<StoredReplicaSet["metadata"]>, StoredReplicaSet["spec"], number]>([
    ["asks for the same", { resourceVersion: "9" }, owner.spec as never, KEPT | FULLY_LABELED],
    ["has another selector", {}, { ...owner.spec, selector: { matchLabels: { app: "api" } } } as never, IN_QUESTION],
    ["selects nothing any more", {}, { ...owner.spec, selector: undefined } as never, IN_QUESTION],
    ["has another template", {}, { ...owner.spec, template: { metadata: { labels: { x: "y" } } } } as never, KEPT],
    ["is another one of that name", { uid: "u2" }, owner.spec as never, 0],
    ["is being deleted", dying, { ...owner.spec, selector: { matchLabels: { app: "api" } } } as never, 0],
  ])("replicaset/7 is found out anew when the owner %s", (_, metadata, spec, mark) => {
    const marks = new PodMarks();
    const pods = Array.from({ length: 100 }, (_, i) => stored(Pods, { metadata: { ...mine, name: `pod-${i}` } }));
    expect(marksOf(marks, owner, pods)).toEqual(pods.map(() => KEPT | FULLY_LABELED));
    const changed = stored(ReplicaSets, { metadata: { ...owner.metadata, ...metadata }, spec: spec as never });
    expect(marksOf(marks, changed, pods)).toEqual(pods.map(() => mark));
  });

  it("replicaset/7 is not looked into again for pods that are the same", () => {
    let looks = 0;
    const watched = (name: string): StoredPod =>
      new Proxy(stored(Pods, { metadata: { ...mine, name } }), {
        get(pod, field) {
          looks++;
          return Reflect.get(pod, field);
        },
      });
    const marks = new PodMarks();
    const pods = Array.from({ length: 1000 }, (_, i) => watched(`pod-${i}`));
    marksOf(marks, owner, pods);
    looks = 0;
    pods.splice(3, 1);
    pods[500] = watched("changed");
    marksOf(marks, owner, pods);
    expect(looks).toBeLessThan(20);
    expect(looks).toBeGreaterThan(0);
  });
});
