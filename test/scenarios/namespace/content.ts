// The deletion of a namespace's content: its order and the conditions meanwhile.

import { expect } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ConfigMaps, Namespaces, Pods, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  conditionsOf,
  endPod,
  HOLD,
  map,
  namespaceNamed,
  release,
  runningPod,
  setPhase,
  TYPES,
  untilCondition,
} from "./namespace-steps.ts";

const FINE = {
  NamespaceDeletionDiscoveryFailure: "ResourcesDiscovered: All resources successfully discovered",
  NamespaceDeletionGroupVersionParsingFailure: "ParsedGroupVersions: All legacy kube types successfully parsed",
  NamespaceDeletionContentFailure: "ContentDeleted: All content successfully deleted, may be waiting on finalization",
  NamespaceContentRemaining: "ContentRemoved: All content successfully removed",
  NamespaceFinalizersRemaining: "ContentHasNoFinalizers: All content-preserving finalizers finished",
};

export const content: readonly ScenarioText[] = [
  {
    name: "namespace/2, namespace/7, namespace/8, namespace/11, namespace/writes, namespace/tests empties a namespace and lets it go",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      for (const name of ["one", "two"]) await map(stage, namespace, name);
      await stage.of(Secrets, namespace).create({ metadata: { name: "three" } });
      const labels = { app: "web" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
      await stage.of(ReplicaSets, namespace).create({
        metadata: { name: "four" },
        spec: { replicas: 0, selector: { matchLabels: labels }, template },
      });
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      await stage.of(Namespaces).untilGone(namespace);
      await stage.calm(async () => {
        const own = (await stage.writes()).filter(({ who }) => who === "namespace-controller");
        const deleted = own.filter(({ verb }) => verb === "deletecollection").map(({ resource }) => resource);
        expect(deleted[0]).toBe("pods");
        expect(deleted).toEqual([...new Set(deleted)]);
        for (const resource of ["configmaps", "secrets", "replicasets", "serviceaccounts"]) {
          expect(deleted).toContain(resource);
        }
        expect(own.filter(({ verb }) => verb === "delete")).toEqual([]);
        const written = own.filter(({ verb, code }) => verb === "update" && code === 200);
        expect(written.map(({ resource }) => resource)).toEqual(["namespaces/status", "namespaces/finalize"]);
      });
    },
  },
  {
    name: "namespace/2, namespace/about touches no other namespace, and none of the same name that comes later",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      const other = await namespaceNamed(stage, "doomed-not");
      await map(stage, namespace, "web");
      await map(stage, other, "web");
      await stage.settle();
      stage.always("the other namespace keeps its objects", async (reader) => {
        const names = (await reader.of(ConfigMaps, other).list()).map(({ metadata }) => metadata.name);
        return names.includes("web");
      });
      await stage.of(Namespaces).delete(namespace);
      await stage.of(Namespaces).untilGone(namespace);
      await stage.settle();
      await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "heir");
      await stage.pass(6000);
      await stage.of(ConfigMaps, namespace).get("heir");
      expect((await stage.of(Namespaces).get(namespace)).status?.phase).toBe("Active");
    },
  },
  {
    name: "namespace/watches, namespace/2 leaves a namespace alone that nobody deletes",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "kept");
      await map(stage, namespace, "web");
      await stage.of(Namespaces).patch(namespace, { metadata: { labels: { team: "blue" } } });
      await stage.pass(6000);
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      await stage.of(ConfigMaps, namespace).get("web");
    },
  },
  {
    name: "namespace/watches gives the other API servers five seconds before it touches anything",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "web");
      await stage.settle();
      const before = stage.now();
      await stage.of(Namespaces).delete(namespace);
      await stage.pass(3000);
      await stage.of(ConfigMaps, namespace).get("web");
      await stage.of(Namespaces).untilGone(namespace);
      expect(stage.now() - before).toBeGreaterThanOrEqual(4900);
    },
  },
  {
    name: "namespace/6, namespace/9, namespace/15, namespace/tests deletes pods first and nothing else before they are gone",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await runningPod(stage, namespace, "web", 30);
      await map(stage, namespace, "needed");
      await stage.settle();
      stage.always("nothing goes before the pod", async (reader) => {
        const [map] = await reader.of(ConfigMaps, namespace).list();
        return map !== undefined || (await reader.of(Pods, namespace).list()).length === 0;
      });
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(stage, namespace, "NamespaceContentRemaining", "removed");
      expect(conditions).toEqual(FINE);
      await stage.of(Pods, namespace).until("web", ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await endPod(stage, namespace, "web");
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/8, namespace/9, namespace/13 says which pods are still there after their grace period",
    slow: true,
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await runningPod(stage, namespace, "stuck", 8);
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(
        stage,
        namespace,
        "NamespaceDeletionContentFailure",
        "ContentDeletionFailed",
      );
      const text = `unexpected items still remain in namespace: ${namespace} for gvr: /v1, Resource=pods`;
      expect(conditions).toEqual({
        ...FINE,
        NamespaceDeletionContentFailure: `! ContentDeletionFailed: Failed to delete all resource types, 1 remaining: ${text}`,
      });
      await endPod(stage, namespace, "stuck");
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/6, namespace/8, namespace/9 waits for the finalizers of a pod that has ended",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await runningPod(stage, namespace, "ended", 3600, { finalizers: [HOLD] });
      await setPhase(stage, namespace, "ended", "Succeeded");
      await map(stage, namespace, "needed");
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(stage, namespace, "NamespaceContentRemaining", "removed");
      expect(conditions).toEqual(FINE);
      await stage.of(ConfigMaps, namespace).get("needed");
      await stage.of(Pods, namespace).patch("ended", { metadata: { finalizers: null } });
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/8, namespace/10, namespace/12, namespace/13 names what remains and its finalizers, and takes everything else",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "held", { finalizers: [HOLD] });
      await map(stage, namespace, "free");
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const conditions = await untilCondition(stage, namespace, "NamespaceContentRemaining", "SomeResourcesRemain");
      expect(conditions).toEqual({
        ...FINE,
        NamespaceContentRemaining:
          "! SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
        NamespaceFinalizersRemaining: `! SomeFinalizersRemain: Some content in the namespace has finalizers remaining: ${HOLD} in 1 resource instances`,
      });
      expect(Object.keys(conditions)).toEqual(TYPES);
      await stage.of(ConfigMaps, namespace).untilGone("free");
      await stage.of(ServiceAccounts, namespace).untilGone("default");
      await release(stage, namespace, "held");
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/13, namespace/14 counts down what remains, in the order of the names, and keeps the time of the condition",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed");
      await map(stage, namespace, "one", { finalizers: ["example.com/b", HOLD] });
      await map(stage, namespace, "two", { finalizers: [HOLD] });
      await stage.of(Secrets, namespace).create({ metadata: { name: "three", finalizers: ["example.com/a"] } });
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const first = await untilCondition(stage, namespace, "NamespaceContentRemaining", "has 2");
      expect(first.NamespaceContentRemaining).toContain(
        ": configmaps. has 2 resource instances, secrets. has 1 resource instances",
      );
      expect(first.NamespaceFinalizersRemaining).toContain(
        `: example.com/a in 1 resource instances, example.com/b in 1 resource instances, ${HOLD} in 2 resource instances`,
      );
      const since = (await stage.of(Namespaces).get(namespace)).status?.conditions?.at(-1)?.lastTransitionTime;
      await release(stage, namespace, "one");
      const second = await untilCondition(stage, namespace, "NamespaceContentRemaining", "configmaps. has 1");
      expect(second.NamespaceFinalizersRemaining).toContain(
        `: example.com/a in 1 resource instances, ${HOLD} in 1 resource instances`,
      );
      const { status } = await stage.of(Namespaces).get(namespace);
      expect(status?.conditions?.at(-1)?.lastTransitionTime).toBe(since);
      await stage.settle();
      await release(stage, namespace, "two");
      await stage.of(Secrets, namespace).patch("three", { metadata: { finalizers: null } });
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/4, namespace/11 removes its own finalizer from the spec, and leaves the others in order",
    async play(stage) {
      const finalizers = ["example.com/b", "kubernetes", "example.com/a", "example.com/b"];
      const namespace = await namespaceNamed(stage, "doomed", { spec: { finalizers } });
      await map(stage, namespace, "web");
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const left = await stage.of(Namespaces).until(namespace, ({ spec }) => !spec?.finalizers?.includes("kubernetes"));
      expect(left.spec?.finalizers).toEqual(["example.com/a", "example.com/b"]);
      expect(conditionsOf(left)).toEqual(FINE);
      await stage.of(ConfigMaps, namespace).untilGone("web");
      // Objects remain, so the controller syncs once more after its own writes.
      await stage.pass(8000);
      await stage.settle();
      await stage.of(Namespaces).put(namespace, "finalize", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
        spec: {},
      });
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
  {
    name: "namespace/4, namespace/tests leaves finalizers in the metadata of a namespace to others",
    async play(stage) {
      const namespace = await namespaceNamed(stage, "doomed", { metadata: { finalizers: [HOLD] } });
      await map(stage, namespace, "web");
      await stage.settle();
      await stage.of(Namespaces).delete(namespace);
      const left = await stage.of(Namespaces).until(namespace, ({ spec }) => (spec?.finalizers ?? []).length === 0);
      expect([left.metadata.finalizers, left.status?.phase]).toEqual([[HOLD], "Terminating"]);
      await stage.of(ConfigMaps, namespace).untilGone("web");
      await stage.pass(6000);
      await stage.of(Namespaces).patch(namespace, { metadata: { finalizers: null } });
      await stage.of(Namespaces).untilGone(namespace);
    },
  },
];
