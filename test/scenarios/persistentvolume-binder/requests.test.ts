// What the binder asks of the API server and counts.

import { afterEach, describe, expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import type { Draft, ObjectOf, Resource, StoredObject } from "#api/resource.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { type EmbeddedStage, embeddedStage } from "../embedded-stage.ts";
import { FaultyNetwork } from "../faulty-network.ts";
import { EVERY_TIME, refusal } from "../replica-objects.ts";
import { createObject, remove, untilEvent, untilFound } from "../steps.ts";

const MANY = 1000;

let stage: EmbeddedStage;
let network: FaultyNetwork;
let metrics: MetricRegistry;
afterEach(async () => {
  network.pass();
  await stage.stop();
});

async function open(config: Partial<ComponentConfig> = {}): Promise<void> {
  network = new FaultyNetwork();
  metrics = new MetricRegistry({ version: "1.36.4" });
  stage = await embeddedStage({
    controllers: ["persistentvolume-binder-controller"],
    config,
    metrics,
    network: (transport) => network.over(transport),
  });
}

const create = <T extends StoredObject>(resource: Resource<T>, object: Draft<T>): Promise<T> =>
  stage.do((client, signal) => client.resource(resource).create({ object }, signal));
const createVolume = (name: string): Promise<unknown> =>
  create(PersistentVolumes, {
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "slow",
      csi: { driver: "csi.example.com", volumeHandle: name },
    },
  });
const createClaim = (name: string, storageClassName = "slow"): Promise<ObjectOf<typeof PersistentVolumeClaims>> =>
  createObject(stage, PersistentVolumeClaims, {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
  });
const createClass = (provisioner: string): Promise<unknown> =>
  create(StorageClasses, { metadata: { name: "made" }, provisioner });

const untilPhase = (name: string, phase: string): Promise<unknown> =>
  untilFound(stage, PersistentVolumes, name, ({ status }) => status?.phase === phase, "");
const untilBound = (name: string): Promise<unknown> =>
  untilFound(stage, PersistentVolumeClaims, name, ({ status }) => status?.phase === "Bound");

/** Requests for objects: "PUT persistentvolumes/v/status". */
const asked = (): string[] =>
  network.requests
    .map(({ method, path }) => `${method} ${path.replace(/^\/api\/v1\/(namespaces\/scenario\/)?/, "")}`)
    .filter(
      (line) => /^[A-Z]+ persistentvolume(claim)?s(\/|$)/.test(line) && !/^GET persistentvolume(claim)?s$/.test(line),
    );

describe("the requests of the binder", () => {
  it("persistentvolume-binder/watches, persistentvolume-binder/about watches volumes, claims, classes, pods and nodes", async () => {
    await open();
    const watches = stage.world.log.requests.filter(({ target }) => /[?&]watch=/.test(target));
    expect(watches.map(({ target, who }) => `${who} ${target.split("?")[0]}`).sort()).toEqual([
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
    await remove(stage, PersistentVolumeClaims, "data");
    await stage.world.do((client, signal) =>
      client
        .resource(PersistentVolumeClaims)
        .patch(
          { namespace: "scenario", name: "data", type: "merge", patch: { metadata: { finalizers: null } } },
          signal,
        ),
    );
    await untilPhase("v", "Released");
    expect(asked().slice(5)).toEqual(["GET persistentvolumeclaims/data", "PUT persistentvolumes/v/status"]);
  });

  it("persistentvolume-binder/queues, persistentvolume-binder/8 goes on with a bond where it was refused, however often", async () => {
    await open();
    await createVolume("v");
    await untilPhase("v", "Available");
    network.refuse("PUT persistentvolumeclaims", refusal(403, "Forbidden"), 40);
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
    await stage.until(async (client, signal) => {
      const { items } = await client.resource(PersistentVolumeClaims).list({}, signal);
      return items.every(({ status }) => status?.phase === "Bound") || undefined;
    });
    await stage.pass(60_000);
    expect(asked()).toHaveLength(5 * MANY);
    const volumes = await stage.world.do((client, signal) => client.resource(PersistentVolumes).list({}, signal));
    expect(new Set(volumes.items.map(({ spec }) => spec?.claimRef?.uid)).size).toBe(MANY);
  }, 120_000);

  it("persistentvolume-binder/20, persistentvolume-binder/events gives storage up for which no volume can be made", async () => {
    const { PersistentVolumeBinderController: usual } = defaultConfig;
    const VolumeConfiguration = { ...usual.VolumeConfiguration, EnableHostPathProvisioning: true };
    await open({ PersistentVolumeBinderController: { ...usual, VolumeConfiguration } });
    await createClass("kubernetes.io/host-path");
    network.refuse("POST persistentvolumes", refusal(403, "Forbidden"), EVERY_TIME);
    await createClaim("data", "made");
    await untilEvent(stage, ({ reason, message }) => {
      return reason === "ProvisioningFailed" && message?.endsWith("Deleting the volume.") === true;
    });
    expect(asked().filter((line) => line === "POST persistentvolumes")).toHaveLength(5);
    await untilEvent(stage, ({ reason }) => reason === "ProvisioningCleanupFailed");
  });

  it("persistentvolume-binder/metrics counts volumes and claims, and measures how long they take", async () => {
    await open();
    await createClass("csi.example.com");
    await createVolume("v");
    await untilPhase("v", "Available");
    await createVolume("spare");
    await createClaim("data");
    await untilBound("data");
    network.refuse("PUT persistentvolumeclaims", refusal(403, "Forbidden"));
    await createClaim("waiting", "made");
    await stage.pass(30_000);
    const made = await createClaim("soon", "made");
    await create(PersistentVolumes, {
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
    const lines = metrics.render().split("\n");
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
