// Endpoints from pods: which pods, their conditions and their ports.

import { expect } from "vitest";
import { Nodes, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { finishDeletion, makeReady, makeUnready, setPodStatus } from "#test/stage/pods.ts";
import { oftenTold, type ScenarioText } from "#test/stage/scenario.ts";
import {
  addressesOf,
  createNode,
  createService,
  createServingPod,
  hasAddresses,
  type StoredSlice,
  untilSlice,
  untilSlices,
} from "#test/stage/services.ts";

const conditionsOf = ({ endpoints }: StoredSlice): string => {
  const { ready, serving, terminating } = endpoints?.[0]?.conditions ?? {};
  return [ready && "ready", serving && "serving", terminating && "terminating"].filter(Boolean).join();
};

export const endpoints: readonly ScenarioText[] = [
  {
    name: "endpointslice/7, endpointslice/8 follows a pod from unready to ready, terminating and gone",
    async play(stage) {
      const node = await createNode(stage, "node", { zone: "zone-a" });
      await createService(stage);
      await untilSlice(stage);
      await stage.settle();
      await createServingPod(stage, "a", node, "10.1.0.1", { isReady: false });
      const first = await untilSlice(stage, hasAddresses("10.1.0.1"));
      const { uid } = (await stage.of(Pods).get("a")).metadata;
      expect(first.endpoints).toEqual([
        {
          addresses: ["10.1.0.1"],
          conditions: { ready: false, serving: false, terminating: false },
          nodeName: node,
          targetRef: { kind: "Pod", namespace: stage.namespace, name: "a", uid },
          zone: "zone-a",
        },
      ]);
      expect(first.ports).toEqual([{ name: "", port: 80, protocol: "TCP" }]);
      await stage.settle();
      await makeReady(stage, "a");
      await untilSlice(stage, (slice) => conditionsOf(slice) === "ready,serving");
      await stage.settle();
      await stage.of(Pods).delete("a");
      await untilSlice(stage, (slice) => conditionsOf(slice) === "serving,terminating");
      await stage.settle();
      await makeUnready(stage, "a");
      await untilSlice(stage, (slice) => conditionsOf(slice) === "terminating");
      await stage.settle();
      await finishDeletion(stage, "a");
      await untilSlice(stage, hasAddresses());
    },
  },
  {
    name: "endpointslice/7 leaves out pods that have ended and pods without an address",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await createServingPod(stage, "done", node, "10.1.0.2");
      await setPodStatus(stage, "done", { phase: "Succeeded" });
      await createServingPod(stage, "failed", node, "10.1.0.3");
      await setPodStatus(stage, "failed", { phase: "Failed" });
      await stage.of(Pods).create({
        metadata: { name: "pending", labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "example/web:1" }] },
      });
      await createServingPod(stage, "other", node, "10.1.0.4", { labels: { app: "other" } });
      await stage.settle();
      await createService(stage);
      await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      await stage.of(Pods).patch("other", { metadata: { labels: { app: "web" } } });
      await untilSlice(stage, hasAddresses("10.1.0.1", "10.1.0.4"));
      await stage.settle();
      await stage.of(Pods).patch("a", { metadata: { labels: { app: null } } });
      await untilSlice(stage, hasAddresses("10.1.0.4"));
    },
  },
  {
    name: "endpointslice/7, endpointslice/events leaves a pod out until its Node is known, and says so",
    async play(stage) {
      const node = await createNode(stage, "node");
      const unknown = stage.name("late");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await createServingPod(stage, "b", unknown, "10.1.0.2");
      await stage.settle();
      await createService(stage);
      await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.event(
        "FailedToUpdateEndpointSlices",
        ({ message }) =>
          message ===
          `Error updating Endpoint Slices for Service ${stage.namespace}/web: skipping Pod b for Service ${stage.namespace}/web: Node ${unknown} Not Found`,
      );
      await stage.of(Nodes).create({ metadata: { name: unknown } });
      await untilSlice(stage, hasAddresses("10.1.0.1", "10.1.0.2"));
    },
    chance: [
      oftenTold("how often it tries before the Node is in its cache"),
      { where: /last-change-trigger-time/, reason: "the retries before the Node is in its cache take the time" },
    ],
  },
  {
    name: "endpointslice/7, endpointslice/8 publishes every address that it is told to, ready or not",
    async play(stage) {
      await createServingPod(stage, "a", stage.name("unknown"), "10.1.0.1", { isReady: false });
      await stage.settle();
      await createService(stage, { publishNotReadyAddresses: true });
      const { endpoints } = await untilSlice(stage, hasAddresses("10.1.0.1"));
      expect(endpoints).toMatchObject([{ conditions: { ready: true, serving: false, terminating: false } }]);
      await stage.settle();
      await stage.of(Pods).delete("a");
      await untilSlice(stage, (slice) => conditionsOf(slice) === "ready,terminating");
    },
  },
  {
    name: "endpointslice/6, endpointslice/7 gives each set of port numbers its own slice",
    async play(stage) {
      const node = await createNode(stage, "node");
      const serving = (port: number) => ({
        containers: [{ name: "main", image: "example/web:1", ports: [{ name: "http", containerPort: port }] }],
      });
      await createServingPod(stage, "a", node, "10.1.0.1", { spec: serving(8080) });
      await createServingPod(stage, "b", node, "10.1.0.2", { spec: serving(9090) });
      await createServingPod(stage, "c", node, "10.1.0.3");
      await createServingPod(stage, "d", node, "10.1.0.4", {
        spec: {
          initContainers: [
            {
              name: "side",
              image: "example/side:1",
              restartPolicy: "Always",
              ports: [{ name: "http", containerPort: 8080 }],
            },
          ],
        },
      });
      await stage.settle();
      await createService(stage, {
        ports: [
          { name: "http", port: 80, targetPort: "http", appProtocol: "kubernetes.io/h2c" },
          { name: "metrics", port: 81, targetPort: 9000, protocol: "UDP" },
        ],
      });
      const slices = await untilSlices(stage, (all) => all.length === 3);
      const found = slices.map((slice) => {
        const ports = (slice.ports ?? []).map(({ name, port, protocol }) => `${name} ${port}/${protocol}`).toSorted();
        return `${addressesOf(slice)}: ${ports.join(", ")}`;
      });
      expect(found.toSorted()).toEqual([
        "10.1.0.1,10.1.0.4: http 8080/TCP, metrics 9000/UDP",
        "10.1.0.2: http 9090/TCP, metrics 9000/UDP",
        "10.1.0.3: metrics 9000/UDP",
      ]);
    },
  },
  {
    name: "endpointslice/8, endpointslice/12 names the pods of a headless Service without ports",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1", { spec: { hostname: "first", subdomain: "web" } });
      await createServingPod(stage, "b", node, "10.1.0.2", { spec: { hostname: "second", subdomain: "other" } });
      await stage.settle();
      await createService(stage, { clusterIP: "None", ports: [] });
      const slice = await untilSlice(stage, hasAddresses("10.1.0.1", "10.1.0.2"));
      expect(slice.metadata.labels).toMatchObject({ "service.kubernetes.io/headless": "" });
      expect(slice.ports ?? []).toEqual([]);
      const names = slice.endpoints?.map(({ targetRef, hostname }) => `${targetRef?.name} ${hostname}`);
      expect(names?.toSorted()).toEqual(["a first", "b undefined"]);
    },
  },
  {
    name: "endpointslice/5 has slices of both address types, and none of a type that the Service gave up",
    profile: "dual-stack",
    realOnly: "the embedded server has one range of service addresses",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1", { ips: ["10.1.0.1", "2001:db8::0001"] });
      await createServingPod(stage, "b", node, "10.1.0.2");
      await stage.settle();
      await createService(stage, { ipFamilyPolicy: "RequireDualStack" });
      const slices = await untilSlices(stage, (all) => all.length === 2);
      const found = slices.map((slice) => `${slice.addressType} ${addressesOf(slice)}`).toSorted();
      expect(found).toEqual(["IPv4 10.1.0.1,10.1.0.2", "IPv6 2001:db8::1"]);
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { ipFamilyPolicy: "SingleStack" } });
      await untilSlice(stage, hasAddresses("10.1.0.1", "10.1.0.2"));
    },
  },
];
