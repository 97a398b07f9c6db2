// The sizes of ReplicaSets in a rollout, compared with upstream's (tools/go/vectors-deployment).

import { expect, it } from "vitest";
import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { IntOrString } from "#api/int-or-string.ts";
import { stored } from "#api/testing.ts";
import file from "#test/vectors/deployment.json" with { type: "json" };
import { type ReplicaSet, type Rollout, replicasOf } from "./model.ts";
import { growNew, type Resize, shrinkOld, spread } from "./resizing.ts";
import { maxSurge, maxUnavailable } from "./sizes.ts";

interface Set {
  readonly name: string;
  readonly age: number;
  readonly replicas: number;
  readonly available: number;
  readonly noted?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly resized: readonly { readonly name: string; readonly size: number }[];
  readonly isScaled: boolean;
}

interface Vector {
  readonly replicas: number;
  readonly total: number;
  readonly strategy: string;
  readonly maxSurge?: IntOrString;
  readonly maxUnavailable?: IntOrString;
  readonly new: Set;
  readonly old: readonly Set[] | null;
  readonly surge: number;
  readonly unavailable: number;
  readonly grow: Outcome;
  readonly shrink: Outcome;
  readonly scale: Outcome;
}

const vectors = file as unknown as readonly Vector[];

function setOf({ name, age, replicas, available, noted = {} }: Set): ReplicaSet {
  const creationTimestamp = `2026-01-01T00:00:${String(59 - age).padStart(2, "0")}Z`;
  return stored(ReplicaSets, {
    metadata: { name, namespace: "default", creationTimestamp, annotations: { ...noted } },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  });
}

function rolloutOf(vector: Vector): Rollout {
  const { replicas, total, strategy, maxSurge = 0, maxUnavailable = 0, old } = vector;
  const rollingUpdate = { maxSurge, maxUnavailable };
  const deployment = stored(Deployments, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: strategy === "Recreate" ? { type: strategy } : { type: strategy, rollingUpdate },
    },
    status: { replicas: total },
  });
  return { deployment, newSet: setOf(vector.new), oldSets: (old ?? []).map(setOf) };
}

/** The sizes that a step writes, in order. */
async function sizesOf(step: (resize: Resize) => Promise<boolean | undefined>): Promise<Outcome> {
  const resized: { name: string; size: number }[] = [];
  const isScaled = await step(async (set, size) => {
    if (replicasOf(set) === size) return { isScaled: false, set };
    resized.push({ name: set.metadata.name, size });
    return { isScaled: true, set: { ...set, spec: { selector: {}, ...set.spec, replicas: size } } };
  });
  return { resized, isScaled: isScaled ?? false };
}

it("deployment/12 rounds surge and unavailable replicas as upstream does", () => {
  for (const vector of vectors) {
    const { deployment } = rolloutOf(vector);
    const found = [maxSurge(deployment), maxUnavailable(deployment)];
    expect(found, JSON.stringify(vector)).toEqual([vector.surge, vector.unavailable]);
  }
});

it("deployment/6, deployment/13 grows the new ReplicaSet as upstream does", async () => {
  for (const vector of vectors) {
    const found = await sizesOf((resize) => growNew(rolloutOf(vector), resize));
    expect(found, JSON.stringify(vector)).toEqual(vector.grow);
  }
});

it("deployment/13 shrinks old ReplicaSets as upstream does, and not by a status that is behind", async () => {
  for (const vector of vectors) {
    const found = await sizesOf((resize) => shrinkOld(rolloutOf(vector), resize));
    expect(found, JSON.stringify(vector)).toEqual(vector.shrink);
  }
});

it("deployment/10, deployment/11 spreads a new size over all ReplicaSets as upstream does", async () => {
  for (const vector of vectors) {
    const found = await sizesOf(async (resize) => {
      await spread(rolloutOf(vector), resize);
      return undefined;
    });
    expect(found, JSON.stringify(vector)).toEqual(vector.scale);
  }
});
