// The objects that scenarios about replicas play with, and the questions they ask.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";
import { ApiError } from "#api/status-error.ts";
import type { Stage } from "./stage.ts";
import { createObject } from "./steps.ts";

const labels = { app: "web" };

export function replicaSet(
  replicas: number,
  more: Partial<NonNullable<ReplicaSet["spec"]>> = {},
): Draft<Stored<ReplicaSet>> {
  return {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
      ...more,
    },
  };
}

export async function createSet(stage: Stage, replicas: number, more = {}): Promise<Stored<ReplicaSet>> {
  await createObject(stage, ReplicaSets, replicaSet(replicas, more));
  return untilReplicas(stage, replicas);
}

export async function scaleTo(stage: Stage, replicas: number): Promise<Stored<ReplicaSet>> {
  await patchSet(stage, { spec: { replicas } });
  return untilReplicas(stage, replicas);
}

export function patchSet(stage: Stage, patch: object): Promise<Stored<ReplicaSet>> {
  return stage.do((client, signal) =>
    client.resource(ReplicaSets).patch({ namespace: stage.namespace, name: "web", type: "merge", patch }, signal),
  );
}

/** The status has caught up with the spec and counts so many. */
export function untilReplicas(stage: Stage, replicas: number): Promise<Stored<ReplicaSet>> {
  return untilSet(
    stage,
    ({ metadata, status }) => status?.observedGeneration === metadata.generation && status?.replicas === replicas,
  );
}

export function untilSet(stage: Stage, test: (set: Stored<ReplicaSet>) => boolean): Promise<Stored<ReplicaSet>> {
  return stage.until(async (client, signal) => {
    const set = await client.resource(ReplicaSets).get({ namespace: stage.namespace, name: "web" }, signal);
    return test(set) ? set : undefined;
  });
}

/** What a server answers that does not want something. */
export function refusal(code: number, reason: string): ApiError {
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: `it is ${reason}`,
  });
}
export const forbidden: ApiError = refusal(403, "Forbidden");
export const EVERY_TIME: number = Number.POSITIVE_INFINITY;
