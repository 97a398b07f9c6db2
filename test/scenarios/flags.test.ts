// What flags do, from the command line to what an API server sees, under the virtual clock.

import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ReplicationControllers, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { formatDuration } from "#api/go-duration.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { readCommandLine } from "#manager/command.ts";
import { registerElectionMetrics } from "#manager/election/metrics.ts";
import { leadAndRun } from "#manager/lead-and-run.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import type { ManagerOptions } from "#sim/world.ts";
import { ElectionStage } from "./election-stage.ts";
import { type EmbeddedStage, embeddedStage } from "./embedded-stage.ts";
import { createSet, replicaSet } from "./replica-objects.ts";
import { createObject } from "./steps.ts";

const HOUR_MS = 3_600_000;

function configOf(...args: readonly string[]): ComponentConfig {
  const verdict = readCommandLine(args, 0);
  if (verdict.kind !== "run") throw new Error(JSON.stringify(verdict));
  return verdict.command.options.config;
}

/** A network on which some requests are never answered, and how many of them wait. */
function stalling(isStalled: (request: HttpRequest) => boolean): {
  readonly network: (transport: Transport) => Transport;
  readonly waiting: () => number;
} {
  let waiting = 0;
  const silence = (signal: AbortSignal): Promise<HttpResponse> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const network = (transport: Transport): Transport => ({
    send(request, signal) {
      if (!isStalled(request)) return transport.send(request, signal);
      waiting++;
      return silence(signal).finally(() => waiting--);
    },
  });
  return { network, waiting: () => waiting };
}

async function makeReplicaSets(stage: EmbeddedStage, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await createObject(stage, ReplicaSets, { ...replicaSet(1), metadata: { name: `web-${i}` } });
  }
}

async function makeReplicationControllers(stage: EmbeddedStage, count: number): Promise<void> {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  for (let i = 0; i < count; i++) {
    const object = {
      metadata: { name: `web-${i}` },
      spec: { replicas: 1, selector: { app: "web" }, template },
    };
    await createObject(stage, ReplicationControllers, object);
  }
}

async function makeTokenSecrets(stage: EmbeddedStage, count: number): Promise<void> {
  await createObject(stage, ServiceAccounts, { metadata: { name: "robot" } });
  for (let i = 0; i < count; i++) {
    const annotations = { "kubernetes.io/service-account.name": "robot" };
    const secret = {
      type: "kubernetes.io/service-account-token",
      metadata: { name: `token-${i}`, annotations },
    };
    await createObject(stage, Secrets, secret);
  }
}

const writes = (method: string, resource: string) => (request: HttpRequest) =>
  request.method === method && new RegExp(`/${resource}(/|$)`).test(request.path);

describe("the number of workers", () => {
  it.each([
    {
      id: "machinery/1.7.r120",
      flag: "--concurrent-replicaset-syncs",
      controller: "replicaset-controller",
      make: makeReplicaSets,
      isStalled: writes("POST", "pods"),
    },
    {
      id: "machinery/1.7.r121",
      flag: "--concurrent-rc-syncs",
      controller: "replicationcontroller-controller",
      make: makeReplicationControllers,
      isStalled: writes("POST", "pods"),
    },
    {
      id: "machinery/1.7.r125",
      flag: "--concurrent-serviceaccount-token-syncs",
      controller: "serviceaccount-token-controller",
      make: makeTokenSecrets,
      isStalled: writes("PUT", "secrets"),
    },
  ])("$id $flag is how many keys are worked on at the same time", async ({ flag, controller, make, isStalled }) => {
    // As in the original, nobody checks the number: without workers nothing is done.
    for (const [args, wanted] of [
      [[], 5],
      [[`${flag}=2`], 2],
      [[`${flag}=0`], 0],
      [[`${flag}=-1`], 0],
    ] as const) {
      const { network, waiting } = stalling(isStalled);
      const options: ManagerOptions = { controllers: [controller], config: configOf(...args), network };
      const stage = await embeddedStage(options);
      await make(stage, 8);
      await stage.pass(10_000);
      expect([args, waiting()]).toEqual([args, wanted]);
      await stage.stop();
    }
  });
});

describe("--min-resync-period", () => {
  it.each([
    { id: "machinery/1.7.r5", args: [], hours: 12 },
    { id: "machinery/1.7.r5", args: ["--min-resync-period=1h"], hours: 1 },
  ])("$id lets controllers look at everything again after once to twice $hours h", async ({ args, hours }) => {
    let syncs = 0;
    const stage = await embeddedStage({
      controllers: ["replicaset-controller"],
      config: configOf(...args),
      trace: { queued: () => undefined, started: () => syncs++, finished: () => undefined },
    });
    await createSet(stage, 1);
    await stage.pass(60_000);
    const before = syncs;
    await stage.pass(hours * HOUR_MS - 180_000);
    expect(syncs - before).toBe(0);
    await stage.pass(hours * HOUR_MS + 180_000);
    expect(syncs - before).toBeGreaterThan(0);
    await stage.stop();
  });
});

describe("the times of the election", () => {
  it("machinery/1.7.r12, machinery/1.7.r13, machinery/1.7.r14 are those of the flags", async () => {
    for (const { lease, deadline, retry } of [
      { lease: 15, deadline: 10, retry: 2 },
      { lease: 60, deadline: 40, retry: 5 },
    ]) {
      const stage = new ElectionStage(`flags-${lease}`);
      const { clock, rng } = stage.world;
      const seconds = (count: number): string => formatDuration(BigInt(count) * 1_000_000_000n);
      const { Generic } = configOf(
        `--leader-elect-lease-duration=${seconds(lease)}`,
        `--leader-elect-renew-deadline=${seconds(deadline)}`,
        `--leader-elect-retry-period=${seconds(retry)}`,
      );
      const exits: number[] = [];
      void leadAndRun(
        {
          clock,
          rng,
          log: noLog,
          metrics: registerElectionMetrics(new MetricRegistry({ version: "1.36.4" })),
          election: Generic.LeaderElection,
          isReleasing: false,
          isCoordinated: false,
          createLock: (name) => stage.lock("us", name),
          runShift: (_, signal) => clock.sleep(24 * HOUR_MS, signal),
          onElection: () => undefined,
          exit: () => exits.push(clock.monotonicMs() / 1000),
        },
        new AbortController().signal,
      ).catch(() => undefined);
      await stage.pass(0);
      expect((await stage.lease())?.leaseDurationSeconds).toBe(lease);

      await stage.pass(10 * retry);
      const renewals = stage.world.log.requests.filter(({ method }) => method === "PUT").map(({ atMs }) => atMs);
      const pauses = renewals.slice(1).map((atMs, index) => (atMs - (renewals[index] ?? 0)) / 1000);
      expect(new Set(pauses)).toEqual(new Set([retry]));

      // Somebody takes the lease away and keeps it: renewing is given up after the deadline.
      await stage.write({ holderIdentity: "them", leaseDurationSeconds: 24 * 3600 });
      const lastMs = clock.monotonicMs() / 1000;
      await stage.pass(2 * lease);
      expect(exits).toHaveLength(1);
      expect(exits[0]).toBeGreaterThanOrEqual(lastMs + deadline);
      expect(exits[0]).toBeLessThanOrEqual(lastMs + deadline + 2 * retry);
    }
  });
});
