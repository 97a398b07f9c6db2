// The scheduler from pod to binding, on the embedded server. The vectors cover the choice of the best node
// (src/scheduler/choose-node.vectors.test.ts).

import { describe, expect, it } from "vitest";
import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { PriorityClasses } from "#api/generated/resources/scheduling-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import { type Interception, refusal } from "#test/stage/faulty-network.ts";
import { SchedulerStage } from "./scheduler-stage.ts";

const BINDING = "/api/v1/namespaces/default/pods/web/binding";
const ZONE = "topology.kubernetes.io/zone";
const claimed = (claimName: string) => ({ volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] });

describe("the scheduler", () => {
  it("scheduler/about, scheduler/writes, scheduler/7 binds a pod as its own user, and leaves other schedulers' pods alone", async () => {
    await using stage = await SchedulerStage.open();
    await stage.node("a");
    await stage.pod("web");
    await stage.pod("other", { schedulerName: "mine" });
    expect(await stage.places("web", "other")).toEqual(["a", ""]);
    expect(await stage.events("web")).toEqual(["default-scheduler Scheduled: Successfully assigned default/web to a"]);
    expect(stage.writes).toEqual([`POST ${BINDING} 201`]);
    expect(stage.log.writes[0]?.who).toBe("system:kube-scheduler");
    expect(await stage.events("other")).toEqual([]);
  });

  it("scheduler/2 gives room to the pod of higher priority, then to the one that has waited longer", async () => {
    await using stage = await SchedulerStage.open();
    await stage.create(PriorityClasses, { metadata: { name: "high" }, value: 1000 });
    await stage.node("a", { cpu: "2", spec: { unschedulable: true } });
    await stage.pod("first", { cpu: "1" });
    await stage.world.advance(100);
    await stage.pod("second", { cpu: "1" });
    await stage.world.advance(100);
    await stage.pod("urgent", { cpu: "1", priorityClassName: "high" });
    await stage.world.advance(20_000);
    await stage.patch(Nodes, "a", { spec: { unschedulable: false } });
    expect(await stage.places("first", "second", "urgent")).toEqual(["a", "", "a"]);
    expect(await stage.why("second")).toBe(
      "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    );
  });

  it("scheduler/4, scheduler/8 says why no node takes a pod, and tries again after an event that may help", async () => {
    await using stage = await SchedulerStage.open();
    await stage.node("a", { spec: { taints: [{ key: "dedicated", effect: "NoSchedule" }] } });
    await stage.node("b");
    await stage.pod("web", { nodeSelector: { disk: "ssd" } });
    const message =
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
    expect(await stage.why("web")).toBe(`Unschedulable: ${message}`);
    expect(await stage.events("web")).toEqual([`default-scheduler FailedScheduling: ${message}`]);
    const attempts = stage.log.writes.length;
    await stage.pod("neighbour"); // unrelated to the reasons for rejecting the pod
    await stage.patch(Nodes, "b", { metadata: { annotations: { seen: "true" } } });
    await stage.patch(Pods, "web", { status: { message: "noted" } }, "status");
    expect(await stage.places("web", "neighbour")).toEqual(["", "b"]);
    expect(stage.log.writes.slice(attempts).filter(({ target }) => target.includes("/web"))).toEqual([]);
    await stage.patch(Nodes, "b", { metadata: { labels: { disk: "ssd" } } });
    expect(await stage.places("web")).toEqual(["b"]);
  });

  it("scheduler/4, scheduler/8 writes the condition once, and tries a pod that no event has helped after five minutes", async () => {
    await using stage = await SchedulerStage.open();
    await stage.pod("web");
    expect(await stage.why("web")).toBe("Unschedulable: no nodes available to schedule pods");
    await stage.world.advance(6 * 60_000);
    expect(stage.writes).toEqual(["PATCH /api/v1/namespaces/default/pods/web/status 200"]);
    const told = stage.log.writes.filter(({ target }) => target.includes("/events"));
    expect(told.length).toBe(2);
  });

  it("scheduler/4 tries a pod again whose tolerations have changed", async () => {
    await using stage = await SchedulerStage.open();
    await stage.node("a", { spec: { taints: [{ key: "dedicated", effect: "NoSchedule" }] } });
    await stage.pod("web");
    expect(await stage.places("web")).toEqual([""]);
    const { spec } = await stage.get(Pods, "web");
    const tolerations = [...(spec?.tolerations ?? []), { key: "dedicated", operator: "Exists" }];
    await stage.patch(Pods, "web", { spec: { tolerations } });
    expect(await stage.places("web")).toEqual(["a"]);
  });

  it("scheduler/5 waits for the last scheduling gate to go", async () => {
    await using stage = await SchedulerStage.open();
    await stage.node("a");
    await stage.pod("web", { schedulingGates: [{ name: "quota" }] });
    expect(await stage.why("web")).toBe("SchedulingGated: Scheduling is blocked due to non-empty scheduling gates");
    expect(await stage.events("web")).toEqual([]);
    await stage.patch(Pods, "web", { spec: { schedulingGates: [] } });
    expect(await stage.places("web")).toEqual(["a"]);
  });

  it("scheduler/6 never gives the same room twice, and gives it again when a pod has gone or has ended", async () => {
    await using stage = await SchedulerStage.open();
    for (const name of ["a", "b"]) await stage.node(name, { cpu: "4" });
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await stage.pods(names, () => ({ cpu: "1" }));
    const places = await stage.places(...names);
    expect(Map.groupBy(places, (place) => place).get("a")).toHaveLength(4);
    expect(Map.groupBy(places, (place) => place).get("b")).toHaveLength(4);
    const [gone, ended] = names.filter((_, index) => places[index] === "a");
    await stage.delete(gone ?? "");
    await stage.patch(Pods, ended ?? "", { status: { phase: "Succeeded" } }, "status");
    await stage.world.advance(10_000);
    const rest = names.filter((name) => name !== gone);
    expect((await stage.places(...rest)).filter((place) => place === "")).toHaveLength(2);
  });

  it("scheduler/3, scheduler/7 frees the node when the binding fails, says so, and binds after the back-off", async () => {
    let failures = 2;
    const intercept: Interception = ({ method, path }) =>
      method === "POST" && path === BINDING && failures-- > 0 ? refusal(500, "InternalError") : undefined;
    await using stage = await SchedulerStage.open({ intercept });
    await stage.node("a", { cpu: "1" });
    await stage.pod("web", { cpu: "1" });
    expect(await stage.why("web")).toMatch(/^SchedulerError: running Bind plugin "DefaultBinder": /);
    expect(await stage.places("web")).toEqual([""]);
    const tries = (): readonly number[] =>
      stage.log.writes.filter(({ target }) => target === BINDING).map(({ atMs }) => atMs);
    await stage.world.advance(10_000);
    expect(await stage.places("web")).toEqual(["a"]);
    const [first = 0, second = 0, third = 0] = tries();
    expect([second - first, third - second]).toEqual([1_000, 2_000]);
  });

  it("scheduler/12 leaves a pod with resource claims Pending, and says why", async () => {
    await using stage = await SchedulerStage.open();
    await stage.node("a");
    await stage.pod("web", { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] });
    expect(await stage.why("web")).toBe(
      "Unschedulable: 0/1 nodes are available: pod uses resource claims, which this scheduler does not allocate.",
    );
  });
});

