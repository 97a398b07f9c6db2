// The Endpoints of Services that select pods.

import { expect } from "vitest";
import { Endpoints, Pods, Services } from "#api/generated/resources/core-v1.ts";
import type { EndpointSubset } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { makeReady, makeUnready, setPodStatus } from "#test/stage/pods.ts";
import { type Excuse, oftenTold, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { createNode, createService, createServingPod, HEADLESS, serveInEndingNamespace } from "#test/stage/services.ts";
import type { Stage } from "#test/stage/stage.ts";

type StoredEndpoints = ObjectOf<typeof Endpoints>;

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** Addresses (unready ones with "!") and ports: "10.1.0.1 !10.1.0.2: http 80/TCP". */
const subsetText = ({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string => {
  const ips = [...addresses.map(({ ip }) => ip), ...notReadyAddresses.map(({ ip }) => `!${ip}`)];
  const shown = ports.map(({ name = "-", port, protocol }) => `${name} ${port}/${protocol}`).toSorted();
  return `${ips.join(" ")}: ${shown.join(", ")}`;
};

const textOf = ({ subsets = [] }: StoredEndpoints): string => subsets.map(subsetText).toSorted().join("; ");

const untilText = (stage: Stage, text: string): Promise<StoredEndpoints> =>
  stage.of(Endpoints).until("web", (endpoints) => textOf(endpoints) === text);

const writeCount = async (stage: Stage): Promise<number> =>
  (await stage.writes()).filter(({ who }) => who === "endpoint-controller").length;

const IN_MEMORY: readonly Excuse[] = [
  {
    where: /metadata\.annotations/,
    reason: "trigger_time_tracker.go: the times are in memory, and a new Service is as old as itself",
  },
];

const PORTS = 20;
const PODS = 52;

/** Each port has one of two numbers, each for half of the pods, and no two ports split the pods alike. */
const crossedPorts = (pod: number) => ({
  containers: [
    {
      name: "main",
      image: "example/web:1",
      ports: Array.from({ length: PORTS }, (_, i) => {
        return { name: `p${i}`, containerPort: 1000 + 2 * i + ((pod + i) % PODS < PODS / 2 ? 0 : 1) };
      }),
    },
  ],
});

export const scenarios: readonly Scenario[] = scenariosOf("endpoints-controller", { cast: "network" }, [
  {
    name: "endpoints/2, endpoints/4, endpoints/6, endpoints/8 follows a pod from unready to ready and terminating",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await stage.of(Endpoints).until("web");
      await stage.settle();
      await createServingPod(stage, "a", node, "10.1.0.1", { isReady: false });
      const first = await untilText(stage, "!10.1.0.1: - 80/TCP");
      const { uid } = (await stage.of(Pods).get("a")).metadata;
      expect(first.subsets?.[0]?.notReadyAddresses).toEqual([
        {
          ip: "10.1.0.1",
          nodeName: node,
          targetRef: { kind: "Pod", namespace: stage.namespace, name: "a", uid },
        },
      ]);
      await stage.settle();
      await makeReady(stage, "a");
      await untilText(stage, "10.1.0.1: - 80/TCP");
      await stage.settle();
      await stage.of(Pods).delete("a");
      await untilText(stage, "");
      await stage.settle();
      await createServingPod(stage, "b", node, "10.1.0.2");
      await untilText(stage, "10.1.0.2: - 80/TCP");
      await stage.settle();
      await setPodStatus(stage, "b", { phase: "Failed", conditions: [] });
      await untilText(stage, "");
    },
  },
  {
    name: "endpoints/2, endpoints/9 moves pods between Services as their labels change",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await createServingPod(stage, "b", node, "10.1.0.2", { isReady: false });
      await stage.settle();
      await createService(stage);
      await createService(stage, { selector: { app: "other" } }, { name: "other" });
      await untilText(stage, "10.1.0.1 !10.1.0.2: - 80/TCP");
      await stage.of(Endpoints).until("other");
      await stage.settle();
      await stage.of(Pods).patch("a", { metadata: { labels: { app: "other" } } });
      await untilText(stage, "!10.1.0.2: - 80/TCP");
      await stage.of(Endpoints).until("other", (endpoints) => textOf(endpoints) === "10.1.0.1: - 80/TCP");
      await stage.settle();
      // Changes that do not affect the Service cause no write.
      await stage.of(Pods).patch("a", { metadata: { annotations: { note: "1" } } });
      await stage.settle();
      await stage.calm(async () => expect(await writeCount(stage)).toBe(4));
    },
  },
  {
    name: "endpoints/3 leaves Services without a selector and external names alone, until they are neither",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.of(Endpoints).create({ metadata: { name: "bare" }, subsets: [{ addresses: [{ ip: "10.9.9.9" }] }] });
      await createService(stage, { selector: {} }, { name: "bare" });
      await stage.of(Services).create({
        metadata: { name: "web" },
        spec: {
          type: "ExternalName",
          externalName: "www.example.com",
          selector: { app: "web" },
          ports: [{ port: 80 }],
        },
      });
      await stage.settle();
      expect(await stage.of(Endpoints).find("web")).toBeUndefined();
      await stage.of(Services).patch("web", { spec: { type: "ClusterIP", externalName: null } });
      await untilText(stage, "10.1.0.1: - 80/TCP");
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { selector: null } });
      await stage.of(Pods).patch("a", { metadata: { labels: { app: "left" } } });
      await stage.settle();
      expect(textOf(await stage.of(Endpoints).get("web"))).toBe("10.1.0.1: - 80/TCP");
      expect(textOf(await stage.of(Endpoints).get("bare"))).toBe("10.9.9.9: ");
    },
  },
  {
    name: "endpoints/1, endpoints/18, endpoints/writes deletes Endpoints with their Service, and makes deleted ones again",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.settle();
      await createService(stage);
      const { metadata } = await untilText(stage, "10.1.0.1: - 80/TCP");
      await stage.settle();
      await stage.of(Endpoints).delete("web");
      await stage.of(Endpoints).until("web", ({ metadata: { uid } }) => uid !== metadata.uid);
      await stage.settle();
      await stage.of(Services).delete("web");
      await stage.of(Endpoints).untilGone("web");
    },
  },
  {
    name: "endpoints/7, endpoints/9 packs ports with the same addresses into one subset",
    async play(stage) {
      const node = await createNode(stage, "node");
      const serving = (port: number) => ({
        containers: [{ name: "main", image: "example/web:1", ports: [{ name: "http", containerPort: port }] }],
      });
      await createServingPod(stage, "a", node, "10.1.0.1", { spec: serving(8080) });
      await createServingPod(stage, "b", node, "10.1.0.2", { spec: serving(9090) });
      await createServingPod(stage, "c", node, "10.1.0.3", { isReady: false });
      await stage.settle();
      await createService(stage, {
        ports: [
          { name: "http", port: 80, targetPort: "http", appProtocol: "kubernetes.io/h2c" },
          { name: "metrics", port: 81, targetPort: 9000, protocol: "UDP" },
          { name: "admin", port: 82, targetPort: 9001 },
        ],
      });
      await untilText(
        stage,
        [
          "10.1.0.1 10.1.0.2 !10.1.0.3: admin 9001/TCP, metrics 9000/UDP",
          "10.1.0.1: http 8080/TCP",
          "10.1.0.2: http 9090/TCP",
        ].join("; "),
      );
    },
    chance: [{ where: /\bsubsets\b/, reason: "the order of subsets follows hashes of UIDs" }],
  },
  {
    name: "endpoints/6, endpoints/7, endpoints/10, endpoints/11 writes labels, host names and annotations of a headless Service",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1", { spec: { hostname: "first", subdomain: "web" } });
      await stage.settle();
      await createService(stage, { clusterIP: "None", ports: [] }, { labels: { team: "a" } });
      const first = await untilText(stage, "10.1.0.1: ");
      expect(first.metadata.labels).toEqual({ team: "a", [HEADLESS]: "", [MANAGED_BY]: "endpoint-controller" });
      expect(first.subsets?.[0]?.addresses?.[0]?.hostname).toBe("first");
      await stage.settle();
      await stage.of(Endpoints).patch("web", { metadata: { annotations: { mine: "1" }, labels: { mine: "1" } } });
      await stage.settle();
      await stage.of(Services).patch("web", { metadata: { labels: { team: "b" } } });
      const { metadata } = await stage.of(Endpoints).until("web", (it) => it.metadata.labels?.team === "b");
      expect(metadata.labels).toEqual({ team: "b", [HEADLESS]: "", [MANAGED_BY]: "endpoint-controller" });
      expect(metadata.annotations).toMatchObject({ mine: "1" });
    },
  },
  {
    name: "endpoints/4, endpoints/8 publishes every address that it is told to, ready or not",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1", { isReady: false });
      await stage.settle();
      await createService(stage, { publishNotReadyAddresses: true });
      await untilText(stage, "10.1.0.1: - 80/TCP");
      await stage.settle();
      await stage.of(Pods).delete("a");
      await stage.settle();
      expect(textOf(await stage.of(Endpoints).get("web"))).toBe("10.1.0.1: - 80/TCP");
      await stage.calm(async () => expect(await writeCount(stage)).toBe(1));
    },
  },
  {
    name: "endpoints/12, endpoints/trigger-time says when the change happened that it wrote",
    async play(stage) {
      const node = await createNode(stage, "node");
      const { metadata } = await createService(stage);
      const first = await stage.of(Endpoints).until("web");
      expect(first.metadata.annotations?.[TRIGGER_TIME]).toBe(metadata.creationTimestamp);
      await stage.settle();
      const readySinceMs = stage.now() + 60_000;
      await createServingPod(stage, "a", node, "10.1.0.1", { readySinceMs });
      const second = await untilText(stage, "10.1.0.1: - 80/TCP");
      expect(second.metadata.annotations?.[TRIGGER_TIME]).toBe(formatTime(readySinceMs));
      await stage.settle();
      await makeUnready(stage, "a", readySinceMs);
      const third = await untilText(stage, "!10.1.0.1: - 80/TCP");
      expect(third.metadata.annotations?.[TRIGGER_TIME]).toBeUndefined();
    },
  },
  {
    name: "endpoints/13, endpoints/14 cuts Endpoints off at 1,000 addresses, and says so",
    async play(stage) {
      const node = await createNode(stage, "node");
      for (let pod = 0; pod < PODS; pod++) {
        await createServingPod(stage, `pod-${pod}`, node, `10.1.0.${pod}`, { spec: crossedPorts(pod) });
      }
      await stage.settle();
      const ports = Array.from({ length: PORTS }, (_, i) => ({ name: `p${i}`, port: 80 + i, targetPort: `p${i}` }));
      await createService(stage, { ports });
      // 40 subsets of 26 addresses; each keeps 25.
      const { metadata, subsets = [] } = await stage
        .of(Endpoints)
        .until("web", ({ subsets = [] }) => subsets.length > 0);
      expect(metadata.annotations).toMatchObject({ "endpoints.kubernetes.io/over-capacity": "truncated" });
      expect(subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0)).toBe(1000);
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { ports: [{ name: "p0", port: 80, targetPort: "p0" }] } });
      const { metadata: after } = await stage
        .of(Endpoints)
        .until("web", ({ subsets = [] }) =>
          subsets.every(({ ports = [] }) => ports.every(({ name }) => name === "p0")),
        );
      expect(after.annotations?.["endpoints.kubernetes.io/over-capacity"]).toBeUndefined();
    },
    chance: [{ where: /\bsubsets\b/, reason: "hashes of UIDs decide which subsets come last and are cut" }],
    exceptions: IN_MEMORY,
  },
  {
    name: "endpoints/15 waits for its own writes to come back, and writes nothing twice",
    alone: true,
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await stage.of(Endpoints).until("web");
      await stage.settle();
      stage.hold(Endpoints);
      await createServingPod(stage, "a", node, "10.1.0.1");
      await untilText(stage, "10.1.0.1: - 80/TCP");
      await createServingPod(stage, "b", node, "10.1.0.2");
      await stage.settle();
      await stage.calm(async () => expect(await writeCount(stage)).toBe(2));
      stage.release(Endpoints);
      await untilText(stage, "10.1.0.1 10.1.0.2: - 80/TCP");
      await stage.settle();
      await stage.calm(async () => expect(await writeCount(stage)).toBe(3));
    },
    exceptions: IN_MEMORY,
  },
  {
    name: "endpoints/16, endpoints/events says that another client was faster, and tries again",
    alone: true,
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await stage.of(Endpoints).until("web");
      await stage.settle();
      stage.hold(Endpoints);
      await stage.of(Endpoints).patch("web", { metadata: { annotations: { mine: "1" } } });
      await createServingPod(stage, "a", node, "10.1.0.1");
      const conflict = 'Operation cannot be fulfilled on endpoints "web"';
      await stage.event("FailedToUpdateEndpoint", ({ type, message }) => {
        const text = `Failed to update endpoint ${stage.namespace}/web: ${conflict}`;
        return type === "Warning" && (message ?? "").startsWith(text);
      });
      stage.release(Endpoints);
      const { metadata } = await untilText(stage, "10.1.0.1: - 80/TCP");
      expect(metadata.annotations).toMatchObject({ mine: "1" });
    },
    chance: [
      oftenTold("how often Go tries before it sees the other write"),
      { where: /last-change-trigger-time|metadata\.annotations/, reason: "the first try takes the time" },
    ],
    exceptions: IN_MEMORY,
  },
  {
    name: "endpoints/16 gives up silently in a namespace that is being deleted",
    async play(stage) {
      const name = await serveInEndingNamespace(stage);
      expect(await stage.of(Endpoints, name).list()).toEqual([]);
    },
  },
  {
    name: "endpoints/17 looks for Endpoints without a Service when it begins, and only then",
    async play(stage) {
      const leader = { "control-plane.alpha.kubernetes.io/leader": "{}" };
      await stage.of(Endpoints).create({ metadata: { name: "lock", annotations: leader } });
      await stage.of(Endpoints).create({ metadata: { name: "orphan" } });
      await createService(stage);
      await stage.of(Endpoints).until("web");
      await stage.settle();
      expect(await stage.of(Endpoints).find("lock")).toBeDefined();
      await stage.calm(async () => expect(await stage.of(Endpoints).find("orphan")).toBeDefined());
    },
    exceptions: [
      { where: /Endpoints \{play\} orphan|orphan/, reason: "checkLeftoverEndpoints: a manager that begins deletes it" },
    ],
  },
  {
    name: "endpoints/config collects changes of pods for --endpoint-updates-batch-period",
    profile: "batched",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await stage.of(Endpoints).until("web");
      await stage.settle(3000);
      for (const number of [1, 2, 3]) await createServingPod(stage, `pod-${number}`, node, `10.1.0.${number}`);
      await untilText(stage, "10.1.0.1 10.1.0.2 10.1.0.3: - 80/TCP");
      await stage.settle(3000);
      await stage.calm(async () => expect(await writeCount(stage)).toBe(2));
    },
  },
  {
    name: "endpoints/5 has addresses of the first family of the Service",
    profile: "dual-stack",
    realOnly: "the embedded server has one range of service addresses",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1", { ips: ["10.1.0.1", "2001:db8::0001"] });
      await createServingPod(stage, "b", node, "10.1.0.2");
      await stage.settle();
      await createService(stage, { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] });
      await untilText(stage, "2001:db8::1: - 80/TCP");
    },
  },
]);
