// ReplicaSet and ReplicationController as the subject of the same case: how one is made, and how it is asked.

import type { ReplicaSet, ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { replicaSet, setsGvr } from "./replica-objects.ts";
import type { Stage } from "./stage.ts";
import { createObject } from "./steps.ts";

export interface Replicas extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly template?: PodTemplateSpec };
  readonly status?: ReplicaSetStatus;
}

export interface Subject {
  readonly gvr: { readonly group: string; readonly version: string; readonly resource: string };
  readonly apiVersion: string;
  readonly kind: string;
  make(name: string, replicas: number, more?: object): Replicas;
}

export const replicaSets: Subject = {
  gvr: setsGvr,
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  make: (name, replicas, more) => ({ ...replicaSet(replicas, more), metadata: { name } }),
};

export const replicationControllers: Subject = {
  gvr: { group: "", version: "v1", resource: "replicationcontrollers" },
  apiVersion: "v1",
  kind: "ReplicationController",
  make(name, replicas, more) {
    const { spec } = replicaSet(replicas, more) as Required<ReplicaSet>;
    return {
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { name },
      spec: { ...spec, selector: spec.selector.matchLabels } as Replicas["spec"],
    } as Replicas;
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
export function controls({ gvr, apiVersion, kind, make }: Subject): Controls {
  const self: Controls = {
    reference: (uid) => ({ apiVersion, kind, name: "web", uid }),
    get: (stage, name = "web") =>
      stage.do((client, signal) => client.resource<Replicas>(gvr).get({ namespace: stage.namespace, name }, signal)),
    until: (stage, test) =>
      stage.until(async (client, signal) => {
        const found = await client.resource<Replicas>(gvr).get({ namespace: stage.namespace, name: "web" }, signal);
        return test(found) ? found : undefined;
      }),
    untilStable: (stage, replicas) =>
      self.until(
        stage,
        ({ metadata, status }) => status?.observedGeneration === metadata?.generation && status?.replicas === replicas,
      ),
    async create(stage, replicas, more) {
      await createObject(stage, gvr, make("web", replicas, more));
      return self.untilStable(stage, replicas);
    },
    patch: (stage, change) =>
      stage.do((client, signal) =>
        client
          .resource<Replicas>(gvr)
          .patch({ namespace: stage.namespace, name: "web", type: "merge", patch: change }, signal),
      ),
    async scale(stage, replicas) {
      await self.patch(stage, { spec: { replicas } });
      return self.untilStable(stage, replicas);
    },
  };
  return self;
}
