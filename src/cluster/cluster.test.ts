import { describe, expect, it } from "vitest";
import { Deployments, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import {
  ComponentStatuses,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
} from "#api/generated/resources/core-v1.ts";
import type { LeaseSpec } from "#api/generated/types/coordination-v1.ts";
import { formatMicroTime } from "#api/time.ts";
import { noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { leadWhilePossible } from "./leadership.ts";
import { readStages } from "./stages-file.ts";
import { controllers, start } from "./testing.ts";

const election = defaultConfig.Generic.LeaderElection;
const signal = new AbortController().signal;

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "nginx" }] },
};

describe("a cluster in one process", () => {
  it("is ready before time passes, runs a Deployment's pods on its nodes, and ends", async () => {
    const { clock, cluster, client, stop, outcome } = start();
    let isReady = false;
    void cluster.ready.then(() => (isReady = true));
    await clock.settle();
    expect([isReady, cluster.controllers]).toEqual([true, ["serviceaccount-token-controller", ...controllers]]);
    const nodes = await client.resource(Nodes).list({}, signal);
    expect(nodes.items.map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2"]);
    const spec = { replicas: 4, selector: { matchLabels: { app: "web" } }, template };
    await client
      .resource(Deployments)
      .create({ object: { metadata: { name: "web", namespace: "default" }, spec } }, signal);
    await clock.advance(5_000);
    const pods = await client.resource(Pods).list({ namespace: "default" }, signal);
    expect(pods.items.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running", "Running"]);
    expect(new Set(pods.items.map((pod) => pod.spec?.nodeName)).size).toBe(2);
    stop.abort();
    await clock.advance(1_000);
    expect(outcome()).toBe("ended");
  });

  it("reports the usage of pods and nodes, so that an autoscaler follows the curve of an annotation", async () => {
    const { clock, client, stop } = start();
    await clock.settle();
    const annotations = { "sim.steersman.dev/cpu": "0s=50m 2m=50m 3m=200m" };
    const container = { name: "web", image: "nginx", resources: { requests: { cpu: "100m" } } };
    const spec = {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" }, annotations }, spec: { containers: [container] } },
    };
    const namespace = "default";
    await client.resource(Deployments).create({ namespace, object: { metadata: { name: "web" }, spec } }, signal);
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const target = { type: "Utilization", averageUtilization: 50 };
    const metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    await client
      .resource(HorizontalPodAutoscalers)
      .create(
        { namespace, object: { metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 4, metrics } } },
        signal,
      );
    const replicas = async (): Promise<number | undefined> =>
      (await client.resource(Deployments).get({ namespace, name: "web" }, signal)).spec?.replicas;
    await clock.advance(60_000);
    expect(await replicas()).toBe(1);
    const path = "/apis/metrics.k8s.io/v1beta1/nodes";
    const { bytes } = await client.raw({ method: "GET", path }, signal);
    const { items } = JSON.parse(new TextDecoder().decode(bytes)) as { items: { usage: { cpu: string } }[] };
    expect(items.map(({ usage }) => usage.cpu).sort()).toEqual(["0", "50m"]);
    await clock.advance(180_000);
    expect(await replicas()).toBe(4);
    stop.abort();
    await clock.advance(1000);
  });

  it("provisions the claims of a StatefulSet, grows a volume, and deletes it with its claim", async () => {
    const { clock, client } = start();
    await clock.settle();
    const claimOf = (storage: string) => ({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } });
    const spec = {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template,
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimOf("1Gi") }],
    };
    const sets = client.resource(StatefulSets);
    await sets.create({ object: { metadata: { name: "web", namespace: "default" }, spec } }, signal);
    const claims = client.resource(PersistentVolumeClaims);
    const volumes = client.resource(PersistentVolumes);
    const pods = async (): Promise<readonly unknown[]> =>
      (await client.resource(Pods).list({ namespace: "default" }, signal)).items.map(({ status }) => status?.phase);
    const claimSizes = async (): Promise<readonly unknown[]> =>
      (await claims.list({ namespace: "default" }, signal)).items.map((claim) => [
        claim.metadata.name,
        claim.spec?.storageClassName,
        claim.status?.phase,
        claim.status?.capacity?.storage,
      ]);
    const volumeSizes = async (): Promise<readonly unknown[]> =>
      (await volumes.list({}, signal)).items
        .map((volume) => `${volume.spec?.claimRef?.name} ${volume.status?.phase} ${volume.spec?.capacity?.storage}`)
        .sort();
    await clock.advance(10_000);
    expect(await pods()).toEqual(["Running", "Running"]);
    const wider = { namespace: "default", name: "data-web-1", type: "merge", patch: { spec: claimOf("2Gi") } } as const;
    await claims.patch(wider, signal);
    await clock.advance(1_000);
    expect(await claimSizes()).toEqual([
      ["data-web-0", "standard", "Bound", "1Gi"],
      ["data-web-1", "standard", "Bound", "2Gi"],
    ]);
    expect(await volumeSizes()).toEqual(["data-web-0 Bound 1Gi", "data-web-1 Bound 2Gi"]);
    await sets.patch({ namespace: "default", name: "web", type: "merge", patch: { spec: { replicas: 1 } } }, signal);
    await claims.delete({ namespace: "default", name: "data-web-1" }, signal);
    await clock.advance(30_000);
    expect([await pods(), await volumeSizes()]).toEqual([["Running"], ["data-web-0 Bound 1Gi"]]);
    const [volume] = (await volumes.list({}, signal)).items;
    const retained = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
    await volumes.patch({ name: volume?.metadata.name ?? "", type: "merge", patch: retained }, signal);
    await sets.delete({ namespace: "default", name: "web" }, signal);
    await client.resource(Pods).delete({ namespace: "default", name: "web-0" }, signal);
    await claims.delete({ namespace: "default", name: "data-web-0" }, signal);
    await clock.advance(30_000);
    expect(await volumeSizes()).toEqual(["data-web-0 Released 1Gi"]);
    const [kept] = (await volumes.list({}, signal)).items;
    expect(kept?.metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
  });

  it("serves logs of its pods, and reports that they are simulated when a container is needed", async () => {
    const { clock, client } = start();
    await clock.settle();
    const object = { metadata: { name: "web", namespace: "default" }, spec: template.spec };
    await client.resource(Pods).create({ object }, signal);
    await clock.advance(62_000);
    const path = "/api/v1/namespaces/default/pods/web";
    const { bytes } = await client.raw({ method: "GET", path: `${path}/log`, query: "tailLines=1" }, signal);
    expect(new TextDecoder().decode(bytes)).toBe("simulated container web has run for 1 min\n");
    await expect(client.raw({ method: "POST", path: `${path}/exec`, query: "command=ls" }, signal)).rejects.toThrow(
      'pods "web": exec is not available, because pods of this cluster are simulated: there are no containers',
    );
  });

  it("lets pods and nodes behave according to its stages", async () => {
    const rules =
      "pods: [{selector: app=web, start-after: 20s}]\nnodes: [{name: node-1, fails-at: 1m, returns-at: 3m}]";
    const { clock, client } = start(undefined, readStages("stages.yaml", rules));
    await clock.settle();
    const nodeName = "node-1";
    const object = {
      metadata: { name: "web", namespace: "default", labels: { app: "web" } },
      spec: { ...template.spec, nodeName },
    };
    await client.resource(Pods).create({ object }, signal);
    const state = async (): Promise<readonly unknown[]> => {
      const node = await client.resource(Nodes).get({ name: nodeName }, signal);
      const { status } = await client.resource(Pods).get({ namespace: "default", name: "web" }, signal);
      const ready = node.status?.conditions?.find(({ type }) => type === "Ready")?.status;
      return [ready, status?.phase, status?.containerStatuses?.[0]?.restartCount];
    };
    await clock.advance(15_000);
    expect(await state()).toEqual(["True", "Pending", 0]);
    await clock.advance(10_000);
    expect(await state()).toEqual(["True", "Running", 0]);
    await clock.advance(125_000);
    expect(await state()).toEqual(["Unknown", "Running", 0]);
    await clock.advance(60_000);
    expect(await state()).toEqual(["True", "Running", 1]);
  });

  it("reports the health of its parts", async () => {
    const { clock, client, stop } = start();
    const statuses = async (): Promise<readonly unknown[]> => {
      const { items } = await client.resource(ComponentStatuses).list({}, signal);
      return items.map(({ metadata, conditions }) => [
        metadata.name,
        conditions?.[0]?.status,
        conditions?.[0]?.message,
      ]);
    };
    const [manager, store, scheduler] = ["controller-manager", "etcd-0", "scheduler"];
    await clock.settle();
    expect(await statuses()).toEqual([manager, store, scheduler].map((name) => [name, "True", "ok"]));
    stop.abort();
    await clock.advance(1_000);
    expect(await statuses()).toEqual([
      [manager, "False", "it is not running or has not synced"],
      [store, "True", "ok"],
      [scheduler, "False", "it is not running"],
    ]);
  });

  it("keeps a second manager waiting, and releases the Lease at its end", async () => {
    const { clock, client, stop, holder, outcome } = start("cluster");
    await clock.advance(5_000);
    expect(await holder()).toBe("kube-controller-manager: cluster");
    const heard = new Set<string>();
    let terms = 0;
    const other = new AbortController();
    const waiting = leadWhilePossible(
      {
        clock,
        rng: seededRng("other"),
        log: noLog,
        client,
        identity: "other",
        election,
        run: async (_, leading) => {
          terms++;
          await clock.sleep(3_600_000, leading);
        },
        onWaiting: (name) => void heard.add(name),
      },
      other.signal,
    );
    await clock.advance(60_000);
    expect([[...heard], terms]).toEqual([["cluster"], 0]);
    stop.abort();
    await clock.advance(10_000);
    expect([outcome(), terms, await holder()]).toEqual(["ended", 1, "kube-controller-manager: other"]);
    other.abort();
    await clock.advance(1_000);
    await waiting;
    expect(await holder()).toBe("kube-controller-manager: ");
  });

  it("leads again after the machine was suspended for longer than the Lease duration", async () => {
    const { clock, client, holder, outcome } = start("cluster");
    await clock.advance(5_000);
    clock.stall(3_600_000);
    await clock.advance(30_000);
    expect([outcome(), await holder()]).toEqual(["running", "kube-controller-manager: cluster"]);
    const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
    await client
      .resource(Deployments)
      .create({ object: { metadata: { name: "web", namespace: "default" }, spec } }, signal);
    await clock.advance(5_000);
    expect((await client.resource(Pods).list({ namespace: "default" }, signal)).items).toHaveLength(1);
  });

  it.each([
    { ends: "lets it go", released: { holderIdentity: "", leaseDurationSeconds: 1 }, afterMs: 5_000 },
    { ends: "stops renewing it", released: undefined, afterMs: 20_000 },
  ])("stops acting when another holder takes its Lease, and leads again when that one $ends", async (row) => {
    const { clock, client, holder, outcome } = start("cluster");
    await clock.advance(5_000);
    const { resourceNamespace: namespace, resourceName: name } = election;
    const write = async (spec: LeaseSpec): Promise<void> => {
      const renewed = { ...spec, renewTime: formatMicroTime(clock.now()) };
      await client.resource(Leases).patch({ namespace, name, type: "merge", patch: { spec: renewed } }, signal);
    };
    const hold = async (seconds: number): Promise<void> => {
      for (let left = seconds; left > 0; left -= 2) {
        await write({ holderIdentity: "other", leaseDurationSeconds: 15 });
        await clock.advance(2_000);
      }
    };
    const pods = async (): Promise<number> =>
      (await client.resource(Pods).list({ namespace: "default" }, signal)).items.length;
    await hold(20);
    const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
    const object = { metadata: { name: "web", namespace: "default" }, spec };
    await client.resource(Deployments).create({ object }, signal);
    await hold(60);
    expect([await holder(), await pods()]).toEqual(["kube-controller-manager: other", 0]);
    if (row.released !== undefined) await write(row.released);
    await clock.advance(row.afterMs);
    expect([outcome(), await holder(), await pods()]).toEqual(["running", "kube-controller-manager: cluster", 2]);
    await clock.advance(60_000);
    expect([outcome(), await holder(), await pods()]).toEqual(["running", "kube-controller-manager: cluster", 2]);
  });

  it("fails as a whole when a controller fails under the Lease", async () => {
    const { clock, client } = start();
    const failing = leadWhilePossible(
      {
        clock,
        rng: seededRng("failing"),
        log: noLog,
        client,
        identity: "failing",
        election,
        run: () => Promise.reject(new Error("no such file")),
        onWaiting: () => undefined,
      },
      signal,
    );
    const failed = expect(failing).rejects.toThrow("no such file");
    await clock.advance(20_000);
    await failed;
  });
});
