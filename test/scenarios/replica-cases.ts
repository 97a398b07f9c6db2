// The cases of upstream's integration and conformance tests of ReplicaSets and ReplicationControllers, as
// scenarios for either kind and either stage. What a kubelet would do, a case does itself.
// Upstream: test/integration/replicaset, test/integration/replicationcontroller, test/e2e/apps/{replica_set,rc}.go.

import { expect } from "vitest";
import { ConfigMaps, Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { formatTime } from "#api/time.ts";
import {
  barePod,
  deletePod,
  labelPod,
  listPods,
  makeReady,
  nameOf,
  ownerUid,
  setPodStatus,
  untilPods,
} from "./pod-steps.ts";
import { controls, type Subject } from "./replica-subject.ts";
import type { Scenario, Stage } from "./stage.ts";
import { createObject } from "./steps.ts";

const HOLD = "example.com/hold";
const web = { app: "web" };

async function patchPod(stage: Stage, pod: Pod, patch: object): Promise<Pod> {
  return stage.do((client, signal) =>
    client.resource(Pods).patch({ namespace: stage.namespace, name: nameOf(pod), type: "merge", patch }, signal),
  );
}

const restarted = (restartCount: number): Pod["status"] => ({
  phase: "Pending",
  containerStatuses: [{ name: "main", image: "example/web:1", imageID: "", ready: false, restartCount }],
});

const byName = (pods: readonly Pod[]): string[] => pods.map(nameOf).sort();

export function replicaCases(subject: Subject): readonly Scenario[] {
  const { create, scale, patch, get, until, untilStable, reference } = controls(subject);
  const full = (uid: string): OwnerReference => ({ ...reference(uid), controller: true, blockOwnerDeletion: true });

  /** What a pod's owners become when somebody sets them so. */
  const adoptions: readonly {
    readonly what: string;
    owners(own: OwnerReference, other: OwnerReference): readonly OwnerReference[];
    become(own: OwnerReference, other: OwnerReference): readonly OwnerReference[];
    /** The pod is not the owner's any more. */
    readonly isLost?: boolean;
  }[] = [
    { what: "an owner that is no controller", owners: (own) => [own], become: (own) => [full(own.uid)] },
    {
      what: "an owner that says it is no controller",
      owners: (own) => [{ ...own, controller: false }],
      become: (own) => [full(own.uid)],
    },
    { what: "no owner", owners: () => [], become: (own) => [full(own.uid)] },
    {
      what: "the controller itself",
      owners: (own) => [{ ...own, controller: true }],
      become: (own) => [{ ...own, controller: true }],
    },
    {
      what: "another owner that is no controller",
      owners: (_, other) => [{ ...other, controller: false }],
      become: (own, other) => [full(own.uid), { ...other, controller: false }],
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
      ({ what, owners, become, isLost }): Scenario => ({
        name: `adoption of a pod with ${what}`,
        async play(stage) {
          const { metadata } = await create(stage, 1);
          const { metadata: otherMeta } = await createObject(stage, ConfigMaps, { metadata: { name: "other" } });
          const own = reference(metadata?.uid ?? "");
          const other = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: otherMeta.uid };
          const [pod] = (await listPods(stage)) as [Pod];
          await patchPod(stage, pod, { metadata: { ownerReferences: owners(own, other) } });
          const pods = await untilPods(stage, (all) => {
            const found = all.find((one) => nameOf(one) === nameOf(pod));
            const owned = all.filter((one) => ownerUid(one) === own.uid).length;
            return JSON.stringify(sorted(found)) === JSON.stringify(sortKeys(become(own, other))) && owned === 1;
          });
          expect(pods.length).toBe(isLost ? 2 : 1);
          await untilStable(stage, 1);
        },
      }),
    ),
    {
      name: "the number of replicas changes, and a template that changes is seen",
      async play(stage) {
        await create(stage, 2);
        for (const replicas of [3, 0, 2]) await scale(stage, replicas);
        const { metadata } = await patch(stage, {
          spec: { template: { metadata: { annotations: { test: "annotation" } } } },
        });
        await until(stage, ({ status }) => status?.observedGeneration === metadata?.generation);
        expect((await listPods(stage)).length).toBe(2);
      },
    },
    {
      name: "pods that are going or have failed are replaced, and stay",
      async play(stage) {
        await create(stage, 2);
        const [going, failed] = (await listPods(stage)) as [Pod, Pod];
        await patchPod(stage, going, { metadata: { finalizers: [HOLD] } });
        await deletePod(stage, going);
        await setPodStatus(stage, nameOf(failed), { phase: "Failed" });
        const pods = await untilPods(stage, (all) => all.length === 4);
        expect(byName(pods)).toEqual(expect.arrayContaining([nameOf(going), nameOf(failed)]));
        await untilStable(stage, 2);
        await patchPod(stage, going, { metadata: { finalizers: null } });
      },
    },
    ...costs.map(
      ({ what, costs, stays }): Scenario => ({
        name: `scaling down: ${what}`,
        async play(stage) {
          await create(stage, 2);
          const pods = await listPods(stage);
          for (const [index, pod] of pods.entries()) {
            const cost = costs[index];
            const annotations = cost === undefined ? {} : { "controller.kubernetes.io/pod-deletion-cost": cost };
            await patchPod(stage, pod, { metadata: { annotations } });
            await setPodStatus(stage, nameOf(pod), restarted(index === 0 ? 5 : 0));
          }
          await stage.pass(300);
          await scale(stage, 1);
          expect((await listPods(stage)).map(nameOf)).toEqual([nameOf(pods[stays] as Pod)]);
        },
      }),
    ),
    {
      name: "two with the same selector do not take each other's pods",
      async play(stage) {
        await create(stage, 1);
        await createObject(stage, subject.resource, subject.make("second", 2));
        await untilPods(stage, (pods) => pods.length === 3);
        await stage.pass(500);
        expect((await get(stage, "web")).status?.replicas).toBe(1);
        expect((await get(stage, "second")).status?.replicas).toBe(2);
        expect((await listPods(stage)).length).toBe(3);
      },
    },
    {
      name: "labels that no longer match set a pod free, and labels that match again bring it back",
      async play(stage) {
        const { metadata } = await create(stage, 1);
        const [pod] = (await listPods(stage)) as [Pod];
        await labelPod(stage, pod, { app: "other" });
        await untilPods(stage, (pods) => pods.length === 2 && pods.some((one) => ownerUid(one) === undefined));
        await labelPod(stage, pod, web);
        const [left] = await untilPods(stage, (pods) => pods.length === 1);
        expect(ownerUid(left as Pod)).toBe(metadata?.uid as string);
      },
    },
    {
      name: "ready and available are counted apart",
      async play(stage) {
        await create(stage, 3, { minReadySeconds: 3600 });
        const [notReady, ready, available] = (await listPods(stage)) as [Pod, Pod, Pod];
        const lastTransitionTime = formatTime(stage.now());
        const conditions = [{ type: "Ready", status: "False", lastTransitionTime }];
        await setPodStatus(stage, nameOf(notReady), { phase: "Running", conditions });
        await makeReady(stage, ready);
        await makeReady(stage, available, stage.now() - 7_200_000);
        await until(
          stage,
          ({ status }) => status?.replicas === 3 && status.readyReplicas === 2 && status.availableReplicas === 1,
        );
      },
    },
    {
      name: "the scale subresource is read, put and patched",
      async play(stage) {
        await create(stage, 1);
        const at = { namespace: stage.namespace, name: "web", subresource: "scale" };
        interface Scale {
          readonly metadata: object;
          readonly spec: { readonly replicas?: number };
          readonly status: { readonly replicas: number };
        }
        const found = await stage.do((client, signal) =>
          client.resource(subject.resource).getSubresource<Scale>(at, signal),
        );
        expect([found.spec.replicas, found.status.replicas]).toEqual([1, 1]);
        const object = { ...found, metadata: { name: "web", namespace: stage.namespace }, spec: { replicas: 3 } };
        await stage.do((client, signal) =>
          client.resource(subject.resource).updateSubresource<object>({ ...at, object }, signal),
        );
        await untilStable(stage, 3);
        await stage.do((client, signal) =>
          client.resource(subject.resource).patch({ ...at, type: "merge", patch: { spec: { replicas: 0 } } }, signal),
        );
        await untilStable(stage, 0);
        expect(await listPods(stage)).toEqual([]);
      },
    },
    {
      name: "of three orphans two are adopted, and one goes",
      async play(stage) {
        for (const name of ["first", "second", "third"]) await createObject(stage, Pods, barePod(name));
        const { metadata } = await create(stage, 2);
        const pods = await untilPods(stage, (all) => all.length === 2);
        expect(pods.map(ownerUid)).toEqual([metadata?.uid, metadata?.uid]);
      },
    },
    {
      name: "only pods with all labels of the template count as fully labelled",
      async play(stage) {
        await create(stage, 2);
        const labels = { ...web, extra: "yes" };
        await patch(stage, { spec: { template: { metadata: { labels } } } });
        const [pod] = (await listPods(stage)) as [Pod];
        await labelPod(stage, pod, { extra: "yes" });
        await until(stage, ({ status }) => status?.replicas === 2 && status.fullyLabeledReplicas === 1);
      },
    },
    {
      name: "replaced and patched at once",
      async play(stage) {
        await create(stage, 1);
        await scale(stage, 2);
        const spec = { containers: [{ name: "main", image: "example/pause:1" }], terminationGracePeriodSeconds: 0 };
        await patch(stage, { metadata: { labels: { test: "patched" } }, spec: { replicas: 3, template: { spec } } });
        await untilStable(stage, 3);
        for (const pod of await listPods(stage)) await makeReady(stage, pod);
        const found = await until(stage, ({ status }) => status?.readyReplicas === 3 && status.availableReplicas === 3);
        expect(found.metadata?.labels).toMatchObject({ test: "patched" });
        const images = (await listPods(stage)).map(({ spec }) => spec?.containers?.[0]?.image);
        expect(images.filter((image) => image === "example/pause:1").length).toBe(1); // no pod is replaced
      },
    },
    {
      name: "a condition that somebody else wrote into the status stays, a count that is wrong does not",
      async play(stage) {
        await create(stage, 1);
        const condition = { type: "StatusPatched", status: "True", reason: "E2E", message: "set by a test" };
        const status = { conditions: [condition], replicas: 7 };
        await stage.do((client, signal) =>
          client
            .resource(subject.resource)
            .patch(
              { namespace: stage.namespace, name: "web", type: "merge", patch: { status }, subresource: "status" },
              signal,
            ),
        );
        await untilStable(stage, 1);
        const found = await scale(stage, 2);
        expect(found.status?.conditions).toMatchObject([condition]);
      },
    },
    {
      name: "deleted as a collection",
      async play(stage) {
        await create(stage, 2);
        await patch(stage, { metadata: { labels: { e2e: "yes" } } });
        const options = { propagationPolicy: "Background" } as const;
        const selection = { namespace: stage.namespace, labelSelector: "e2e=yes" };
        await stage.do((client, signal) =>
          client.resource(subject.resource).deleteCollection({ ...selection, options }, signal),
        );
        const left = await stage.do((client, signal) => client.resource(subject.resource).list(selection, signal));
        expect(left.items).toEqual([]);
      },
    },
  ];
}

function sorted(pod: Pod | undefined): unknown {
  return sortKeys(pod?.metadata?.ownerReferences ?? []);
}

/** Same fields, same text. */
function sortKeys(references: readonly OwnerReference[]): unknown {
  return references.map((reference) => Object.entries(reference).sort(([a], [b]) => (a < b ? -1 : 1)));
}
