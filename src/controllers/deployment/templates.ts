// Which ReplicaSet has the Deployment's template, and the form of a new one.
// Upstream: pkg/controller/deployment/util/deployment_util.go, EqualIgnoreHash, FindNewReplicaSet; sync.go.

import { semanticEqual } from "#api/equality.ts";
import { Deployments } from "#api/generated/resources/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import { podTemplateHash } from "#api/hash.ts";
import { lazy } from "#api/lazy.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { Draft } from "#api/resource.ts";
import { schemaOfType } from "#api/schema-table.ts";
import { olderFirst } from "#kit/order.ts";
import { type Deployment, HASH_LABEL, type ReplicaSet, replicasOf, sum } from "./model.ts";
import { newSetAnnotations, replicasAnnotations } from "./revisions.ts";
import { maxSurge, newSetSize } from "./sizes.ts";

const NAME_CHARACTERS_MAX = 253;
const TEMPLATE = lazy(() => schemaOfType("core.v1", "PodTemplateSpec"));

/** Equal except for the pod-template-hash label. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return semanticEqual(withoutHash(a), withoutHash(b), TEMPLATE());
}

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { metadata, ...rest } = template ?? {};
  const { [HASH_LABEL]: _, ...labels } = metadata?.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}

/** The oldest ReplicaSet with the Deployment's template is the new one, the others are old. */
export function newAndOld(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): { readonly newSet: ReplicaSet | undefined; readonly oldSets: readonly ReplicaSet[] } {
  const sorted = sets.toSorted(olderFirst);
  const newSet = sorted.find(({ spec }) => isSameTemplate(spec?.template, deployment.spec?.template));
  return { newSet, oldSets: sorted.filter((set) => set !== newSet) };
}

/** The ReplicaSet to create. Its name depends on the template, so that two creates cannot make two sets. */
export function newReplicaSet(
  deployment: Deployment,
  oldSets: readonly ReplicaSet[],
  revision: number,
): Draft<ReplicaSet> & { readonly metadata: { readonly name: string } } {
  const { spec, status, metadata } = deployment;
  const template = spec?.template ?? {};
  const hash = podTemplateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const { matchLabels, ...selector } = spec?.selector ?? {};
  const { annotations } = newSetAnnotations({}, deployment, revision);
  const replicas = replicasOf(deployment);
  return {
    metadata: {
      name: setName(metadata.name, hash),
      namespace: metadata.namespace,
      labels,
      annotations: { ...annotations, ...replicasAnnotations(replicas, replicas + maxSurge(deployment)) },
      ownerReferences: [newControllerRef(deployment, Deployments)],
    },
    spec: {
      replicas: newSetSize(deployment, 0, sum(oldSets, replicasOf)),
      ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The Deployment's name, shortened to fit. */
export function setName(deployment: string, hash: string): string {
  const room = NAME_CHARACTERS_MAX - 1 - hash.length;
  return `${room > 0 ? deployment.slice(0, room) : deployment}-${hash}`;
}
