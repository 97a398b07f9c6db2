// Two owners of one controller, and a stranger: whose pods count as company when one of them scales down.

import { ConfigMaps, Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { listPods, makeReady, nameOf, untilPods } from "./pod-steps.ts";
import { controls, type Subject } from "./replica-subject.ts";
import type { Stage } from "./stage.ts";
import { createObject } from "./steps.ts";

const HOUR = 3_600_000;

/**
 * Scales an owner down from two pods to one: one has been ready for an hour, on the node of its sibling's pod; the
 * other is just ready, on the node of two pods of a stranger. Says which one is left.
 */
export async function survivorAmongSiblings(stage: Stage, subject: Subject): Promise<"crowded" | "young" | "both"> {
  const { scale, until } = controls(subject);
  const made = await createObject(stage, ConfigMaps, { metadata: { name: "parent" } });
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "parent", uid: made.metadata.uid };
  const ownerReferences = [{ ...reference, controller: true }];
  const create = async (name: string, replicas: number, app: string, metadata: object): Promise<readonly Pod[]> => {
    const labels = { app };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
    const object = subject.make(name, replicas, { selector: { matchLabels: labels }, template });
    await createObject(stage, subject.resource, { ...object, metadata: { name, ...metadata } });
    const isOwn = (pod: Pod): boolean => pod.metadata?.labels?.app === app;
    return (await untilPods(stage, (pods) => pods.filter(isOwn).length === replicas)).filter(isOwn);
  };
  const [crowded, young] = (await create("web", 2, "web", { ownerReferences })) as [Pod, Pod];
  const siblings = await create("sibling", 1, "sibling", { ownerReferences });
  const strangers = await create("stranger", 2, "stranger", {});
  for (const pod of [crowded, ...siblings]) await bind(stage, pod, "node-1");
  for (const pod of [young, ...strangers]) await bind(stage, pod, "node-2");
  await makeReady(stage, crowded, stage.now() - HOUR);
  await makeReady(stage, young);
  await until(stage, ({ status }) => status?.readyReplicas === 2);
  await scale(stage, 1);
  const left = (await listPods(stage)).filter(({ metadata }) => metadata?.deletionTimestamp === undefined).map(nameOf);
  if (!left.includes(nameOf(young))) return "crowded";
  return left.includes(nameOf(crowded)) ? "both" : "young";
}

/** What a scheduler does. */
async function bind(stage: Stage, pod: Pod, node: string): Promise<void> {
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const object = { apiVersion: "v1", kind: "Binding", metadata: { name: nameOf(pod) }, target };
  await stage.do((client, signal) =>
    client
      .resource(Pods)
      .createSubresource<object>(
        { namespace: stage.namespace, name: nameOf(pod), subresource: "binding", object },
        signal,
      ),
  );
}