describe("volumes that wait for their first consumer", () => {
  const binder = { controllers: ["persistentvolume-binder-controller"] };
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const waiting = { volumeBindingMode: "WaitForFirstConsumer" };

  async function open(provisioner: string): Promise<SchedulerStage> {
    const stage = await SchedulerStage.open(binder);
    await stage.create(StorageClasses, { metadata: { name: "disk" }, provisioner, ...waiting });
    for (const zone of ["a", "b"]) await stage.node(`node-${zone}`, { labels: { [ZONE]: zone } });
    return stage;
  }

  const volumeIn = (zone: string, name: string, size: string) => ({
    metadata: { name },
    spec: {
      storageClassName: "disk",
      capacity: { storage: size },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: "In", values: [zone] }] }] },
      },
    },
  });

  it("scheduler/9 binds a volume that suits the node, then the pod", async () => {
    await using stage = await open("kubernetes.io/no-provisioner");
    await stage.create(PersistentVolumes, volumeIn("b", "local", "2Gi"));
    const metadata = { name: "data", namespace: "default" };
    await stage.create(PersistentVolumeClaims, { metadata, spec: { ...spec, storageClassName: "disk" } });
    await stage.world.clock.settle();
    await stage.pod("web", claimed("data"));
    await stage.world.advance(5_000);
    expect(await stage.places("web")).toEqual(["node-b"]);
    expect((await stage.get(PersistentVolumeClaims, "data")).status?.phase).toBe("Bound");
    expect(stage.writes).toEqual(["PUT /api/v1/persistentvolumes/local 200", `POST ${BINDING} 201`]);
  });

  it("scheduler/9 gives two pods that want the same volume at once only one of them", async () => {
    await using stage = await open("kubernetes.io/no-provisioner");
    await stage.create(PersistentVolumes, volumeIn("a", "local", "2Gi"));
    for (const name of ["one", "two"]) {
      const metadata = { name, namespace: "default" };
      await stage.create(PersistentVolumeClaims, { metadata, spec: { ...spec, storageClassName: "disk" } });
    }
    await stage.world.clock.settle();
    await stage.pods(["one", "two"], claimed);
    await stage.world.advance(5_000);
    expect([...(await stage.places("one", "two"))].sort()).toEqual(["", "node-a"]);
    expect(stage.writes.filter((write) => write.startsWith("PUT "))).toEqual([
      "PUT /api/v1/persistentvolumes/local 200",
    ]);
    const loser = (await stage.places("one"))[0] === "" ? "one" : "two";
    expect(await stage.why(loser)).toContain("2 node(s) didn't find available persistent volumes to bind");
    await stage.create(PersistentVolumes, volumeIn("b", "second", "2Gi"));
    await stage.world.advance(10_000);
    expect(await stage.places(loser)).toEqual(["node-b"]);
  });

  it("scheduler/9 asks for a volume on the chosen node, and waits until the claim is bound", async () => {
    await using stage = await open("example.com/disk");
    const metadata = { name: "data", namespace: "default" };
    await stage.create(PersistentVolumeClaims, { metadata, spec: { ...spec, storageClassName: "disk" } });
    await stage.world.clock.settle();
    await stage.pod("web", { ...claimed("data"), nodeSelector: { [ZONE]: "a" } });
    await stage.world.advance(60_000);
    expect(await stage.places("web")).toEqual([""]);
    const claim = await stage.get(PersistentVolumeClaims, "data");
    expect(claim.metadata.annotations?.["volume.kubernetes.io/selected-node"]).toBe("node-a");
    const { uid } = claim.metadata;
    const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", ...metadata, uid };
    const volume = volumeIn("a", "made", "1Gi");
    await stage.create(PersistentVolumes, { ...volume, spec: { ...volume.spec, claimRef } });
    await stage.world.advance(1_000);
    expect(await stage.places("web")).toEqual(["node-a"]);
  });

  it("scheduler/9 lets other pods go on while many wait for their volumes", async () => {
    await using stage = await open("example.com/disk");
    const names = Array.from({ length: 70 }, (_, index) => `p${index}`);
    for (const name of names) {
      const metadata = { name, namespace: "default" };
      await stage.create(PersistentVolumeClaims, { metadata, spec: { ...spec, storageClassName: "disk" } });
    }
    await stage.pods(names, claimed);
    await stage.pod("web");
    const [place] = await stage.places("web");
    expect(place).toMatch(/^node-/);
  });

  it("scheduler/9 gives up on a claim whose provisioner turned the node down, and chooses again", async () => {
    await using stage = await open("example.com/disk");
    const metadata = { name: "data", namespace: "default" };
    await stage.create(PersistentVolumeClaims, { metadata, spec: { ...spec, storageClassName: "disk" } });
    await stage.pod("web", claimed("data"));
    await stage.world.advance(1_000);
    const selected = "volume.kubernetes.io/selected-node";
    expect((await stage.get(PersistentVolumeClaims, "data")).metadata.annotations?.[selected]).toMatch(/^node-/);
    await stage.patch(PersistentVolumeClaims, "data", { metadata: { annotations: { [selected]: null } } });
    expect(await stage.why("web")).toBe(
      'SchedulerError: running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
    );
    await stage.world.advance(2_000);
    expect((await stage.get(PersistentVolumeClaims, "data")).metadata.annotations?.[selected]).toMatch(/^node-/);
  });
});
