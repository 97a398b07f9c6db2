// API servers report the version in which they store a resource. When a server is gone, its reports are deleted.

import { expect } from "vitest";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { StorageVersions } from "#api/generated/resources/internal-v1alpha1.ts";
import type { StorageVersion } from "#api/generated/types/internal-v1alpha1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const SYSTEM = "kube-system";
const IDENTITY = { "apiserver.kubernetes.io/identity": "kube-apiserver" };

async function startServer(stage: Stage, base: string, labels: Record<string, string> = IDENTITY): Promise<string> {
  const name = stage.name(base);
  await stage.of(Leases, SYSTEM).create({ metadata: { name, labels }, spec: { holderIdentity: name } });
  return name;
}

/** Reports a resource that each server stores in the version beside its name. */
async function report(stage: Stage, base: string, servers: Readonly<Record<string, string>>): Promise<string> {
  const name = stage.name(`example.com.${base}`);
  await stage.of(StorageVersions).create({ metadata: { name }, spec: {} });
  const storageVersions = Object.entries(servers).map(([apiServerID, encodingVersion]) => ({
    apiServerID,
    encodingVersion,
    decodableVersions: ["v1", "v2"],
  }));
  const encodings = new Set(Object.values(servers));
  const [commonEncodingVersion] = encodings.size === 1 ? encodings : [];
  const status = { storageVersions, ...(commonEncodingVersion === undefined ? {} : { commonEncodingVersion }) };
  await stage.of(StorageVersions).updateStatus(name, (version) => ({ ...version, status }));
  return name;
}

const serversOf = ({ status }: StorageVersion): readonly string[] =>
  (status?.storageVersions ?? []).map(({ apiServerID }) => apiServerID);

const condition = ({ status }: StorageVersion) => {
  const [{ type, status: value, reason, message } = {}] = status?.conditions ?? [];
  return { type, value, reason, message };
};

export const scenarios: readonly Scenario[] = scenariosOf(
  "storageversion-garbage-collector-controller",
  { cast: "clean-up", profile: "alpha" },
  [
    {
      name: "storageversion-garbage-collector/1, storageversion-garbage-collector/3 takes out a server whose lease is deleted",
      async play(stage) {
        const [a, b] = [await startServer(stage, "server-a"), await startServer(stage, "server-b")];
        await stage.settle();
        const name = await report(stage, "things", { [a]: "v1", [b]: "v2" });
        await stage.settle();
        await stage.of(Leases, SYSTEM).delete(b);
        const version = await stage.of(StorageVersions).until(name, (found) => serversOf(found).length === 1);
        expect(serversOf(version)).toEqual([a]);
        expect(version.status?.commonEncodingVersion).toBe("v1");
        expect(condition(version)).toEqual({
          type: "AllEncodingVersionsEqual",
          value: "True",
          reason: "CommonEncodingVersionSet",
          message: "Common encoding version set",
        });
      },
    },
    {
      name: "storageversion-garbage-collector/3 deletes a storage version whose last server is gone",
      async play(stage) {
        const a = await startServer(stage, "server-a");
        await stage.settle();
        const name = await report(stage, "things", { [a]: "v1" });
        await stage.settle();
        await stage.of(Leases, SYSTEM).delete(a);
        await stage.of(StorageVersions).untilGone(name);
      },
    },
    {
      name: "storageversion-garbage-collector/1 takes a server out of every storage version that names it, and out of no other",
      async play(stage) {
        const [a, b] = [await startServer(stage, "server-a"), await startServer(stage, "server-b")];
        await stage.settle();
        const both = await report(stage, "both", { [a]: "v1", [b]: "v1" });
        const only = await report(stage, "only", { [a]: "v1" });
        await stage.settle();
        await stage.of(Leases, SYSTEM).delete(b);
        await stage.of(StorageVersions).until(both, (found) => serversOf(found).length === 1);
        await stage.settle();
        await stage.calm(async () => {
          const writes = await stage.writes();
          expect(writes.map(({ verb, name }) => `${verb} ${name}`)).toEqual([`update ${both}`]);
        });
        expect(serversOf(await stage.of(StorageVersions).get(only))).toEqual([a]);
      },
    },
    {
      name: "storageversion-garbage-collector/2 takes out a server that has no lease",
      async play(stage) {
        const a = await startServer(stage, "server-a");
        await stage.settle();
        const name = await report(stage, "things", { [a]: "v1", [stage.name("stranger")]: "v1" });
        const version = await stage.of(StorageVersions).until(name, (found) => serversOf(found).length === 1);
        expect(serversOf(version)).toEqual([a]);
      },
    },
    {
      name: "storageversion-garbage-collector/2 takes out a server whose lease is no identity lease",
      async play(stage) {
        const a = await startServer(stage, "server-a");
        const other = await startServer(stage, "scheduler", { app: "scheduler" });
        await stage.settle();
        const name = await report(stage, "things", { [other]: "v2", [a]: "v1" });
        const version = await stage.of(StorageVersions).until(name, (found) => serversOf(found).length === 1);
        expect(version.status?.commonEncodingVersion).toBe("v1");
      },
    },
    {
      name: "storageversion-garbage-collector/2, storageversion-garbage-collector/3 deletes a storage version that only strangers report",
      async play(stage) {
        const name = await report(stage, "things", { [stage.name("stranger")]: "v1" });
        await stage.of(StorageVersions).untilGone(name);
      },
    },
    {
      name: "storageversion-garbage-collector/3 says that the servers that are left do not agree",
      async play(stage) {
        const [a, b] = [await startServer(stage, "server-a"), await startServer(stage, "server-b")];
        await stage.settle();
        const name = await report(stage, "things", { [a]: "v1", [b]: "v2", [stage.name("stranger")]: "v1" });
        const version = await stage.of(StorageVersions).until(name, (found) => serversOf(found).length === 2);
        expect(version.status?.commonEncodingVersion).toBeUndefined();
        expect(condition(version)).toMatchObject({
          value: "False",
          reason: "CommonEncodingVersionUnset",
          message: "Common encoding version unset",
        });
      },
    },
    {
      name: "storageversion-garbage-collector/1 leaves the reports of a server whose lease is there again",
      alone: true,
      async play(stage) {
        const a = await startServer(stage, "server-a");
        await stage.settle();
        const name = await report(stage, "things", { [a]: "v1" });
        await stage.settle();
        stage.hold(Leases);
        await stage.of(Leases, SYSTEM).delete(a);
        await startServer(stage, "server-a");
        stage.release(Leases);
        await stage.settle();
        expect(serversOf(await stage.of(StorageVersions).get(name))).toEqual([a]);
      },
    },
  ],
);
