// The effects of flags, from the command line to the API server, under the virtual clock.

import { describe, expect, it } from "vitest";
import { formatDuration } from "#api/go-duration.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { registerElectionMetrics } from "#manager/election/metrics.ts";
import { leadAndRun } from "#manager/lead-and-run.ts";
import { openWire } from "#test/stage/wire-stage.ts";
import { configOf } from "./command-line.ts";
import { ElectionStage } from "./election-stage.ts";
import { controls, replicaSets } from "./replicas/subject.ts";

const HOUR_MS = 3_600_000;

describe("--min-resync-period", () => {
  it.each([
    { id: "machinery/1.7.r5", args: [], hours: 12 },
    { id: "machinery/1.7.r5", args: ["--min-resync-period=1h"], hours: 1 },
  ])("$id lets controllers look at everything again after once to twice $hours h", async ({ args, hours }) => {
    let syncs = 0;
    const stage = await openWire({
      controllers: ["replicaset-controller"],
      config: configOf(...args),
      trace: { queued: () => undefined, started: () => syncs++, finished: () => undefined },
    });
    await controls(replicaSets).create(stage, 1);
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
          runTerm: (_, signal) => clock.sleep(24 * HOUR_MS, signal),
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

      // Another client takes the lease and keeps it: the elector gives up after the renew deadline.
      await stage.write({ holderIdentity: "them", leaseDurationSeconds: 24 * 3600 });
      const lastMs = clock.monotonicMs() / 1000;
      await stage.pass(2 * lease);
      expect(exits).toHaveLength(1);
      expect(exits[0]).toBeGreaterThanOrEqual(lastMs + deadline);
      expect(exits[0]).toBeLessThanOrEqual(lastMs + deadline + 2 * retry);
    }
  });
});
