// The objects that scenarios about replicas play with, and the questions they ask.

import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { Event, Pod } from "#api/generated/types/core-v1.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { ApiError } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { createObject, listEvents, podsGvr, type Stage, setPodStatus } from "./stage.ts";

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

export function barePod(name: string, podLabels: Readonly<Record<string, string>> = labels): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: podLabels },
    spec: { containers: [{ name: "main", image: "example/web:1" }] },
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

export function untilPods(stage: Stage, test: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource<Pod>(podsGvr).list({ namespace: stage.namespace }, signal);
    return test(items) ? items : undefined;
  });
}

/** An event with this reason; the one that fits when several do. */
export function untilEvent(stage: Stage, test: (event: Event) => boolean): Promise<Event> {
  return stage.until(async (client, signal) => {
    const { items } = await client
      .resource<Event>({ group: "", version: "v1", resource: "events" })
      .list({ namespace: stage.namespace }, signal);
    return items.find(test);
  });
}

/** What a kubelet says of a pod that runs and is ready. */
export function makeReady(stage: Stage, pod: Pod, sinceMs: number = stage.now()): Promise<void> {
  return setPodStatus(stage, pod.metadata?.name ?? "", {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(sinceMs) }],
  });
}

export async function annotatePod(
  stage: Stage,
  pod: Pod,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  await stage.do((client, signal) =>
    client.resource<Pod>(podsGvr).patch(
      {
        namespace: stage.namespace,
        name: pod.metadata?.name ?? "",
        type: "merge",
        patch: { metadata: { annotations } },
      },
      signal,
    ),
  );
}

export async function labelPod(
  stage: Stage,
  pod: Pod,
  podLabels: Readonly<Record<string, string | null>>,
): Promise<void> {
  await stage.do((client, signal) =>
    client.resource<Pod>(podsGvr).patch(
      {
        namespace: stage.namespace,
        name: pod.metadata?.name ?? "",
        type: "merge",
        patch: { metadata: { labels: podLabels } },
      },
      signal,
    ),
  );
}

export async function deletePod(stage: Stage, pod: Pod, options: DeleteOptions = {}): Promise<void> {
  await stage.do((client, signal) =>
    client.resource<Pod>(podsGvr).delete({ namespace: stage.namespace, name: nameOf(pod), options }, signal),
  );
}

/** Holds a pod when it is deleted. */
export const addFinalizer = (stage: Stage, name: string): Promise<void> =>
  setFinalizers(stage, name, ["example.com/hold"]);
export const removeFinalizers = (stage: Stage, name: string): Promise<void> => setFinalizers(stage, name, null);

async function setFinalizers(stage: Stage, name: string, finalizers: readonly string[] | null): Promise<void> {
  const patch = { metadata: { finalizers } };
  await stage.do((client, signal) =>
    client.resource(podsGvr).patch({ namespace: stage.namespace, name, type: "merge", patch }, signal),
  );
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

export const nameOf = (pod: Pod): string => pod.metadata?.name ?? "";
export const ownerUid = (pod: Pod): string | undefined => pod.metadata?.ownerReferences?.find((r) => r.controller)?.uid;

export { listEvents };
