// The pure decisions, compared with upstream's (tools/go/vectors-statefulset).

import { expect, it } from "vitest";
import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { StatefulSetSpec, StatefulSetStatus } from "#api/generated/types/apps-v1.ts";
import type { IntOrString } from "#api/int-or-string.ts";
import type { OwnerReference } from "#api/meta.ts";
import { stored } from "#api/testing.ts";
import file from "#test/vectors/statefulset.json" with { type: "json" };
import type { StatefulSet, StoredPod } from "./model.ts";
import { isInRange, parentAndOrdinal } from "./ordinals.ts";
import { maxUnavailable } from "./replicas.ts";
import { isOwnedAsWanted, withWantedOwners } from "./retention.ts";
import { withCompletedUpdate } from "./status.ts";

type Strategy = NonNullable<StatefulSetSpec["updateStrategy"]>;
type RetentionPolicy = NonNullable<StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]>;
type ClaimRow = readonly [
  policy: RetentionPolicy | null,
  pod: string,
  before: OwnerReference[],
  isRight: boolean,
  after: OwnerReference[] | null,
];
type UpdateRow = readonly [replicas: number, Strategy, before: StatefulSetStatus, after: StatefulSetStatus];

const vectors = file as unknown as {
  readonly ordinals: readonly (readonly [name: string, parent: string, ordinal: number])[];
  readonly ranges: readonly (readonly [start: number, replicas: number, pod: string, isInRange: boolean])[];
  readonly maxUnavailable: readonly (readonly [IntOrString | null, replicas: number, number: number, error: string])[];
  readonly claims: readonly ClaimRow[];
  readonly updates: readonly UpdateRow[];
};

/** Go leaves out counts of 0. */
const NONE = { readyReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };

const setOf = (spec: Partial<StatefulSetSpec>): StatefulSet =>
  stored(StatefulSets, {
    metadata: { name: "web", namespace: "default", uid: "web-uid" },
    spec: { selector: {}, template: {}, ...spec },
  });
const podOf = (name: string): StoredPod =>
  stored(Pods, { metadata: { name, namespace: "default", uid: `${name}-uid` } });

it.each(vectors.ordinals)("statefulset/5 reads the ordinal of %s as upstream does", (name, parent, ordinal) => {
  expect(parentAndOrdinal(name)).toEqual({ parent, ordinal });
});

it("statefulset/5 wants the ordinals that upstream wants", () => {
  for (const [start, replicas, pod, isWanted] of vectors.ranges) {
    const found = isInRange(setOf({ replicas, ordinals: { start } }), podOf(pod));
    expect([start, replicas, pod, found]).toEqual([start, replicas, pod, isWanted]);
  }
});

it.each(vectors.maxUnavailable)(
  "statefulset/13 with maxUnavailable %s and %d replicas may miss as many as upstream",
  (value, replicas, number, error) => {
    const rollingUpdate = value === null ? {} : { maxUnavailable: value };
    const asked = (): number => maxUnavailable(setOf({ replicas, updateStrategy: { rollingUpdate } }));
    if (error === "") expect(asked()).toBe(number);
    else expect(asked).toThrow(error);
  },
);

it("statefulset/15 gives claims the owners that upstream gives them", () => {
  for (const row of vectors.claims) {
    const [policy, podName, before, isRight, after] = row;
    const set = setOf({ replicas: 2, ...(policy === null ? {} : { persistentVolumeClaimRetentionPolicy: policy }) });
    const [pod, metadata] = [podOf(podName), { name: `data-${podName}`, ownerReferences: before }];
    const claim = stored(PersistentVolumeClaims, { metadata });
    const owners = withWantedOwners(claim, set, pod).metadata.ownerReferences ?? [];
    expect([row, isOwnedAsWanted(claim, set, pod), owners]).toEqual([row, isRight, after ?? []]);
  }
});

it("statefulset/16 ends a rolling update in the status where upstream does", () => {
  for (const [replicas, updateStrategy, before, after] of vectors.updates) {
    const status = { ...NONE, ...before };
    expect(withCompletedUpdate(setOf({ replicas, updateStrategy }), status)).toEqual({ ...NONE, ...after });
  }
});
