// The budgets of the scenarios, and the pods that they protect.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from "#api/generated/types/policy-v1.ts";
import type { Condition, LabelSelector, OwnerReference } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import { barePod, callPods, makeReady, podSpec } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

type Budget = ObjectOf<typeof PodDisruptionBudgets>;

const labels = { app: "web" };

/** Creates a budget for the pods of app=web, called web unless named. */
export function createBudget(stage: Stage, spec: PodDisruptionBudgetSpec, name = "web"): Promise<Budget> {
  return stage
    .of(PodDisruptionBudgets)
    .create({ metadata: { name }, spec: { selector: { matchLabels: labels }, ...spec } });
}

export function untilCounts(stage: Stage, counts: PodDisruptionBudgetStatus, name = "web"): Promise<Budget> {
  const wanted = Object.entries(counts);
  return stage
    .of(PodDisruptionBudgets)
    .until(name, ({ status = {} }) =>
      wanted.every(([field, value]) => status[field as keyof PodDisruptionBudgetStatus] === value),
    );
}

export function allowedCondition({ status }: Budget): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
}

/** Creates ready pods of app=web without a controller. */
export async function readyPods(stage: Stage, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await stage.of(Pods).create(barePod(name));
    await makeReady(stage, name);
  }
  await stage.settle();
}

/** Creates a ready pod that the owner controls. */
export async function controlledPod(stage: Stage, name: string, owner: OwnerReference): Promise<void> {
  await stage.of(Pods).create(barePod(name, labels, { ownerReferences: [{ ...owner, controller: true }] }));
  await makeReady(stage, name);
  await stage.settle();
}

export const template: PodTemplateSpec = { metadata: { labels }, spec: podSpec };
export const selector: LabelSelector = { matchLabels: labels };

/** Creates a ReplicaSet called web whose first pods are ready; returns the names of the pods. */
export async function readySet(stage: Stage, replicas: number, ready: number = replicas): Promise<readonly string[]> {
  await stage.of(ReplicaSets).create({ metadata: { name: "web" }, spec: { replicas, selector, template } });
  await stage.of(Pods).untilAll((pods) => pods.length === replicas);
  const names = await callPods(stage, ...["first", "second", "third", "fourth"].slice(0, replicas));
  for (const name of names.slice(0, ready)) await makeReady(stage, name);
  await stage.of(ReplicaSets).until("web", ({ status }) => (status?.readyReplicas ?? 0) === ready);
  await stage.settle();
  return names;
}

export async function evict(stage: Stage, name: string): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: stage.namespace } };
  await stage.of(Pods).post(name, "eviction", eviction);
}
