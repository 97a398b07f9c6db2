// The protection controllers with an API server that refuses their requests.

import { expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { VolumeAttributesClasses } from "#api/generated/resources/storage-v1.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

class ProtectionWorld extends WireStage {
  /** The number of the controller's next matching requests that are refused. */
  refusals = 0;

  /** The pattern matches requests: "PUT /api/…". */
  static async open(controller: string, identity: string, refused: RegExp): Promise<ProtectionWorld> {
    const world = await new ProtectionWorld({ controllers: [controller], seed: controller }).opened();
    const intercept: Interception = ({ method, path }, who) => {
      if (who !== identity || world.refusals === 0 || !refused.test(`${method} ${path}`)) return undefined;
      world.refusals--;
      return unavailable;
    };
    return await world.started({ intercept });
  }

  async createClaim(name: string): Promise<void> {
    const resources = { requests: { storage: "1Gi" } };
    await this.of(PersistentVolumeClaims).create({
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources },
    });
  }
}

const protectionOf = (controller: string, identity: string) => ({ controller, identity });
const claims = protectionOf("persistentvolumeclaim-protection-controller", "pvc-protection-controller");
const volumes = protectionOf("persistentvolume-protection-controller", "pv-protection-controller");
const classes = protectionOf(
  "volumeattributesclass-protection-controller",
  "volumeattributesclass-protection-controller",
);

const volume = {
  metadata: { name: "data" },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    csi: { driver: "csi.example.com", volumeHandle: "handle" },
  },
};
const attributesClass = {
  metadata: { name: "data" },
  driverName: "csi.example.com",
  parameters: { iops: "500" },
};

async function retries(
  { controller, identity }: ReturnType<typeof protectionOf>,
  resource: Resource<StoredObject>,
  create: (world: ProtectionWorld) => Promise<unknown>,
): Promise<void> {
  await using world = await ProtectionWorld.open(controller, identity, /^PUT /);
  const finalizersOf = async () => (await world.of(resource).find("data"))?.metadata.finalizers;
  await create(world);
  const given = await finalizersOf();
  world.refusals = 4;
  await world.of(resource).patch("data", { metadata: { finalizers: null } });
  await world.pass(10_000);
  expect(await finalizersOf()).toEqual(given);
  expect(world.requests("PUT")).toHaveLength(5);
  world.refusals = 2;
  await world.of(resource).delete("data");
  await world.pass(10_000);
  expect(await world.exists(resource, "data")).toBe(false);
  expect(world.requests("PUT")).toHaveLength(8);
}

it("persistentvolumeclaim-protection/tests writes the finalizer again when the server refuses it", () =>
  retries(claims, PersistentVolumeClaims, (world) => world.createClaim("data")));

it("persistentvolume-protection/tests writes the finalizer again when the server refuses it", () =>
  retries(volumes, PersistentVolumes, (world) => world.of(PersistentVolumes).create(volume)));

it("volumeattributesclass-protection/tests writes the finalizer again when the server refuses it", () =>
  retries(classes, VolumeAttributesClasses, (world) => world.of(VolumeAttributesClasses).create(attributesClass)));

it("persistentvolumeclaim-protection/4, persistentvolumeclaim-protection/tests removes no finalizer while the pods cannot be listed, and goes on with the next claim", async () => {
  const { controller, identity } = claims;
  await using world = await ProtectionWorld.open(controller, identity, /^GET .*\/pods$/);
  world.refusals = 1;
  const names = ["data-1", "data-2", "data-3"];
  for (const name of names) await world.createClaim(name);
  await world.pass(1000);
  for (const name of names) await world.of(PersistentVolumeClaims).delete(name);
  await world.pass(10_000);
  for (const name of names) expect(await world.exists(PersistentVolumeClaims, name)).toBe(false);
  expect(world.log()).toContain("live list of pods failed: ");
  expect(world.log().split("sync failed, will retry")).toHaveLength(2);
});
