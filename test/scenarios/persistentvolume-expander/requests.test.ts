// The requests and metrics of the expander.

import { afterEach, describe, expect, it } from "vitest";
import { Events, PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import type { PersistentVolumeSpec } from "#api/generated/types/core-v1.ts";
import { refusal } from "#test/stage/faulty-network.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

let stage: WireStage;
afterEach(() => stage.stop());

async function open(): Promise<void> {
  stage = await openWire({ controllers: ["persistentvolume-expander-controller"] });
}

const FLEX: PersistentVolumeSpec = { flexVolume: { driver: "example.com/flex" } };
const CSI: PersistentVolumeSpec = { csi: { driver: "csi.example.com", volumeHandle: "h" } };

/** Creates a claim of 1Gi with its volume, as the binder would have bound them. */
async function bound(source: PersistentVolumeSpec, uid?: string): Promise<void> {
  const storageClass = { metadata: { name: "grows" }, provisioner: "x", allowVolumeExpansion: true };
  await stage.of(StorageClasses).create(storageClass);
  const common = { accessModes: ["ReadWriteOnce"], storageClassName: "grows" };
  const claims = stage.of(PersistentVolumeClaims);
  const resources = { requests: { storage: "1Gi" } };
  const claim = await claims.create({ metadata: { name: "data" }, spec: { ...common, resources, volumeName: "v" } });
  const claimRef = { namespace: stage.namespace, name: "data", uid: uid ?? claim.metadata.uid };
  const spec = { ...common, capacity: { storage: "1Gi" }, claimRef, ...source };
  await stage.of(PersistentVolumes).create({ metadata: { name: "v" }, spec });
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  await claims.updateStatus("data", (stored) => ({ ...stored, status }));
}

const grow = (storage: string): Promise<unknown> =>
  stage.of(PersistentVolumeClaims).patch("data", { spec: { resources: { requests: { storage } } } });

const asked = (): string[] =>
  stage.network.requests
    .map(({ method, path }) => `${method} ${path.replace(/^\/api\/v1\/(namespaces\/scenario\/)?/, "")}`)
    .filter((line) => /^[A-Z]+ persistentvolume(claim)?s\//.test(line));

describe("the requests of the expander", () => {
  it("persistentvolume-expander/watches, persistentvolume-expander/about watches claims alone", async () => {
    await open();
    expect(stage.watches()).toEqual(["shared-informers /api/v1/persistentvolumeclaims"]);
  });

  it("persistentvolume-expander/reads-live, persistentvolume-expander/writes reads the volume and patches both sides", async () => {
    await open();
    await bound(FLEX);
    await stage.pass(1000);
    await grow("2Gi");
    await stage.of(PersistentVolumeClaims).until("data", ({ status }) => {
      return status?.allocatedResourceStatuses?.storage === "NodeResizePending";
    });
    await stage.pass(1000);
    expect(asked()).toEqual([
      "GET persistentvolumes/v", // when it was bound
      "GET persistentvolumes/v",
      "PATCH persistentvolumeclaims/data/status",
      "PATCH persistentvolumes/v",
      "PATCH persistentvolumeclaims/data/status",
      "PATCH persistentvolumes/v",
    ]);
    const plugin = 'volume_plugin="example.com/flex"';
    expect(stage.metrics.render()).toContain(
      `storage_operation_duration_seconds_count{migrated="false",operation_name="expand_volume",status="success",${plugin}} 1`,
    );
  });

  it("persistentvolume-expander/2, persistentvolume-expander/tests does not touch the volume of another claim, and tries again", async () => {
    await open();
    await bound(FLEX, "00000000-0000-0000-0000-000000000001");
    await grow("2Gi");
    await stage.pass(60_000);
    expect(new Set(asked())).toEqual(new Set(["GET persistentvolumes/v"]));
    expect(asked().length).toBeGreaterThan(5);
  });

  it("persistentvolume-expander/events, persistentvolume-expander/metrics tells of an expansion that fails, and goes on with it", async () => {
    await open();
    await bound(FLEX);
    await stage.pass(1000);
    stage.network.refuse("PATCH persistentvolumes", refusal(403, "Forbidden"));
    await grow("2Gi");
    const { message } = await stage.event("VolumeResizeFailed");
    expect(message).toMatch(/^error updating pv for pvc scenario\/data: error Patching PV "v" with error : /);
    await stage.of(PersistentVolumes).until("v", ({ spec }) => spec?.capacity?.storage === "2Gi");
    expect(stage.metrics.render()).toContain('operation_name="expand_volume",status="fail-unknown"');
  });

  it("persistentvolume-expander/traps, persistentvolume-expander/4 says the same again with each wish", async () => {
    await open();
    await bound(CSI);
    await stage.pass(1000);
    for (const size of ["2Gi", "3Gi", "4Gi"]) {
      await grow(size);
      await stage.pass(1000);
    }
    const told = (await stage.of(Events).list()).filter(({ reason }) => reason === "ExternalExpanding");
    expect(told.map(({ count }) => count)).toEqual([3]);
  });
});
