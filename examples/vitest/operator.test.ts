// vitest: an operator on a cluster in real time. It listens on a free port of 127.0.0.1, and the operator finds it by a
// kubeconfig, as it would find any other cluster.

import { ConfigMaps, Deployments, Pods, type RealCluster, startCluster } from "steersman/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Operator } from "./operator.ts";

const stop = new AbortController();
let cluster: RealCluster;
let operating: Promise<void>;

beforeAll(async () => {
  cluster = await startCluster({ time: "real", nodes: 2 });
  operating = new Operator(cluster.kubeconfig).run(stop.signal);
});

afterAll(async () => {
  stop.abort();
  await operating;
  await cluster.stop();
});

test("a ConfigMap is rolled out", async () => {
  const { client } = cluster;
  await client
    .of(ConfigMaps)
    .create({ metadata: { name: "shop", labels: { app: "shop-1" } }, data: { replicas: "3" } });
  await cluster.until(async () => (await client.of(Deployments).find("shop"))?.status?.readyReplicas === 3);

  await client.of(ConfigMaps).patch("shop", { metadata: { labels: { app: "shop-2" } } });
  const pods = await cluster.until(async () => {
    const running = await client.of(Pods).list({ labelSelector: "app=shop", fieldSelector: "status.phase=Running" });
    return running.length === 3 && running.every(({ spec }) => spec?.containers[0]?.image === "shop-2") && running;
  });
  expect(new Set(pods.map(({ spec }) => spec?.nodeName)).size).toBe(2);
});
