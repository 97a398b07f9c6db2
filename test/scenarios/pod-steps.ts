// Steps that scenarios take with pods: what users, schedulers and kubelets would do to them.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { Stage } from "./stage.ts";

export function barePod(
  name: string,
  podLabels: Readonly<Record<string, string>> = { app: "web" },
): Draft<Stored<Pod>> {
  return {
    metadata: { name, labels: podLabels },
    spec: { containers: [{ name: "main", image: "example/web:1" }] },
  };
}

export function listPods(stage: Stage): Promise<readonly Pod[]> {
  return stage.do(async (client, signal) => {
    const list = await client.resource(Pods).list({ namespace: stage.namespace }, signal);
    return list.items;
  });
}

export function untilPods(stage: Stage, test: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
  return stage.until(async (client, signal) => {
    const { items } = await client.resource(Pods).list({ namespace: stage.namespace }, signal);
    return test(items) ? items : undefined;
  });
}

/** What a kubelet reports about a pod. */
export async function setPodStatus(stage: Stage, name: string, status: Pod["status"]): Promise<void> {
  await stage.do(async (client, signal) => {
    const pods = client.resource(Pods);
    await pods.patch(
      { namespace: stage.namespace, name, type: "merge", patch: { status }, subresource: "status" },
      signal,
    );
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
    client.resource(Pods).patch(
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
    client.resource(Pods).patch(
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

export const nameOf = (pod: Pod): string => pod.metadata?.name ?? "";
export const ownerUid = (pod: Pod): string | undefined => pod.metadata?.ownerReferences?.find((r) => r.controller)?.uid;
