// The requests and metrics of the binder.

import { afterEach, describe, expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { EVERY_TIME, refusal } from "#test/stage/faulty-network.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

const MANY = 1000;

let stage: WireStage;
afterEach(() => stage.stop());

async function open(config: Partial<ComponentConfig> = {}): Promise<void> {
  stage = await openWire({ controllers: ["persistentvolume-binder-controller"], config });
}

const createVolume = (name: string): Promise<unknown> =>
  stage.of(PersistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "slow",
      csi: { driver: "csi.example.com", volumeHandle: name },
    },
  });
const createClaim = (name: string, storageClassName = "slow"): Promise<ObjectOf<typeof PersistentVolumeClaims>> =>
  stage.of(PersistentVolumeClaims).create({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
  });
const createClass = (provisioner: string): Promise<unknown> =>
  stage.of(StorageClasses).create({ metadata: { name: "made" }, provisioner });

const untilPhase = (name: string, phase: string): Promise<unknown> =>
  stage.of(PersistentVolumes).until(name, ({ status }) => status?.phase === phase);
const untilBound = (name: string): Promise<unknown> =>
  stage.of(PersistentVolumeClaims).until(name, ({ status }) => status?.phase === "Bound");

/** Requests for objects: "PUT persistentvolumes/v/status". */
const asked = (): string[] =>
  stage.network.requests
    .map(({ method, path }) => `${method} ${path.replace(/^\/api\/v1\/(namespaces\/scenario\/)?/, "")}`)
    .filter(
      (line) => /^[A-Z]+ persistentvolume(claim)?s(\/|$)/.test(line) && !/^GET persistentvolume(claim)?s$/.test(line),
    );

describe("the requests of the binder", () => {
  it("persistentvolume-binder/watches, persistentvolume-binder/about watches volumes, claims, classes, pods and nodes", async () => {
    await open();
    expect(stage.watches()).toEqual([
      "shared-informers /api/v1/nodes",
      "shared-informers /api/v1/persistentvolumeclaims",
      "shared-informers /api/v1/persistentvolumes",
      "shared-informers /api/v1/pods",
      "shared-informers /apis/storage.k8s.io/v1/storageclasses",
    ]);
  });

  it("persistentvolume-binder/writes, persistentvolume-binder/reads-live puts five times for a claim and its volume, and reads nothing", async () => {
    await open();
    await createVolume("v");
    await untilPhase("v", "Available");
    await createClaim("data");
    await untilBound("data");
    await stage.pass(60_000);
    expect(asked()).toEqual([
      "PUT persistentvolumes/v/status",
      "PUT persistentvolumes/v",
      "PUT persistentvolumes/v/status",
      "PUT persistentvolumeclaims/data",
      "PUT persistentvolumeclaims/data/status",
    ]);
    await stage.of(PersistentVolumeClaims).delete("data");
    await stage.of(PersistentVolumeClaims).patch("data", { metadata: { finalizers: null } });
    await untilPhase("v", "Released");
    expect(asked().slice(5)).toEqual(["GET persistentvolumeclaims/data", "PUT persistentvolumes/v/status"]);
  });

  it("persistentvolume-binder/queues, persistentvolume-binder/8 goes on with a bond where it was refused, however often", async () => {
    await open();
    await createVolume("v");
    await untilPhase("v", "Available");
    stage.network.refuse("PUT persistentvolumeclaims", refusal(403, "Forbidden"), 40);
    await createClaim("data");
    await stage.pass(600_000);
    await untilBound("data");
    expect(asked().filter((line) => line === "PUT persistentvolumes/v")).toHaveLength(1);
    expect(asked().filter((line) => line === "PUT persistentvolumeclaims/data").length).toBeGreaterThan(40);
  });

  it("persistentvolume-binder/writes a thousand claims and volumes cost five writes each", async () => {
    await open();
    for (let i = 0; i < MANY; i++) await createVolume(`v${i}`);
    await stage.pass(120_000);
    for (let i = 0; i < MANY; i++) await createClaim(`c${i}`);
    await stage.of(PersistentVolumeClaims).untilAll((all) => all.every(({ status }) => status?.phase === "Bound"));
    await stage.pass(60_000);
    expect(asked()).toHaveLength(5 * MANY);
    const volumes = await stage.of(PersistentVolumes).list();
    expect(new Set(volumes.map(({ spec }) => spec?.claimRef?.uid)).size).toBe(MANY);
  }, 120_000);

  it("persistentvolume-binder/20, persistentvolume-binder/events gives storage up for which no volume can be made", async () => {
    const { PersistentVolumeBinderController: usual } = defaultConfig;
    const VolumeConfiguration = { ...usual.VolumeConfiguration, EnableHostPathProvisioning: true };
    await open({ PersistentVolumeBinderController: { ...usual, VolumeConfiguration } });
    await createClass("kubernetes.io/host-path");
    stage.network.refuse("POST persistentvolumes", refusal(403, "Forbidden"), EVERY_TIME);
    await createClaim("data", "made");
    await stage.event("ProvisioningFailed", ({ message }) => message?.endsWith("Deleting the volume.") === true);
    expect(asked().filter((line) => line === "POST persistentvolumes")).toHaveLength(5);
    await stage.event("ProvisioningCleanupFailed");
  });

  it("persistentvolume-binder/metrics counts volumes and claims, and measures how long they take", async () => {
    await open();
    await createClass("csi.example.com");
    await createVolume("v");
    await untilPhase("v", "Available");
    await createVolume("spare");
    await createClaim("data");
    await untilBound("data");
    stage.network.refuse("PUT persistentvolumeclaims", refusal(403, "Forbidden"));
    await createClaim("waiting", "made");
    await stage.pass(30_000);
    const made = await createClaim("soon", "made");
    await stage.of(PersistentVolumes).create({
      metadata: { name: "made" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "made",
        hostPath: { path: "/x" },
        claimRef: { namespace: "scenario", name: "soon", uid: made.metadata.uid },
      },
    });
    await untilBound("soon");
    const lines = stage.metrics.render().split("\n");
    for (const line of [
      'pv_collector_total_pv_count{plugin_name="N/A",volume_mode="Filesystem"} 2',
      'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"} 1',
      'pv_collector_bound_pv_count{storage_class="slow"} 1',
      'pv_collector_unbound_pv_count{storage_class="slow"} 1',
      'pv_collector_bound_pvc_count{namespace="scenario",storage_class="slow",volume_attributes_class=""} 1',
      'pv_collector_unbound_pvc_count{namespace="scenario",storage_class="made",volume_attributes_class=""} 1',
      'volume_operation_errors_total{operation_name="provision",plugin_name="csi.example.com"} 1',
      'volume_operation_total_seconds_count{operation_name="provision",plugin_name="csi.example.com"} 1',
      "retroactive_storageclass_total 0",
      "retroactive_storageclass_errors_total 0",
    ]) {
      expect(lines).toContain(line);
    }
  });
});
