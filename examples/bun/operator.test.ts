// bun test: an operator on a cluster in virtual time. Minutes of the cluster pass in milliseconds, and the same seed
// gives the same run.

import { expect, test } from "bun:test";
import {
  CustomResourceDefinitions,
  Deployments,
  Pods,
  type StagesSpec,
  startCluster,
  type VirtualCluster,
} from "steersman/testing";
import { Apps, runOperator } from "./operator.ts";

async function startWithOperator(stages: StagesSpec = {}): Promise<{ cluster: VirtualCluster; stop: AbortController }> {
  const cluster = await startCluster({ nodes: 3, stages });
  await cluster.client.of(CustomResourceDefinitions).create({
    metadata: { name: "apps.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "apps", singular: "app", kind: "App", listKind: "AppList" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  await cluster.until(async () => {
    const { status } = await cluster.client.of(CustomResourceDefinitions).get("apps.example.com");
    return status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
  });
  const stop = new AbortController();
  void runOperator(cluster.client, stop.signal);
  return { cluster, stop };
}

test("an App is rolled out, and a new image replaces its pods", async () => {
  const { cluster, stop } = await startWithOperator();
  await using _ = cluster;
  const apps = cluster.client.of(Apps);
  const metadata = { name: "shop" };
  await apps.create({ metadata, spec: { image: "shop:1", replicas: 3 } });
  await cluster.until(async () => (await apps.get("shop")).status?.ready === 3);

  await apps.patch("shop", { spec: { image: "shop:2" } });
  await cluster.until(async () => {
    const { metadata, status } = await cluster.client.of(Deployments).get("shop");
    return status?.observedGeneration === metadata.generation && status?.updatedReplicas === 3 && status.replicas === 3;
  });
  await cluster.advance(30_000); // the old pods have been given that long to end
  const pods = await cluster.client.of(Pods).list({ labelSelector: "app.example.com/name=shop" });
  expect(pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual(["shop:2", "shop:2", "shop:2"]);
  stop.abort();
});

test("an App tells of pods that start slowly, and of a node that fails", async () => {
  const { cluster, stop } = await startWithOperator({
    pods: [{ selector: "app.example.com/name=shop", "start-after": "20s" }],
    nodes: [{ name: "node-1", "fails-at": "1m" }],
  });
  await using _ = cluster;
  const apps = cluster.client.of(Apps);
  await apps.create({ metadata: { name: "shop" }, spec: { image: "shop:1", replicas: 3 } });
  const ready = async (): Promise<number> => (await apps.get("shop")).status?.ready ?? 0;
  await cluster.advance(15_000);
  expect(await ready()).toBe(0);
  await cluster.advance(15_000);
  expect(await ready()).toBe(3);
  await cluster.advance(120_000); // the node has not been heard of for a minute
  expect(await ready()).toBe(2);
  await cluster.advance(360_000); // its pod has been replaced on another node
  expect(await ready()).toBe(3);
  stop.abort();
});

test("the pods of a deleted App are gone a minute later", async () => {
  const { cluster, stop } = await startWithOperator();
  await using _ = cluster;
  const apps = cluster.client.of(Apps);
  await apps.create({ metadata: { name: "shop" }, spec: { image: "shop:1", replicas: 2 } });
  await cluster.until(async () => (await apps.get("shop")).status?.ready === 2);
  await apps.delete("shop");
  await cluster.advance(60_000);
  expect(await cluster.client.of(Deployments).find("shop")).toBeUndefined();
  expect(await cluster.client.of(Pods).list()).toEqual([]);
  stop.abort();
});
