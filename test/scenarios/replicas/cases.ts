// The cases of upstream's integration and conformance tests of ReplicaSets and ReplicationControllers, for both kinds.
// Upstream: test/integration/replicaset, test/integration/replicationcontroller, test/e2e/apps/{replica_set,rc}.go.

import { expect } from "vitest";
import { ConfigMaps, Pods } from "#api/generated/resources/core-v1.ts";
import type { PodStatus } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { barePod, callPods, makeReady, makeUnready, ownerUid, type StoredPod, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { controls, type Subject } from "./subject.ts";

const HOLD = "example.com/hold";
const web = { app: "web" };

const restarted = (restartCount: number): PodStatus => ({
  phase: "Pending",
  containerStatuses: [{ name: "main", image: "example/web:1", imageID: "", ready: false, restartCount }],
});

export function replicaCases(subject: Subject): readonly ScenarioText[] {
  const { objects, create, scale, untilReplicas, untilStatus, reference } = controls(subject);
  const full = (own: OwnerReference): OwnerReference => ({ ...own, controller: true, blockOwnerDeletion: true });

  /** The owners of a pod after a user has set them. */
  const adoptions: readonly {
    readonly what: string;
    owners(own: OwnerReference, other: OwnerReference): readonly OwnerReference[];
    become(own: OwnerReference, other: OwnerReference): readonly OwnerReference[];
    /** Whether the owner loses the pod. */
    readonly isLost?: boolean;
  }[] = [
    { what: "an owner that is no controller", owners: (own) => [own], become: (own) => [full(own)] },
    {
      what: "an owner that says it is no controller",
      owners: (own) => [{ ...own, controller: false }],
      become: (own) => [full(own)],
    },
    { what: "no owner", owners: () => [], become: (own) => [full(own)] },
    {
      what: "the controller itself",
      owners: (own) => [{ ...own, controller: true }],
      become: (own) => [{ ...own, controller: true }],
    },
    {
      what: "another owner that is no controller",
      owners: (_, other) => [{ ...other, controller: false }],
      become: (own, other) => [full(own), { ...other, controller: false }],
    },
    {
      what: "another controller",
      owners: (own, other) => [{ ...other, controller: true }, own],
      become: (own, other) => [{ ...other, controller: true }, own],
      isLost: true,
    },
  ];

  const costs = [
    { what: "the dearer stays", costs: ["1000", "100"], stays: 0 },
    { what: "of equal cost the one with fewer restarts stays", costs: ["100", "100"], stays: 1 },
    { what: "without a cost the one with fewer restarts stays", costs: [], stays: 1 },
  ] as const;

  return [
    ...adoptions.map(
      ({ what, owners, become, isLost }): ScenarioText => ({
        name: `${subject.id}/tests adoption of a pod with ${what}`,
        async play(stage) {
          const own = reference((await create(stage, 1)).metadata.uid);
          const { uid } = (await stage.of(ConfigMaps).create({ metadata: { name: "other" } })).metadata;
          const other = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid };
          const [name = ""] = await callPods(stage, "first");
          await stage.settle();
          await stage.of(Pods).patch(name, { metadata: { ownerReferences: owners(own, other) } });
          const pods = await stage.of(Pods).untilAll((all) => {
            const found = all.find(({ metadata }) => metadata.name === name);
            const owned = all.filter((pod) => ownerUid(pod) === own.uid).length;
            return sorted(found?.metadata.ownerReferences) === sorted(become(own, other)) && owned === 1;
          });
          expect(pods.length).toBe(isLost ? 2 : 1);
          await untilReplicas(stage, 1);
        },
      }),
    ),
    {
      name: `${subject.id}/tests the number of replicas changes, and a template that changes is seen`,
      async play(stage) {
        await create(stage, 2);
        for (const replicas of [3, 0, 2]) {
          await stage.settle();
          await scale(stage, replicas);
        }
        const template = { metadata: { annotations: { test: "annotation" } } };
        const { generation } = (await objects(stage).patch("web", { spec: { template } })).metadata;
        await objects(stage).until("web", ({ status }) => status?.observedGeneration === generation);
        expect((await stage.of(Pods).list()).length).toBe(2);
      },
    },
    {
      name: `${subject.id}/tests pods that are terminating or have failed are replaced, and stay`,
      async play(stage) {
        await create(stage, 2);
        const [going = "", failed = ""] = await callPods(stage, "going", "failed");
        await stage.of(Pods).patch(going, { metadata: { finalizers: [HOLD] } });
        await stage.settle();
        await stage.of(Pods).delete(going);
        await setPodStatus(stage, failed, { phase: "Failed" });
        const pods = await stage.of(Pods).untilAll((all) => all.length === 4);
        expect(names(pods)).toEqual(expect.arrayContaining([going, failed]));
        await untilReplicas(stage, 2);
        await stage.settle();
        await stage.of(Pods).patch(going, { metadata: { finalizers: null } });
      },
    },
    ...costs.map(
      ({ what, costs, stays }): ScenarioText => ({
        name: `${subject.id}/tests scaling down: ${what}`,
        async play(stage) {
          await create(stage, 2);
          const pods = await callPods(stage, "first", "second");
          for (const [index, pod] of pods.entries()) {
            const cost = costs[index];
            const annotations = cost === undefined ? {} : { "controller.kubernetes.io/pod-deletion-cost": cost };
            await stage.of(Pods).patch(pod, { metadata: { annotations } });
            await setPodStatus(stage, pod, restarted(index === 0 ? 5 : 0));
          }
          await stage.settle();
          await scale(stage, 1);
          expect(names(await stage.of(Pods).list())).toEqual([pods[stays] ?? ""]);
        },
      }),
    ),
    {
      name: `${subject.id}/tests two with the same selector do not take each other's pods`,
      async play(stage) {
        await create(stage, 1);
        await stage.settle();
        const labels = { app: "web" };
        const more = { selector: { matchLabels: labels }, template: subject.make("web", 1).spec?.template ?? {} };
        await objects(stage).create(subject.make("second", 2, more));
        await untilReplicas(stage, 2, "second");
        await stage.settle();
        expect((await objects(stage).get("web")).status?.replicas).toBe(1);
        expect((await objects(stage).get("second")).status?.replicas).toBe(2);
        expect((await stage.of(Pods).list()).length).toBe(3);
      },
    },
    {
      name: `${subject.id}/tests labels that no longer match release a pod, and labels that match again bring it back`,
      async play(stage) {
        const { uid } = (await create(stage, 1)).metadata;
        const [name = ""] = await callPods(stage, "released");
        await stage.settle();
        await stage.of(Pods).patch(name, { metadata: { labels: { app: "other" } } });
        await stage.of(Pods).untilAll((pods) => pods.length === 2 && pods.some((pod) => ownerUid(pod) === undefined));
        const [replacement = ""] = await callPods(stage, "replacement");
        await makeReady(stage, replacement);
        await untilStatus(stage, { readyReplicas: 1 });
        await stage.settle();
        await stage.of(Pods).patch(name, { metadata: { labels: web } });
        const [left] = await stage.of(Pods).untilAll((pods) => pods.length === 1);
        expect([left?.metadata.name, left && ownerUid(left)]).toEqual([replacement, uid]);
      },
    },
    {
      name: `${subject.id}/tests ready and available are counted apart`,
      async play(stage) {
        await create(stage, 3, { minReadySeconds: 3600 });
        const [unready = "", ready = "", available = ""] = await callPods(stage, "unready", "ready", "available");
        await stage.settle();
        await makeUnready(stage, unready);
        await makeReady(stage, ready);
        await makeReady(stage, available, stage.now() - 7_200_000);
        await untilStatus(stage, { replicas: 3, readyReplicas: 2, availableReplicas: 1 });
      },
    },
    {
      name: `${subject.id}/tests the scale subresource is read, put and patched`,
      async play(stage) {
        await create(stage, 1);
        await stage.settle();
        interface Scale {
          readonly metadata: object;
          readonly spec: { readonly replicas?: number };
          readonly status: { readonly replicas: number };
        }
        const found = await objects(stage).getSubresource<Scale>("web", "scale");
        expect([found.spec.replicas, found.status.replicas]).toEqual([1, 1]);
        const metadata = { name: "web", namespace: stage.namespace };
        await objects(stage).put("web", "scale", { ...found, metadata, spec: { replicas: 3 } });
        await untilReplicas(stage, 3);
        await stage.settle();
        await objects(stage).patch("web", { spec: { replicas: 0 } }, { subresource: "scale" });
        await untilReplicas(stage, 0);
        expect(await stage.of(Pods).list()).toEqual([]);
      },
    },
    {
      name: `${subject.id}/tests of three orphans two are adopted, and one goes`,
      chance: [{ where: /first|second|third|message$/, reason: "which one goes is decided by their UIDs" }],
      async play(stage) {
        for (const name of ["first", "second", "third"]) await stage.of(Pods).create(barePod(name));
        await stage.settle();
        const { uid } = (await create(stage, 2)).metadata;
        const pods = await stage.of(Pods).untilAll((all) => all.length === 2);
        expect(pods.map(ownerUid)).toEqual([uid, uid]);
      },
    },
    {
      name: `${subject.id}/tests only pods with all labels of the template count as fully labelled`,
      async play(stage) {
        await create(stage, 2);
        const [first = ""] = await callPods(stage, "first", "second");
        await stage.settle();
        await objects(stage).patch("web", { spec: { template: { metadata: { labels: { ...web, extra: "yes" } } } } });
        await stage.of(Pods).patch(first, { metadata: { labels: { extra: "yes" } } });
        await untilStatus(stage, { replicas: 2, fullyLabeledReplicas: 1, observedGeneration: 2 });
      },
    },
    {
      name: `${subject.id}/tests replicas and template are changed at once, and no pod is replaced`,
      async play(stage) {
        await create(stage, 1);
        await stage.settle();
        await scale(stage, 2);
        await stage.settle();
        const spec = { containers: [{ name: "main", image: "example/pause:1" }], terminationGracePeriodSeconds: 0 };
        const change = { metadata: { labels: { test: "patched" } }, spec: { replicas: 3, template: { spec } } };
        await objects(stage).patch("web", change);
        await untilReplicas(stage, 3);
        await stage.settle();
        for (const { metadata } of await stage.of(Pods).list()) await makeReady(stage, metadata.name);
        const found = await untilStatus(stage, { readyReplicas: 3, availableReplicas: 3 });
        expect(found.metadata.labels).toMatchObject({ test: "patched" });
        const images = (await stage.of(Pods).list()).map((pod) => pod.spec?.containers?.[0]?.image);
        expect(images.filter((image) => image === "example/pause:1").length).toBe(1);
      },
    },
    {
      name: `${subject.id}/tests a condition of another writer stays in the status, a wrong count does not`,
      async play(stage) {
        await create(stage, 1);
        await stage.settle();
        const condition = { type: "StatusPatched", status: "True", reason: "E2E", message: "set by a test" };
        const status = { conditions: [condition], replicas: 7 };
        await objects(stage).patch("web", { status }, { subresource: "status" });
        await untilReplicas(stage, 1);
        await stage.settle();
        const found = await scale(stage, 2);
        expect(found.status?.conditions).toMatchObject([condition]);
      },
    },
    {
      name: `${subject.id}/tests owners are deleted as a collection`,
      async play(stage) {
        await create(stage, 2);
        await objects(stage).patch("web", { metadata: { labels: { e2e: "yes" } } });
        await stage.settle();
        await objects(stage).deleteAll({ propagationPolicy: "Background" }, "e2e=yes");
        expect(await objects(stage).list("e2e=yes")).toEqual([]);
        await stage.standIn("garbage-collector-controller", () => stage.of(Pods).deleteAll());
        await stage.of(Pods).untilAll((pods) => pods.length === 0);
      },
    },
  ];
}

function names(pods: readonly StoredPod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name);
}

/** Same fields, same text. */
function sorted(references: readonly OwnerReference[] = []): string {
  const entries = references.map((reference) => Object.entries(reference).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(entries);
}
