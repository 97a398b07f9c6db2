// The storage version garbage collector with conflicts and with unreadable leases.

import { expect, it } from "vitest";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { StorageVersions } from "#api/generated/resources/internal-v1alpha1.ts";
import { refusal, unavailable } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const IDENTITY = "storage-version-garbage-collector";
const SYSTEM = "kube-system";
const gates = { APIServerIdentity: true, StorageVersionAPI: true };

class VersionWorld extends WireStage {
  static async open(seed: string, options?: WireManagerOptions): Promise<VersionWorld> {
    const server = { serverGates: gates, runtimeConfig: { "internal.apiserver.k8s.io/v1alpha1": "true" } };
    const world = await new VersionWorld({
      controllers: ["storageversion-garbage-collector-controller"],
      seed,
      ...server,
    }).opened();
    return await world.started({ gates, ...options });
  }

  async lease(name: string): Promise<void> {
    const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" };
    await this.of(Leases, SYSTEM).create({ metadata: { name, labels } });
    await this.pass(100);
  }

  /** Reports for these servers, each with its encoding version. */
  async report(name: string, servers: Readonly<Record<string, string>>): Promise<void> {
    const version = { metadata: { name }, spec: {} };
    await this.of(StorageVersions).create(version);
    const storageVersions = Object.entries(servers).map(([apiServerID, encodingVersion]) => ({
      apiServerID,
      encodingVersion,
      decodableVersions: [encodingVersion],
    }));
    const [first, ...others] = new Set(Object.values(servers));
    const common = others.length === 0 ? { commonEncodingVersion: first } : {};
    await this.of(StorageVersions).patch(name, { status: { storageVersions, ...common } }, { subresource: "status" });
    await this.pass(1000);
  }

  async servers(name: string): Promise<readonly string[] | undefined> {
    const found = await this.of(StorageVersions).find(name);
    return found && (found.status?.storageVersions ?? []).map(({ apiServerID = "" }) => apiServerID);
  }
}

it("storageversion-garbage-collector/4 tries a write again after a conflict", async () => {
  let conflicts = 0;
  const intercept: WireManagerOptions["intercept"] = ({ method }, who) =>
    who === IDENTITY && method === "PUT" && conflicts++ < 3 ? refusal(409, "Conflict") : undefined;
  await using world = await VersionWorld.open("conflicts", { intercept });
  for (const name of ["one", "two"]) await world.lease(name);
  await world.report("apps.deployments", { one: "v1", two: "v1" });
  await world.of(Leases, SYSTEM).delete("one");
  await world.pass(5000);
  expect(await world.servers("apps.deployments")).toEqual(["two"]);
  expect(world.requests("PUT")).toHaveLength(4);
  expect(world.retries("storage_version_garbage_collector_leases")).toBe(3);
});

it("storageversion-garbage-collector/traps takes a server out whose lease cannot be read for a moment", async () => {
  const intercept: WireManagerOptions["intercept"] = ({ method, path }, who) =>
    who === IDENTITY && method === "GET" && path.endsWith("/leases/one") ? unavailable : undefined;
  await using world = await VersionWorld.open("blink", { intercept });
  for (const name of ["one", "two"]) await world.lease(name);
  await world.report("apps.deployments", { one: "v1", two: "v1", stranger: "v1" });
  expect(await world.servers("apps.deployments")).toEqual(["two"]);
});

it.each([
  ["with equal versions", { one: "v1", two: "v1", three: "v1" }, ["two", "three"], "v1"],
  ["with different versions", { one: "v1", two: "v1", three: "v2" }, ["two", "three"], undefined],
  ["of which one has no lease", { one: "v1", two: "v1", stranger: "v1" }, ["two"], "v1"],
  ["of which none is left", { one: "v1" }, undefined, undefined],
])(
  "storageversion-garbage-collector/tests updates servers %s when a lease is deleted",
  async (_, given, left, common) => {
    await using world = await VersionWorld.open("leases");
    for (const name of ["one", "two", "three"]) await world.lease(name);
    await world.report("apps.deployments", given as Record<string, string>);
    await world.of(Leases, SYSTEM).delete("one");
    await world.pass(1000);
    expect(await world.servers("apps.deployments")).toEqual(left);
    expect((await world.of(StorageVersions).find("apps.deployments"))?.status?.commonEncodingVersion).toBe(common);
  },
);
