// 700 nodes in four zones, of which 175, 130, 120 and 75 fall silent, and then all: with the default flags, in virtual
// time, and with a restart of the manager in the middle.

import { expect, it } from "vitest";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import type { Client } from "#client/client.ts";
import { NAMESPACE, WireStage } from "#test/stage/wire-stage.ts";

const ZONES = ["a", "b", "c", "d"];
const NODES_PER_ZONE = 175;
/** Zone a is fully disrupted, b and c partially, d is normal. */
const SILENT = { a: 175, b: 130, c: 120, d: 75 } as const;
const LEASE_NAMESPACE = "kube-node-lease";
/** Well within the grace period of 50 s. */
const RENEW_PERIOD_MS = 20_000;
/** --node-monitor-period. */
const LOOK_PERIOD_MS = 5000;

interface Machine {
  readonly name: string;
  readonly zone: string;
  isSilent: boolean;
}

class Cluster extends WireStage {
  readonly machines: readonly Machine[] = ZONES.flatMap((zone) =>
    Array.from({ length: NODES_PER_ZONE }, (_, i) => ({
      name: `${zone}-${String(i).padStart(3, "0")}`,
      zone,
      isSilent: false,
    })),
  );

  constructor() {
    const controllers = ["node-lifecycle-controller", "taint-eviction-controller"];
    super({ controllers, seed: "seven hundred nodes" });
  }

  /**
   * Creates ready nodes, each with a pod that tolerates the NoExecute taints of lost nodes for 5 minutes, as admission
   * sets it.
   */
  async create(): Promise<void> {
    await this.#all(async ({ name, zone }, client, signal) => {
      const now = formatTime(this.now());
      const labels = { "topology.kubernetes.io/zone": zone };
      await client.resource(Nodes).create({ object: { metadata: { name, labels } } }, signal);
      const ready = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now };
      const status = { conditions: [ready] };
      await client.resource(Nodes).patch({ name, type: "merge", patch: { status }, subresource: "status" }, signal);
      const spec = {
        nodeName: name,
        serviceAccountName: "default",
        containers: [{ name: "main", image: "example/web:1" }],
      };
      await client
        .resource(Pods)
        .create({ namespace: NAMESPACE, object: { metadata: { name, namespace: NAMESPACE }, spec } }, signal);
      const lease = { metadata: { name, namespace: LEASE_NAMESPACE }, spec: { renewTime: this.#renewTime() } };
      await client.resource(Leases).create({ namespace: LEASE_NAMESPACE, object: lease }, signal);
    });
  }

  /** Lets time pass, while the nodes that are not silent renew their leases. */
  async renewFor(seconds: number): Promise<void> {
    for (let leftMs = seconds * 1000; leftMs > 0; leftMs -= RENEW_PERIOD_MS) {
      await this.#all(async ({ name, isSilent }, client, signal) => {
        if (isSilent) return;
        const patch = { spec: { renewTime: this.#renewTime() } };
        await client.resource(Leases).patch({ namespace: LEASE_NAMESPACE, name, type: "merge", patch }, signal);
      });
      await this.pass(Math.min(leftMs, RENEW_PERIOD_MS));
    }
  }

  /** The nodes with a NoExecute taint, by zone. */
  async tainted(): Promise<Readonly<Record<string, number>>> {
    const { items } = await this.do((client, signal) => client.resource(Nodes).list({}, signal));
    const isTainted = items.filter(({ spec }) => spec?.taints?.some(({ effect }) => effect === "NoExecute"));
    const count = (zone: string): number =>
      isTainted.filter(({ metadata }) => metadata.name.startsWith(`${zone}-`)).length;
    return Object.fromEntries(ZONES.map((zone) => [zone, count(zone)]));
  }

  /** The evicted pods, by zone. */
  async evicted(): Promise<Readonly<Record<string, number>>> {
    const { items } = await this.do((client, signal) => client.resource(Pods).list({}, signal));
    const isThere = new Set(
      items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name),
    );
    const count = (zone: string): number =>
      this.machines.filter((machine) => machine.zone === zone && !isThere.has(machine.name)).length;
    return Object.fromEntries(ZONES.map((zone) => [zone, count(zone)]));
  }

  #renewTime(): string {
    return formatMicroTime(this.now());
  }

  #all(step: (machine: Machine, client: Client, signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.do(async (client, signal) => {
      for (const machine of this.machines) await step(machine, client, signal);
    });
  }
}

/** One node per period, after the first. The tolerance covers the period of the lease and of the check. */
function expectRate(count: number | undefined, seconds: number, perSecond: number): void {
  const slackMs = RENEW_PERIOD_MS + LOOK_PERIOD_MS;
  const slack = Math.ceil((slackMs / 1000) * perSecond) + 1;
  expect(count).toBeGreaterThanOrEqual(Math.floor(seconds * perSecond) - slack);
  expect(count).toBeLessThanOrEqual(Math.ceil(seconds * perSecond) + slack + 1);
}

it("node-lifecycle/9, node-lifecycle/12, taint-eviction/6 taints four zones at Go's rates, again after a restart, and none when all are lost", async () => {
  await using cluster = await new Cluster().opened();
  cluster.startManager();
  await cluster.create();
  await cluster.renewFor(60);
  expect(await cluster.tainted()).toEqual({ a: 0, b: 0, c: 0, d: 0 });

  for (const machine of cluster.machines) {
    machine.isSilent = Number(machine.name.slice(2)) < SILENT[machine.zone as keyof typeof SILENT];
  }
  await cluster.renewFor(60); // the grace period and the next check
  await cluster.renewFor(400);
  const first = await cluster.tainted();
  for (const zone of ["a", "d"]) expectRate(first[zone], 400, 0.1);
  for (const zone of ["b", "c"]) expectRate(first[zone], 400, 0.01);
  // Each node's pod is evicted five minutes after the taint.
  const evictedFirst = await cluster.evicted();
  for (const zone of ["a", "d"]) expectRate(evictedFirst[zone], 100, 0.1);
  for (const zone of ["b", "c"]) expectRate(evictedFirst[zone], 100, 0.01);

  // A restart removes all NoExecute taints and starts again, including the five minutes of the pods.
  await cluster.stopManager();
  cluster.startManager();
  await cluster.renewFor(200);
  const second = await cluster.tainted();
  for (const zone of ["a", "d"]) expectRate(second[zone], 200, 0.1);
  for (const zone of ["b", "c"]) expectRate(second[zone], 200, 0.01);
  expect(await cluster.evicted()).toEqual(evictedFirst);

  for (const machine of cluster.machines) machine.isSilent = true;
  await cluster.renewFor(60);
  const evictedLast = await cluster.evicted();
  expect(await cluster.tainted()).toEqual({ a: 0, b: 0, c: 0, d: 0 });
  await cluster.renewFor(600);
  expect(await cluster.tainted()).toEqual({ a: 0, b: 0, c: 0, d: 0 });
  expect(await cluster.evicted()).toEqual(evictedLast);
}, 300_000);
