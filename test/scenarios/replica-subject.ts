// ReplicaSet and ReplicationController as the subject of the same case: how one is made, and how it is asked.

import { ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import type { ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { apiVersionOf } from "#api/object.ts";
import type { Draft, NamespacedObject, Resource } from "#api/resource.ts";
import { replicaSet } from "./replica-objects.ts";
import type { Stage } from "./stage.ts";
import { createObject } from "./steps.ts";

export interface Replicas extends NamespacedObject {
  readonly spec?: { readonly replicas?: number; readonly template?: PodTemplateSpec };
  readonly status?: ReplicaSetStatus;
}

export interface Subject {
  readonly resource: Resource<Replicas>;
  make(name: string, replicas: number, more?: object): Draft<Replicas>;
}

export const replicationControllers: Subject = {
  resource: ReplicationControllers,
  make(name, replicas, more) {
    const { spec } = replicaSet(replicas, more);
    return { metadata: { name }, spec: { ...spec, selector: spec?.selector.matchLabels } as object };
  },
};

interface Controls {
  /** The reference of a plain owner. */
  reference(uid: string): OwnerReference;
  get(stage: Stage, name?: string): Promise<Replicas>;
  until(stage: Stage, test: (found: Replicas) => boolean): Promise<Replicas>;
  /** The status has caught up with the spec and counts so many. */
  untilStable(stage: Stage, replicas: number): Promise<Replicas>;
  create(stage: Stage, replicas: number, more?: object): Promise<Replicas>;
  patch(stage: Stage, change: object): Promise<Replicas>;
  scale(stage: Stage, replicas: number): Promise<Replicas>;
}

/** Everything is called web. */
export function controls({ resource, make }: Subject): Controls {
  const self: Controls = {
    reference: (uid) => ({ apiVersion: apiVersionOf(resource), kind: resource.kind, name: "web", uid }),
    get: (stage, name = "web") =>
      stage.do((client, signal) => client.resource(resource).get({ namespace: stage.namespace, name }, signal)),
    until: (stage, test) =>
      stage.until(async (client, signal) => {
        const found = await client.resource(resource).get({ namespace: stage.namespace, name: "web" }, signal);
        return test(found) ? found : undefined;
      }),
    untilStable: (stage, replicas) =>
      self.until(
        stage,
        ({ metadata, status }) => status?.observedGeneration === metadata.generation && status?.replicas === replicas,
      ),
    async create(stage, replicas, more) {
      await createObject(stage, resource, make("web", replicas, more));
      return self.untilStable(stage, replicas);
    },
    patch: (stage, change) =>
      stage.do((client, signal) =>
        client
          .resource(resource)
          .patch({ namespace: stage.namespace, name: "web", type: "merge", patch: change }, signal),
      ),
    async scale(stage, replicas) {
      await self.patch(stage, { spec: { replicas } });
      return self.untilStable(stage, replicas);
    },
  };
  return self;
}
