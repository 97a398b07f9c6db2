// The ReplicaSet of a scenario, and the questions that scenarios ask about it.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { Draft, ObjectOf } from "#api/resource.ts";
import { podSpec } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export type StoredSet = ObjectOf<typeof ReplicaSets>;

type SetSpec = NonNullable<ReplicaSet["spec"]>;

/** A ReplicaSet of pods labelled app=<name>. `more` is merged into its spec. */
export function replicaSet(name: string, replicas: number, more: Partial<SetSpec> = {}): Draft<StoredSet> {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec }, ...more },
  };
}

/** Creates "web" and waits for its pods. */
export async function createSet(stage: Stage, replicas: number, more?: Partial<SetSpec>): Promise<StoredSet> {
  await stage.of(ReplicaSets).create(replicaSet("web", replicas, more));
  return untilReplicas(stage, replicas);
}

/** The status has caught up with the spec and counts so many. */
export function untilReplicas(stage: Stage, replicas: number, name = "web"): Promise<StoredSet> {
  return stage
    .of(ReplicaSets)
    .until(
      name,
      ({ metadata, status }) => status?.observedGeneration === metadata.generation && status?.replicas === replicas,
    );
}

export async function scaleTo(stage: Stage, replicas: number, name = "web"): Promise<StoredSet> {
  await stage.of(ReplicaSets).patch(name, { spec: { replicas } });
  return untilReplicas(stage, replicas, name);
}
