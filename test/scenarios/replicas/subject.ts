// ReplicaSet and ReplicationController as subjects of the same scenarios: how to create and read them.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import type { ReplicaSetSpec, ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { ReplicationControllerSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import { apiVersionOf } from "#api/object.ts";
import type { Draft, NamespacedObject, Resource } from "#api/resource.ts";
import { podSpec } from "#test/stage/pods.ts";
import type { ObjectSteps, Scene } from "#test/stage/stage.ts";

/** What both kinds have in common. */
export interface Replicas extends NamespacedObject {
  readonly spec?: ReplicaSetSpec | ReplicationControllerSpec;
  readonly status?: ReplicaSetStatus;
}

/** Changes to the default owner of pods labelled app=<name>. */
export type More = Partial<ReplicaSetSpec>;

export interface Subject {
  readonly resource: Resource<Replicas>;
  /** The prefix of the parity ids of the kind. */
  readonly id: "replicaset" | "replicationcontroller";
  make(name: string, replicas: number, more?: More, metadata?: ObjectMeta): Draft<Replicas>;
}

function specOf(name: string, replicas: number, more: More = {}): ReplicaSetSpec {
  const labels = { app: name };
  return { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec }, ...more };
}

export const replicaSets: Subject = {
  resource: ReplicaSets as Resource<Replicas>,
  id: "replicaset",
  make: (name, replicas, more, metadata) => ({ metadata: { ...metadata, name }, spec: specOf(name, replicas, more) }),
};

export const replicationControllers: Subject = {
  resource: ReplicationControllers as Resource<Replicas>,
  id: "replicationcontroller",
  make: (name, replicas, more, metadata) => {
    const { selector, ...spec } = specOf(name, replicas, more);
    const plain = selector.matchLabels === undefined ? {} : { selector: selector.matchLabels };
    return { metadata: { ...metadata, name }, spec: { ...spec, ...plain } };
  },
};

export interface Controls {
  objects(stage: Scene): ObjectSteps<Replicas>;
  /** A reference to an owner called "web" that is not the controller. */
  reference(uid: string): OwnerReference;
  create(stage: Scene, replicas: number, more?: More, metadata?: ObjectMeta): Promise<Replicas>;
  scale(stage: Scene, replicas: number, name?: string): Promise<Replicas>;
  /** Waits until the status has caught up with the spec and has this number of replicas. */
  untilReplicas(stage: Scene, replicas: number, name?: string): Promise<Replicas>;
  /** Waits for these counts; a missing count is 0. */
  untilStatus(stage: Scene, wanted: Partial<ReplicaSetStatus>, name?: string): Promise<Replicas>;
}

/** The owner is called "web" unless a name is given. */
export function controls({ resource, make }: Subject): Controls {
  const self: Controls = {
    objects: (stage) => stage.of(resource),
    reference: (uid) => ({ apiVersion: apiVersionOf(resource), kind: resource.kind, name: "web", uid }),
    async create(stage, replicas, more, metadata) {
      await stage.of(resource).create(make("web", replicas, more, metadata));
      return self.untilReplicas(stage, replicas);
    },
    async scale(stage, replicas, name = "web") {
      await stage.of(resource).patch(name, { spec: { replicas } });
      return self.untilReplicas(stage, replicas, name);
    },
    untilReplicas: (stage, replicas, name = "web") =>
      stage
        .of(resource)
        .until(
          name,
          ({ metadata, status }) => status?.observedGeneration === metadata.generation && status?.replicas === replicas,
        ),
    untilStatus: (stage, wanted, name = "web") =>
      stage.of(resource).until(name, ({ status }) => {
        const found = (status ?? {}) as Readonly<Record<string, unknown>>;
        return Object.entries(wanted).every(([field, value]) => (found[field] ?? 0) === value);
      }),
  };
  return self;
}
