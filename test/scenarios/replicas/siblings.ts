// Two owners of one controller, and an unrelated owner: whose pods count as neighbours during a scale-down.

import { ConfigMaps, Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { bind, callPods, isTerminating, makeReady } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";
import { controls, type Subject } from "./subject.ts";

const HOUR_MS = 3_600_000;

/**
 * Scales an owner down from two pods to one. One pod has been ready for an hour and is on the node of its sibling's
 * pod; the other has just become ready and is on the node of two unrelated pods. Returns which one is left.
 */
export async function survivorAmongSiblings(stage: Stage, subject: Subject): Promise<"crowded" | "young" | "both"> {
  const { objects, scale, untilReplicas, untilStatus } = controls(subject);
  const { uid } = (await stage.of(ConfigMaps).create({ metadata: { name: "parent" } })).metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "parent", uid, controller: true }];
  const create = async (name: string, symbols: readonly string[], metadata: ObjectMeta): Promise<readonly string[]> => {
    await objects(stage).create(subject.make(name, symbols.length, {}, metadata));
    await untilReplicas(stage, symbols.length, name);
    return callPods(stage, ...symbols);
  };
  const [crowded = "", young = ""] = await create("web", ["crowded", "young"], { ownerReferences });
  const siblings = await create("sibling", ["sibling"], { ownerReferences });
  const strangers = await create("stranger", ["stranger-1", "stranger-2"], {});
  for (const pod of [crowded, ...siblings]) await bind(stage, pod, "node-1");
  for (const pod of [young, ...strangers]) await bind(stage, pod, "node-2");
  await makeReady(stage, crowded, stage.now() - HOUR_MS);
  await makeReady(stage, young);
  await untilStatus(stage, { readyReplicas: 2 });
  await stage.settle();
  await scale(stage, 1);
  const left = (await stage.of(Pods).list()).filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name);
  if (!left.includes(young)) return "crowded";
  return left.includes(crowded) ? "both" : "young";
}
