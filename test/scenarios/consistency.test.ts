// The guard against stale caches, seen from outside: its gates, its controllers, and the requirements on the server.

import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { ConfigMaps, Pods, ReplicationControllers, Secrets } from "#api/generated/resources/core-v1.ts";
import type { KubeObject, WatchEvent } from "#api/object.ts";
import type { Resource } from "#api/resource.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { Watch } from "#client/client.ts";
import { openWire } from "#test/stage/wire-stage.ts";

const REPLICAS = 20;

describe("stale caches", () => {
  it("core/7 concern four controllers", () => {
    const names = new FeatureGates(featureGateTable(), "1.36").all().map(({ name }) => name);
    const kinds = ["DaemonSet", "Job", "ReplicaSet", "StatefulSet"];
    expect(names.filter((name) => name.startsWith("StaleControllerConsistency")).sort()).toEqual(
      kinds.map((kind) => `StaleControllerConsistency${kind}`),
    );
  });

  it.each(["DaemonSet", "Job", "ReplicaSet", "StatefulSet"])(
    "machinery/5.4.n1 StaleControllerConsistency%s is beta, on, and nothing without AtomicFIFO",
    (kind) => {
      const name = `StaleControllerConsistency${kind}`;
      const gates = new FeatureGates(featureGateTable(), "1.36");
      expect(gates.all().find((gate) => gate.name === name)).toMatchObject({
        isEnabled: true,
        stage: { preRelease: "BETA" },
      });
      expect(() => gates.setFromMap({ AtomicFIFO: false })).toThrow(
        `${name} is enabled, but depends on features that are disabled: [AtomicFIFO]`,
      );
    },
  );

  it("machinery/5.4.n1 a replication controller never waits for its cache", async () => {
    const stage = await openWire({
      controllers: ["replicationcontroller-controller"],
      gates: { WatchListClient: false },
      held: [Pods],
    });
    const selector = { app: "web" };
    await stage.of(ReplicationControllers).create({
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { name: "web" },
      spec: {
        replicas: REPLICAS,
        selector,
        template: { metadata: { labels: selector }, spec: { containers: [{ name: "main", image: "example/web:1" }] } },
      },
    });
    const created = (): number => stage.network.count("POST pods");
    await stage.pass(60_000);
    expect(created()).toBe(REPLICAS);
    // Expectations have expired and the cache shows no pod: a ReplicaSet still waits.
    await stage.pass(6 * 60_000);
    await stage.of(ReplicationControllers).patch("web", { metadata: { annotations: { touched: "1" } } });
    await stage.pass(10_000);
    expect(created()).toBe(2 * REPLICAS);
    await stage.stop();
  });
});

describe("what a server must do for caches to know how far they have come", () => {
  it("machinery/5.4.5 versions are decimals that grow with every write of any kind, and a deletion has its own", async () => {
    const stage = await openWire({ controllers: [] });
    const resources: readonly Resource[] = [ConfigMaps, Secrets];
    const events: WatchEvent<KubeObject>[] = [];
    const stop = new AbortController();
    const following: Promise<void>[] = [];
    for (const resource of resources) {
      const watch = await stage.do((client) =>
        client.resource(resource).watch({ namespace: stage.namespace, resourceVersion: "" }, stop.signal),
      );
      following.push(follow(watch, events));
    }
    await stage.pass(10);
    const versions: bigint[] = [];
    const note = (object: KubeObject): void => {
      const version = object.metadata?.resourceVersion ?? "";
      expect(version).toMatch(/^[1-9]\d*$/);
      versions.push(BigInt(version));
    };
    const removed = new Map<string, bigint>();
    for (let round = 0; round < 30; round++) {
      const resource = resources[round % 2] as Resource;
      const name = `${resource.resource}-${round}`;
      note(await stage.of(resource).create({ metadata: { name } }));
      const patch = { metadata: { labels: { round: String(round) } } };
      note(await stage.of(resource).patch(name, patch));
      await stage.of(resource).delete(name);
      removed.set(name, versions.at(-1) ?? 0n);
    }
    await stage.pass(1_000);
    expect(versions).toEqual(versions.toSorted((a, b) => Number(a - b)));
    expect(new Set(versions).size).toBe(versions.length);
    const deletions = events.filter(({ type }) => type === "DELETED");
    expect(deletions).toHaveLength(30);
    for (const { object } of deletions) {
      const version = BigInt(object.metadata?.resourceVersion ?? "0");
      expect(version > (removed.get(object.metadata?.name ?? "") ?? version)).toBe(true);
      expect(versions).not.toContain(version);
    }
    stop.abort();
    await Promise.all(following);
    await stage.stop();
  });
});

async function follow(watch: Watch<KubeObject>, into: WatchEvent<KubeObject>[]): Promise<void> {
  for await (const batch of watch) into.push(...batch);
}
