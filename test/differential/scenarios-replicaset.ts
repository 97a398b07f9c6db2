// Scenarios about ReplicaSets. Where several pods could be chosen, the scenario makes one the best choice:
// ties are broken by UIDs, which are chance.

import type { KubeObject } from "#api/object.ts";
import { NAMESPACE, type Play, type Scenario } from "./scenario.ts";

/** Back-off doubles from 5 ms: after so many the next try is 5 s away, and a phase ends before it on a busy machine too. */
export const REFUSALS = 11;

export const replicaSetScenarios: readonly Scenario[] = [
  {
    name: "scale",
    about: "0, 5, 2, 0 replicas",
    async play(play) {
      await play.owner("web", 0);
      await play.untilStatus("web", { observedGeneration: 1 });
      for (const replicas of [5, 2, 0]) {
        await play.settle();
        await play.scale("web", replicas);
        await play.untilStatus("web", { replicas });
      }
    },
  },
  {
    name: "burst",
    about: "60 pods at once: batches, combined events, events cut off after 25",
    async play(play) {
      await play.owner("web", 60);
      await play.untilStatus("web", { replicas: 60 });
      await play.settle();
      await play.scale("web", 0);
      await play.untilStatus("web", { replicas: 0 });
    },
  },
  {
    name: "adopt",
    about: "two matching orphans are adopted, the third pod is created",
    async play(play) {
      await play.pod("first", { app: "web" });
      await play.pod("second", { app: "web", tier: "front" }, { annotations: { kept: "yes" } });
      await play.settle();
      await play.owner("web", 3);
      await play.untilStatus("web", { replicas: 3 });
    },
  },
  {
    name: "adopt-surplus",
    about: "an orphan that comes when all pods are there is adopted and goes first",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      for (const pod of await play.call("a", "b")) await play.bind(pod, "node-1");
      await play.settle();
      await play.pod("late", { app: "web" });
      await play.untilGone("pods/late");
    },
  },
  {
    name: "adopt-refused",
    about: "no adoption across selectors, of owned pods, of finished pods or of pods being deleted",
    async play(play) {
      await play.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } });
      const other = await play.get<KubeObject>("configmaps/other");
      const reference = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "other",
        uid: other?.metadata?.uid,
        controller: true,
      };
      await play.pod("owned", { app: "web" }, { ownerReferences: [reference] });
      await play.pod("mismatch", { app: "other" });
      await play.pod("excluded", { app: "web", tier: "back" });
      await play.pod("finished", { app: "web", tier: "front" });
      await play.patch("pods/finished/status", { status: { phase: "Succeeded" } });
      await play.pod("leaving", { app: "web", tier: "front" }, { finalizers: ["example.com/hold"] });
      await play.delete("pods/leaving");
      await play.settle();
      const notBack = { key: "tier", operator: "NotIn", values: ["back"] };
      await play.owner("web", 1, { selector: { matchLabels: { app: "web" }, matchExpressions: [notBack] } });
      await play.untilStatus("web", { replicas: 1 });
    },
  },
  {
    name: "release",
    about: "a relabelled pod is released and replaced; labelled back it is adopted and goes first",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      const [released = ""] = await play.call("released", "kept");
      await play.settle();
      await play.patch(`pods/${released}`, { metadata: { labels: { app: "debug" } } });
      await play.until("the replacement", async () => ((await play.pods()).length === 3 ? true : undefined));
      await play.untilStatus("web", { replicas: 2 });
      await play.call("replacement");
      for (const { metadata } of await play.pods()) {
        if (metadata?.name !== released) await play.bind(metadata?.name ?? "", "node-1");
      }
      await play.settle();
      await play.patch(`pods/${released}`, { metadata: { labels: { app: "web" } } });
      await play.untilGone(`pods/${released}`);
    },
  },
  {
    name: "deletion-order",
    about: "unassigned, pending, not ready, cheap and often restarted pods go first",
    async play(play) {
      await play.owner("web", 7);
      await play.untilStatus("web", { replicas: 7 });
      const pods = await play.call("unassigned", "pending", "unready", "cheap", "restarted", "dear", "plain");
      const [, , unready = "", cheap = "", restarted = "", dear = ""] = pods;
      for (const pod of pods.slice(1)) await play.bind(pod, "node-1");
      const since = new Date(Date.now() - 3_600_000);
      for (const pod of pods.slice(2)) await play.ready(pod, since);
      const notReady = { type: "Ready", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" };
      await play.patch(`pods/${unready}/status`, { status: { conditions: [notReady] } });
      await play.patch(`pods/${cheap}`, cost("-5"));
      await play.patch(`pods/${dear}`, cost("10"));
      const status = { name: "main", restartCount: 7, image: "x", imageID: "x", ready: true };
      await play.patch(`pods/${restarted}/status`, { status: { containerStatuses: [status] } });
      await play.untilStatus("web", { readyReplicas: 4 });
      for (const replicas of [6, 5, 4, 3, 2, 1]) {
        await play.settle();
        await play.scale("web", replicas);
        await play.untilStatus("web", { replicas });
      }
    },
  },
  {
    name: "deletion-crowd",
    about: "of the revisions of a Deployment, a pod on the more crowded node goes first",
    async play(play) {
      const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "x" }] } };
      const spec = { replicas: 0, paused: true, selector: { matchLabels: { app: "web" } }, template };
      const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "front" }, spec };
      await play.create(deployment);
      const { metadata } = (await play.get<KubeObject>("deployments/front")) ?? {};
      const reference = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "front",
        uid: metadata?.uid,
        controller: true,
      };
      for (const revision of ["old", "new"]) {
        await play.owner(revision, 2);
        await play.untilStatus(revision, { replicas: 2 });
        await play.settle();
        await play.patch(`replicasets/${revision}`, { metadata: { ownerReferences: [reference] } });
        const pods = await play.call(`${revision}-1`, `${revision}-2`);
        const nodes = revision === "old" ? ["node-1", "node-1"] : ["node-1", "node-2"];
        for (const [index, pod] of pods.entries()) await play.bind(pod, nodes[index] ?? "");
      }
      await play.settle();
      await play.scale("new", 1);
      await play.untilStatus("new", { replicas: 1 });
    },
  },
  {
    name: "availability",
    about: "ready pods become available after minReadySeconds, and no longer are when not ready",
    async play(play) {
      await play.owner("web", 2, { minReadySeconds: 4 });
      await play.untilStatus("web", { replicas: 2 });
      const [first = "", second = ""] = await play.call("first", "second");
      await play.settle();
      await play.ready(first);
      await play.untilStatus("web", { readyReplicas: 1 });
      await play.settle();
      await play.untilStatus("web", { availableReplicas: 1 });
      await play.ready(second, new Date(Date.now() - 60_000));
      await play.untilStatus("web", { availableReplicas: 2 });
      await play.settle();
      const conditions = [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" }];
      await play.patch(`pods/${first}/status`, { status: { conditions } });
      await play.untilStatus("web", { readyReplicas: 1, availableReplicas: 1 });
    },
  },
  {
    name: "failed-pod",
    about: "a failed and a succeeded pod are replaced, not counted, and left when scaled to 0",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      const [failed = "", succeeded = ""] = await play.call("failed", "succeeded");
      await play.settle();
      await play.patch(`pods/${failed}/status`, { status: { phase: "Failed", reason: "Evicted" } });
      await play.patch(`pods/${succeeded}/status`, { status: { phase: "Succeeded" } });
      await play.until("replacements", async () => ((await play.pods()).length === 4 ? true : undefined));
      await play.untilStatus("web", { replicas: 2 });
      await play.settle();
      await play.scale("web", 0);
      await play.untilStatus("web", { replicas: 0 });
    },
  },
  {
    name: "graceful-deletion",
    about: "a pod being deleted is replaced at once and counted as terminating until it is gone",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      const [leaving = "", staying = ""] = await play.call("leaving", "staying");
      await play.bind(leaving, "node-1");
      await play.bind(staying, "node-2");
      await play.settle();
      await play.delete(`pods/${leaving}`);
      await play.untilStatus("web", { terminatingReplicas: 1, replicas: 2 });
      await play.settle();
      await play.delete(`pods/${leaving}`, { gracePeriodSeconds: 0 });
      await play.untilStatus("web", { terminatingReplicas: 0 });
    },
  },
  {
    name: "quota",
    about: "refused creates are told by events and ReplicaFailure; with room again the condition goes",
    company: "refused",
    async play(play) {
      await quota(play, 2);
      await play.owner("web", 4);
      await play.untilRefused(REFUSALS);
      await play.untilStatus("web", { replicas: 2 });
      await play.settle();
      await play.delete("resourcequotas/pods");
      await play.untilGone("resourcequotas/pods");
      await play.patch("replicasets/web", { metadata: { annotations: { again: "please" } } });
      await play.untilStatus("web", { replicas: 4 });
    },
  },
  {
    name: "same-refusal",
    about: "a refusal in the same words raises the count of one event",
    company: "refused",
    async play(play) {
      const spec = { serviceAccountName: "missing", containers: [{ name: "main", image: "x" }] };
      await play.owner("web", 1, { template: { metadata: { labels: { app: "web" } }, spec } });
      await play.untilRefused(REFUSALS);
      await play.settle();
      await play.scale("web", 0);
      await play.untilStatus("web", { observedGeneration: 2 });
    },
  },
  {
    name: "pod-security",
    about: "pods that the namespace does not allow",
    company: "refused",
    async play(play) {
      await play.patch(NAMESPACE, {
        metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
      });
      await play.owner("web", 3);
      await play.untilRefused(REFUSALS);
    },
  },
  {
    name: "terminating-namespace",
    about: "creates that the end of the namespace refuses are neither told nor retried",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      const [pod = ""] = await play.call("first", "second");
      await play.settle();
      await play.delete(NAMESPACE);
      await play.delete(`pods/${pod}`);
      await play.untilStatus("web", { replicas: 1 });
    },
  },
  {
    name: "scale-while-deleting",
    about: "a ReplicaSet being deleted is not scaled, but its status is kept",
    async play(play) {
      await play.owner("web", 2);
      await play.untilStatus("web", { replicas: 2 });
      const [first = ""] = await play.call("first", "second");
      await play.patch("replicasets/web", { metadata: { finalizers: ["example.com/hold"] } });
      await play.settle();
      await play.delete("replicasets/web");
      await play.scale("web", 5);
      await play.settle();
      await play.delete(`pods/${first}`);
    },
  },
  {
    name: "touched",
    about: "the ReplicaSet changes all the time while its status is written",
    async play(play) {
      await play.owner("web", 0);
      for (let replicas = 1; replicas <= 12; replicas++) {
        await play.scale("web", replicas);
        await play.patch("replicasets/web", { metadata: { annotations: { "touched-at": new Date().toISOString() } } });
      }
      await play.untilStatus("web", { replicas: 12, observedGeneration: 13 });
    },
  },
  {
    name: "template",
    about: "labels, annotations and finalizers of the template; pods that lack labels of a new template",
    async play(play) {
      const spec = { containers: [{ name: "main", image: "x" }], terminationGracePeriodSeconds: 5 };
      const labels = { app: "web", tier: "front" };
      const metadata = { labels, annotations: { note: "one" }, finalizers: ["example.com/hold"], name: "ignored" };
      await play.owner("web", 2, { template: { metadata, spec } });
      await play.untilStatus("web", { replicas: 2 });
      await play.settle();
      await play.patch("replicasets/web", {
        spec: { template: { metadata: { labels: { more: "yes" } } }, replicas: 3 },
      });
      await play.untilStatus("web", { replicas: 3, fullyLabeledReplicas: 1 });
      await play.settle();
      await play.scale("web", 0);
      await play.untilStatus("web", { replicas: 0, terminatingReplicas: 3 });
    },
  },
  {
    name: "long-names",
    about: "prefixes of pod names from long, dotted and dashed names of owners",
    async play(play) {
      for (const name of [`${"l".repeat(62)}.${"n".repeat(40)}`, "dotted.name", "a--b"]) {
        await play.owner(name, 1, {
          selector: { matchLabels: { app: name.slice(0, 5) } },
          template: {
            metadata: { labels: { app: name.slice(0, 5) } },
            spec: { containers: [{ name: "main", image: "x" }] },
          },
        });
        await play.untilStatus(name, { replicas: 1 });
      }
    },
  },
];

function cost(value: string): object {
  return { metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": value } } };
}

/** A quota on pods, once its controller has looked at it. */
export async function quota(play: Play, pods: number): Promise<void> {
  const object = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "pods" },
    spec: { hard: { pods: `${pods}` } },
  };
  await play.create(object);
  await play.until("the quota's status", async () => {
    const found = await play.get<KubeObject & { status?: { hard?: object } }>("resourcequotas/pods");
    return found?.status?.hard;
  });
}
