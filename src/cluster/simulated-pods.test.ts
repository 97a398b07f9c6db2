// The visible behaviour of simulated pods: columns of kubectl, events, and the answers of kubelets.

import { describe, expect, it } from "vitest";
import { Deployments } from "#api/generated/resources/apps-v1.ts";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Events, Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod, PodSpec } from "#api/generated/types/core-v1.ts";
import { podPrinter } from "#kinds/core/pod-printer.ts";
import { readStages } from "./stages-file.ts";
import { type StartedCluster, start } from "./testing.ts";

const signal = new AbortController().signal;
const namespace = "default";
const web = { name: "web", image: "nginx" };
const sim = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`sim.steersman.dev/${name}`, value]));

function usersOf({ clock, client }: StartedCluster) {
  const pods = client.resource(Pods);
  return {
    async create(name: string, spec: Partial<PodSpec>, metadata: Pod["metadata"] = {}): Promise<void> {
      const object = { metadata: { ...metadata, name }, spec: { containers: [web], ...spec } };
      await pods.create({ namespace, object }, signal);
    },
    /** Ready, status and restarts, as `kubectl get pods` prints them. */
    async printed(): Promise<readonly string[]> {
      const { items } = await pods.list({ namespace }, signal);
      return items.map((pod) => podPrinter.row(pod, clock.now()).cells.slice(0, 4).join(" "));
    },
    /** Reason, message and count. */
    async events(name: string): Promise<readonly string[]> {
      const { items } = await client.resource(Events).list({ namespace }, signal);
      return items
        .filter(({ involvedObject, source }) => involvedObject.name === name && source?.component === "kubelet")
        .map(({ reason, message, count }) => `${reason}: ${message}${count === 1 ? "" : ` (x${count})`}`);
    },
  };
}

