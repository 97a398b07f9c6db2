// The objects that scenarios about replicas play with, and the questions they ask.

import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import { ApiError } from "#api/status-error.ts";
import type { Stage } from "./stage.ts";
import { createObject } from "./steps.ts";

export const setsGvr = { group: "apps", version: "v1", resource: "replicasets" };
const labels = { app: "web" };

export function replicaSet(replicas: number, more: Partial<NonNullable<ReplicaSet["spec"]>> = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
      ...more,
    },
  };
}

export function getSet(stage: Stage): Promise<ReplicaSet> {
  return stage.do((client, signal) =>
    client.resource<ReplicaSet>(setsGvr).get({ namespace: stage.namespace, name: "web" }, signal),
  );
}

export async function createSet(stage: Stage, replicas: number, more = {}): Promise<ReplicaSet> {
  await createObject(stage, setsGvr, replicaSet(replicas, more));
  return untilReplicas(stage, replicas);
}

export async function scaleTo(stage: Stage, replicas: number): Promise<ReplicaSet> {
  await patchSet(stage, { spec: { replicas } });
  return untilReplicas(stage, replicas);
}

export function patchSet(stage: Stage, patch: object): Promise<ReplicaSet> {
  return stage.do((client, signal) =>
    client
      .resource<ReplicaSet>(setsGvr)
      .patch({ namespace: stage.namespace, name: "web", type: "merge", patch }, signal),
  );
}

/** The status has caught up with the spec and counts so many. */
export function untilReplicas(stage: Stage, replicas: number): Promise<ReplicaSet> {
  return untilSet(
    stage,
    ({ metadata, status }) => status?.observedGeneration === metadata?.generation && status?.replicas === replicas,
  );
}

export function untilSet(stage: Stage, test: (set: ReplicaSet) => boolean): Promise<ReplicaSet> {
  return stage.until(async (client, signal) => {
    const set = await client.resource<ReplicaSet>(setsGvr).get({ namespace: stage.namespace, name: "web" }, signal);
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
