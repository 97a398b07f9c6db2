// Scenarios about the end of a ReplicaSet. Whether its controller sees the set's deletion first or what becomes of its
// pods is chance, in Go too, and decides what it does. Here the scenario decides: it holds back what comes second. And
// a finalizer keeps the set until its controller has written the last status.
// One order is not played: a set whose pods are seen to go before its own deletion. It replaces them, but a pod ends in two
// events, terminating and gone, and whether its controller counts between them is chance that no held watch decides.

import type { KubeObject } from "#api/object.ts";
import type { Play, Scenario } from "./scenario.ts";

const HOLD = "example.com/hold";

export const endingScenarios: readonly Scenario[] = [
  {
    name: "recreated",
    about: "a ReplicaSet deleted without its pods and created again adopts them",
    company: "none",
    async play(play) {
      await kept(play, 2, "first", "second");
      await orphan(play);
      await play.owner("web", 3);
      await play.untilStatus("web", { replicas: 3 });
    },
  },
  {
    name: "inherited",
    about: "the pods of a ReplicaSet deleted without them go to another one with the same selector",
    company: "none",
    async play(play) {
      await kept(play, 2, "first", "second");
      await orphan(play);
      const labels = { app: "web" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "y" }] } };
      await play.owner("heir", 2, { selector: { matchLabels: labels }, template });
      await play.untilStatus("heir", { replicas: 2 });
    },
  },
  {
    name: "orphans-first",
    about: "a ReplicaSet that learns of its orphans before its deletion asks the server, and adopts none",
    company: "none",
    async play(play) {
      await kept(play, 2, "first", "second");
      play.hold("replicasets");
      await play.delete("replicasets/web", { propagationPolicy: "Orphan" });
      await untilFinalizers(play, [HOLD]);
      await play.untilRead("replicasets", "web");
      play.release("replicasets");
      await play.untilStatus("web", { replicas: 0, observedGeneration: 2 });
      await end(play);
    },
  },
  {
    name: "foreground",
    about: "a ReplicaSet deleted in the foreground creates nothing and keeps its status while its pods go",
    company: "none",
    async play(play) {
      const [held = ""] = await kept(play, 3, "held", "second", "third");
      await play.patch(`pods/${held}`, { metadata: { finalizers: [HOLD] } });
      await play.settle();
      play.hold("pods");
      await play.delete("replicasets/web", { propagationPolicy: "Foreground" });
      await play.untilStatus("web", { observedGeneration: 2 });
      await play.settle();
      play.release("pods");
      await play.untilStatus("web", { replicas: 0, terminatingReplicas: 1 });
      await end(play);
    },
  },
];

/** A ReplicaSet that does not go before the scenario lets it, and the names of its pods. */
async function kept(play: Play, replicas: number, ...symbols: readonly string[]): Promise<readonly string[]> {
  await play.owner("web", replicas);
  await play.untilStatus("web", { replicas });
  const names = await play.call(...symbols);
  await play.patch("replicasets/web", { metadata: { finalizers: [HOLD] } });
  await play.settle();
  return names;
}

/** Deletes the ReplicaSet without its pods, as its controller sees it: the deletion, then the orphans. */
async function orphan(play: Play): Promise<void> {
  play.hold("pods");
  play.hold("replicasets");
  await play.delete("replicasets/web", { propagationPolicy: "Orphan" });
  // The garbage collector has done its part: the set that the status is written into changes no more.
  await untilFinalizers(play, [HOLD]);
  play.release("replicasets");
  await play.untilStatus("web", { observedGeneration: 2 });
  await play.settle();
  play.release("pods");
  await play.untilStatus("web", { replicas: 0 });
  await end(play);
}

/** Lets go of a ReplicaSet that has no more pods: with pods, their end would come before or after it. */
async function end(play: Play): Promise<void> {
  await play.settle();
  await play.patch("replicasets/web", { metadata: { finalizers: null } });
  await play.untilGone("replicasets/web");
  await play.settle();
}

async function untilFinalizers(play: Play, wanted: readonly string[]): Promise<void> {
  await play.until(`finalizers ${wanted}`, async () => {
    const { metadata } = (await play.get<KubeObject>("replicasets/web")) ?? {};
    return `${metadata?.finalizers}` === `${wanted}` ? true : undefined;
  });
}