describe("simulated pods", () => {
  it("print failures of init containers like kubectl", async () => {
    const cluster = start(undefined, readStages("stages.yaml", "pods: [{exit-code: migrate=3}]"));
    const users = usersOf(cluster);
    await cluster.clock.settle();
    const initContainers = [{ name: "migrate", image: "tool" }];
    await users.create("always", { initContainers });
    await users.create("never", { initContainers, restartPolicy: "Never" });
    await users.create("fine", { initContainers }, { annotations: sim({ "exit-code": "0" }) });
    await users.create("slow", { initContainers }, { annotations: sim({ "exit-code": "0", "run-for": "migrate=1h" }) });
    await cluster.clock.advance(28_000);
    expect(await users.printed()).toEqual([
      "always 0/1 Init:CrashLoopBackOff 2 (18s ago)",
      "fine 1/1 Running 0",
      "never 0/1 Init:Error 0",
      "slow 0/1 Init:0/1 0",
    ]);
    expect(await users.events("always")).toEqual([
      'Pulled: Container image "tool" already present on machine and can be accessed by the pod (x3)',
      "Created: Container created (x3)",
      "Started: Container started (x3)",
      expect.stringMatching(
        /^BackOff: Back-off restarting failed container migrate in pod always_default\(.+\) \(x2\)$/,
      ),
    ]);
  });

  it("have the address of their node with hostNetwork, and one of its range otherwise", async () => {
    const { clock, client } = start();
    const pods = client.resource(Pods);
    await clock.settle();
    for (const hostNetwork of [true, false]) {
      const spec = { containers: [web], hostNetwork, nodeName: "node-1" };
      await pods.create({ namespace, object: { metadata: { name: `host-${hostNetwork}` }, spec } }, signal);
    }
    await clock.advance(2000);
    const { items } = await pods.list({ namespace }, signal);
    expect(items.map(({ metadata, status }) => [metadata.name, status?.hostIP, status?.podIP, status?.podIPs])).toEqual(
      [
        ["host-false", "192.168.0.10", "10.244.0.2", [{ ip: "10.244.0.2" }]],
        ["host-true", "192.168.0.10", "192.168.0.10", [{ ip: "192.168.0.10" }]],
      ],
    );
  });

  it("report the generation of their spec", async () => {
    const { clock, client } = start();
    const pods = client.resource(Pods);
    await clock.settle();
    await pods.create({ namespace, object: { metadata: { name: "web" }, spec: { containers: [web] } } }, signal);
    const generations = async (): Promise<readonly unknown[]> => {
      await clock.advance(2000);
      const { metadata, status } = await pods.get({ namespace, name: "web" }, signal);
      return [metadata.generation, status?.observedGeneration];
    };
    expect(await generations()).toEqual([1, 1]);
    const patch = { spec: { activeDeadlineSeconds: 3600 } };
    await pods.patch({ namespace, name: "web", type: "merge", patch }, signal);
    expect(await generations()).toEqual([2, 2]);
  });

  it("become available by readiness probes, and restart by liveness probes", async () => {
    const cluster = start();
    const { clock, client } = cluster;
    const users = usersOf(cluster);
    await clock.settle();
    const labels = { app: "web" };
    const readinessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 20 };
    const spec = {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ ...web, readinessProbe }] } },
    };
    const deployments = client.resource(Deployments);
    await deployments.create({ namespace, object: { metadata: { name: "web" }, spec } }, signal);
    const livenessProbe = { tcpSocket: { port: 80 }, failureThreshold: 2 };
    const annotations = sim({ "liveness-fails-after": "15s" });
    await users.create("hung", { containers: [{ ...web, livenessProbe }] }, { annotations });
    const available = async (): Promise<number> =>
      (await deployments.get({ namespace, name: "web" }, signal)).status?.availableReplicas ?? 0;
    await clock.advance(15_000);
    expect([await available(), (await users.printed())[0]]).toEqual([0, "hung 1/1 Running 0"]);
    await clock.advance(10_000);
    expect(await available()).toBe(2);
    await clock.advance(10_000);
    expect((await users.printed())[0]).toBe("hung 1/1 Running 1 (5s ago)");
    await clock.advance(32_000);
    expect((await users.printed())[0]).toBe("hung 0/1 CrashLoopBackOff 1 (7s ago)");
    expect((await users.events("hung")).slice(3)).toEqual([
      expect.stringMatching(/^Unhealthy: Liveness probe failed: dial tcp .+:80: connect: connection refused \(x4\)$/),
      "Killing: Container web failed liveness probe, will be restarted (x2)",
      expect.stringMatching(/^BackOff: Back-off restarting failed container web in pod hung_default/),
    ]);
  });

  it("are deleted when they have stopped, or when their grace period ends", async () => {
    const cluster = start();
    const { clock, client } = cluster;
    const users = usersOf(cluster);
    await clock.settle();
    const annotations = sim({ "stop-after": "20s" });
    const grace: Readonly<Record<string, number>> = { now: 0, short: 10, usual: 30 };
    for (const name of Object.keys(grace)) await users.create(name, {}, { annotations });
    await clock.advance(2000);
    for (const [name, gracePeriodSeconds] of Object.entries(grace)) {
      await client.resource(Pods).delete({ namespace, name, options: { gracePeriodSeconds } }, signal);
    }
    expect(await users.printed()).toEqual(["short 1/1 Terminating 0", "usual 1/1 Terminating 0"]);
    await clock.advance(11_000);
    expect(await users.printed()).toEqual(["usual 1/1 Terminating 0"]);
    expect((await users.events("usual")).at(-1)).toBe("Killing: Stopping container web");
    await clock.advance(10_000);
    expect(await users.printed()).toEqual([]);
  });

  it("fill a node up to its number of pods", async () => {
    const { clock, client } = start();
    await clock.settle();
    const labels = { app: "web" };
    const nodeSelector = { "kubernetes.io/hostname": "node-1" };
    const template = { metadata: { labels }, spec: { containers: [web], nodeSelector } };
    const spec = { replicas: 111, selector: { matchLabels: labels }, template };
    await client.resource(Deployments).create({ namespace, object: { metadata: { name: "web" }, spec } }, signal);
    await clock.advance(10_000);
    const { items } = await client.resource(Pods).list({ namespace }, signal);
    const waiting = items.filter(({ status }) => status?.phase !== "Running");
    expect([items.length, waiting.length]).toEqual([111, 1]);
    expect(waiting[0]?.status?.conditions?.[0]?.message).toContain(
      "0/2 nodes are available: 1 Too many pods, 1 node(s)",
    );
  }, 60_000);

  it("run on nodes that renew their Leases and report their state in a kubelet's words", async () => {
    const { clock, client } = start();
    await clock.settle();
    const { status } = await client.resource(Nodes).get({ name: "node-1" }, signal);
    expect(status?.conditions?.map(({ type, status, message }) => `${type} ${status}: ${message}`)).toEqual([
      "MemoryPressure False: kubelet has sufficient memory available",
      "DiskPressure False: kubelet has no disk pressure",
      "PIDPressure False: kubelet has sufficient PID available",
      "Ready True: kubelet is posting ready status",
    ]);
    expect(status?.allocatable).toEqual({ cpu: "16", memory: "64Gi", "ephemeral-storage": "100Gi", pods: "110" });
    const renewed = async () =>
      (await client.resource(Leases).get({ namespace: "kube-node-lease", name: "node-1" }, signal)).spec?.renewTime;
    const before = Date.parse((await renewed()) ?? "");
    await clock.advance(35_000);
    expect(Date.parse((await renewed()) ?? "") - before).toBe(30_000);
  });

  it("continue to run while their node is partitioned", async () => {
    const rules = "nodes: [{name: node-1, partitioned-at: 1m, heals-at: 3m}]";
    const cluster = start(undefined, readStages("stages.yaml", rules));
    const users = usersOf(cluster);
    await cluster.clock.settle();
    await users.create("web", { nodeName: "node-1" });
    await cluster.clock.advance(140_000);
    expect(await users.printed()).toEqual(["web 1/1 Running 0"]);
    const ready = async () => {
      const { status } = await cluster.client.resource(Pods).get({ namespace, name: "web" }, signal);
      return status?.conditions?.find(({ type }) => type === "Ready")?.status;
    };
    expect(await ready()).toBe("False");
    await cluster.clock.advance(60_000);
    expect([await ready(), await users.printed()]).toEqual(["True", ["web 1/1 Running 0"]]);
  });

  it("report the usage of each running container, including sidecars", async () => {
    const cluster = start();
    await cluster.clock.settle();
    const initContainers = [
      { name: "migrate", image: "tool" },
      { name: "proxy", image: "tool", restartPolicy: "Always" },
    ];
    await usersOf(cluster).create("web", { initContainers }, { annotations: sim({ cpu: "200m", memory: "64Mi" }) });
    await cluster.clock.advance(2000);
    const path = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web";
    const { bytes } = await cluster.client.raw({ method: "GET", path }, signal);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({
      containers: [
        { name: "web", usage: { cpu: "200m", memory: "64Mi" } },
        { name: "proxy", usage: { cpu: "1m", memory: "16Mi" } },
      ],
    });
  });

  it("report how they ended, even if a finalizer keeps their objects", async () => {
    const cluster = start();
    const users = usersOf(cluster);
    await cluster.clock.settle();
    const pods = cluster.client.resource(Pods);
    const kept = { finalizers: ["example.com/keep"] };
    await users.create("gone", {});
    await users.create("server", {}, kept);
    await users.create("slow", {}, { ...kept, annotations: sim({ "stop-after": "1m" }) });
    await users.create("worker", { restartPolicy: "Never" }, { ...kept, annotations: sim({ "run-for": "1h" }) });
    await cluster.clock.advance(2000);
    for (const name of ["gone", "server", "slow", "worker"]) await pods.delete({ namespace, name }, signal);
    await cluster.clock.advance(2000);
    expect(await users.printed()).toEqual(["server 0/1 Completed 0", "slow 1/1 Terminating 0", "worker 0/1 Error 0"]);
    await cluster.clock.advance(30_000);
    expect((await users.printed())[1]).toBe("slow 0/1 Error 0");
  });

  it.each(["exec", "attach", "portforward"])("say that there are no containers: %s", async (subresource) => {
    const cluster = start();
    await cluster.clock.settle();
    await usersOf(cluster).create("web", {});
    await cluster.clock.advance(2000);
    const path = `/api/v1/namespaces/default/pods/web/${subresource}`;
    await expect(cluster.client.raw({ method: "POST", path, query: "command=ls" }, signal)).rejects.toThrow(
      `pods "web": ${subresource} is not available, because pods of this cluster are simulated: there are no containers`,
    );
  });

  it("report an annotation that cannot be read, and ignore it", async () => {
    const cluster = start();
    const users = usersOf(cluster);
    await cluster.clock.settle();
    await users.create("web", {}, { annotations: sim({ "exit-code": "one" }) });
    await cluster.clock.advance(2000);
    expect(await users.printed()).toEqual(["web 1/1 Running 0"]);
    expect((await users.events("web"))[0]).toBe(
      'InvalidSimulation: annotation sim.steersman.dev/exit-code: must be a number from 0 to 255: "one"',
    );
  });
});
