// The Deployment of the scenarios, and waits for its state.

import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { DeploymentCondition, DeploymentSpec } from "#api/generated/types/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { isTerminating, makeReady, type StoredPod } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export type Deployment = ObjectOf<typeof Deployments>;
export type ReplicaSet = ObjectOf<typeof ReplicaSets>;

export const REVISION = "deployment.kubernetes.io/revision";
const labels = { app: "web" };

export const template = (image: string): PodTemplateSpec => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }] },
});

/** Creates a Deployment called web that replaces its pods one by one. */
export function createDeployment(
  stage: Stage,
  replicas: number,
  more: Partial<DeploymentSpec> = {},
): Promise<Deployment> {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  return stage.of(Deployments).create({
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: template("example/web:1"),
      strategy: { type: "RollingUpdate", rollingUpdate },
      ...more,
    },
  });
}

export function setImage(stage: Stage, image: string): Promise<Deployment> {
  const containers = [{ name: "main", image }];
  return stage.of(Deployments).patch("web", { spec: { template: { spec: { containers } } } }, { type: "strategic" });
}

const imageOf = ({ spec }: ReplicaSet): string => spec?.template?.spec?.containers[0]?.image ?? "";
const podImage = ({ spec }: StoredPod): string => spec?.containers[0]?.image ?? "";

/** Waits until the ReplicaSet of this image exists and the predicate holds. */
export async function untilSet(
  stage: Stage,
  image: string,
  holds: (set: ReplicaSet) => boolean = () => true,
): Promise<ReplicaSet> {
  const find = (sets: readonly ReplicaSet[]): ReplicaSet | undefined =>
    sets.find((set) => imageOf(set) === image && holds(set));
  const sets = await stage.of(ReplicaSets).untilAll((found) => find(found) !== undefined);
  return find(sets) as ReplicaSet;
}

export const untilSize = (stage: Stage, image: string, replicas: number): Promise<ReplicaSet> =>
  untilSet(stage, image, ({ spec, status }) => spec?.replicas === replicas && (status?.replicas ?? 0) === replicas);

/** Acts as the kubelets: makes `count` pods of this image ready, each in a separate phase. */
export async function becomeReady(stage: Stage, image: string, count: number): Promise<void> {
  const living = (pods: readonly StoredPod[]): readonly StoredPod[] =>
    pods.filter((pod) => podImage(pod) === image && !isTerminating(pod));
  await stage.of(Pods).untilAll((pods) => living(pods).length === count);
  for (const { metadata, status } of living(await stage.of(Pods).list())) {
    if (status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True")) continue;
    await stage.settle();
    await makeReady(stage, metadata.name);
  }
}

export function untilComplete(stage: Stage, replicas: number): Promise<Deployment> {
  return stage.of(Deployments).until("web", ({ status, metadata }) => {
    const { replicas: all, updatedReplicas, availableReplicas, observedGeneration } = status ?? {};
    const counts = [all ?? 0, updatedReplicas ?? 0, availableReplicas ?? 0];
    return observedGeneration === metadata.generation && counts.every((count) => count === replicas);
  });
}

export const condition = ({ status }: Deployment, type: string): DeploymentCondition | undefined =>
  status?.conditions?.find((candidate) => candidate.type === type);

export const untilProgress = (stage: Stage, reason: string): Promise<Deployment> =>
  stage.of(Deployments).until("web", (deployment) => condition(deployment, "Progressing")?.reason === reason);
