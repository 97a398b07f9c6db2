// Leader election with a Lease, rule by rule.

import { describe, expect, it } from "vitest";
import { Events } from "#api/generated/resources/core-v1.ts";
import { noLog } from "#base/log.ts";
import { ElectionStage, LEASE, NAMESPACE, type RunningElector } from "./election-stage.ts";

/** "GET 200", "PUT 409", …, without times. */
const shapes = ({ requests }: RunningElector): string[] => requests().map(({ method, code }) => `${method} ${code}`);
const bodyOf = (running: RunningElector, index: number): Record<string, unknown> =>
  (running.requests().at(index) as { body: { spec: Record<string, unknown> } }).body.spec;

describe("acquiring", () => {
  it("machinery/3.1.4 creates the lease when there is none", async () => {
    const stage = new ElectionStage("create");
    const a = stage.start("a");
    await stage.pass(1);
    expect(shapes(a)).toEqual(["GET 404", "POST 201", "PUT 200"]);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(a.calls).toEqual(["started"]);
  });

  it("machinery/3.1.4 lets one of two win, and the other wait", async () => {
    const stage = new ElectionStage("race");
    const [a, b] = [stage.start("a"), stage.start("b")];
    await stage.pass(60);
    const leaders = [a, b].filter(({ elector }) => elector.isLeader);
    expect(leaders).toHaveLength(1);
    const [other] = [a, b].filter(({ elector }) => !elector.isLeader);
    expect(other?.calls).toEqual([]);
    expect(other?.elector.leader).toBe(leaders[0]?.lock.identity);
    expect(other?.requests().filter(({ method }) => method === "PUT")).toEqual([]);
  });

  it("machinery/3.1.3 tries again after 2 to 4.4 seconds", async () => {
    const stage = new ElectionStage("jitter");
    await stage.held("other");
    const a = stage.start("a");
    for (let renewals = 0; renewals < 30; renewals++) {
      await stage.pass(10);
      await stage.held("other", { renewTime: new Date(stage.world.clock.now()).toISOString().replace("Z", "000Z") });
    }
    const times = a.requests().map(({ atMs }) => atMs);
    const waits = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1000);
    expect(waits.length).toBeGreaterThan(60);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(4.4);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(1.5);
  });

  it("machinery/3.1.5 waits a whole lease duration by its own clock, however old the lease is", async () => {
    const stage = new ElectionStage("stale");
    await stage.held("other", { renewTime: "2020-01-01T00:00:00.000000Z" });
    const a = stage.start("a");
    await stage.pass(14.9);
    expect(a.calls).toEqual([]);
    await stage.pass(4.5);
    expect(a.calls).toEqual(["started"]);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a", leaseTransitions: 4 });
    const taking = a.requests().findIndex(({ method }) => method === "PUT");
    expect(bodyOf(a, taking).acquireTime).toBe(bodyOf(a, taking).renewTime);
  });

  it("machinery/3.1.5 goes by the duration that the record states", async () => {
    const stage = new ElectionStage("stated");
    await stage.held("other", { leaseDurationSeconds: 60 });
    const a = stage.start("a");
    await stage.pass(59.9);
    expect(a.calls).toEqual([]);
    await stage.pass(4.5);
    expect(a.calls).toEqual(["started"]);
  });

  it.each([
    ["0.9 s after the last, in the same second", "2026-01-01T00:00:00.999999Z", true],
    ["in the next second", "2026-01-01T00:00:01.000000Z", false],
  ])("machinery/3.1.6 takes a renewal %s for none: %s", async (_, renewTime, isTaken) => {
    const stage = new ElectionStage("second");
    await stage.held("other");
    const a = stage.start("a");
    await stage.pass(10);
    await stage.held("other", { renewTime });
    await stage.pass(9.5);
    expect(a.elector.isLeader).toBe(isTaken);
  });

  it("machinery/3.1.7 takes a lease without a holder at once", async () => {
    const stage = new ElectionStage("empty");
    await stage.held("", { renewTime: "2030-01-01T00:00:00.000000Z", leaseDurationSeconds: 3600 });
    const a = stage.start("a");
    await stage.pass(0.1);
    expect(shapes(a)).toEqual(["GET 200", "PUT 200", "PUT 200"]);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a", leaseTransitions: 4 });
  });

  it.each([{ status: 500 }, { status: 503 }, "refused" as const])(
    "machinery/3.1.4 does nothing when it cannot read: %j",
    async (fault) => {
      const stage = new ElectionStage("unreadable");
      const a = stage.start("a");
      a.fail(fault, "GET");
      await stage.pass(30);
      expect(a.requests().every(({ method }) => method === "GET")).toBe(true);
      expect(await stage.lease()).toBeUndefined();
    },
  );
});

describe("renewing", () => {
  it("machinery/3.1.4 renews without reading, and keeps when and how often it was acquired", async () => {
    const stage = new ElectionStage("fast");
    const a = stage.start("a");
    await stage.pass(9);
    expect(shapes(a)).toEqual(["GET 404", "POST 201", "PUT 200", "PUT 200", "PUT 200", "PUT 200", "PUT 200"]);
    const times = a
      .requests()
      .slice(2)
      .map(({ atMs }) => atMs);
    expect(times.map((at) => at - (times[0] ?? 0))).toEqual([0, 2000, 4000, 6000, 8000]);
    const spec = bodyOf(a, -1);
    expect(spec).toMatchObject({ acquireTime: bodyOf(a, 1).acquireTime, leaseTransitions: 0 });
    expect(spec.renewTime).not.toBe(spec.acquireTime);
    expect(a.registry.value("leader_election_slowpath_total", [LEASE]) ?? 0).toBe(0);
  });

  it("machinery/3.1.4 reads again when somebody changed the lease, and counts the slow path", async () => {
    const stage = new ElectionStage("slow");
    const a = stage.start("a");
    await stage.pass(3);
    const before = await stage.lease();
    await stage.write({ ...before, leaseTransitions: 7 });
    await stage.pass(2);
    expect(shapes(a).slice(-3)).toEqual(["PUT 409", "GET 200", "PUT 200"]);
    expect(await stage.lease()).toMatchObject({
      holderIdentity: "a",
      leaseTransitions: 7,
      acquireTime: before?.acquireTime,
    });
    expect(a.registry.value("leader_election_slowpath_total", [LEASE])).toBe(1);
  });

  it("machinery/3.1.11 writes these fields and no others, times to the microsecond", async () => {
    const stage = new ElectionStage("fields");
    const a = stage.start("a");
    await stage.pass(3);
    const body = a.requests().at(1)?.body as { metadata: object; spec: Record<string, unknown> };
    expect(body.metadata).toEqual({ name: LEASE, namespace: NAMESPACE });
    expect(Object.keys(body.spec).sort()).toEqual([
      "acquireTime",
      "holderIdentity",
      "leaseDurationSeconds",
      "leaseTransitions",
      "renewTime",
    ]);
    expect(body.spec.renewTime).toMatch(/^2026-01-01T00:00:00\.\d{6}Z$/);
  });

  it.each([{ status: 409 }, { status: 500 }, { status: 503 }, "refused" as const])(
    "machinery/3.1.12 tries again a period later after %j, not sooner",
    async (fault) => {
      const stage = new ElectionStage("conflict");
      const a = stage.start("a");
      await stage.pass(3);
      a.fail(fault, "PUT");
      const mark = a.requests().length;
      await stage.pass(5);
      const puts = a
        .requests()
        .slice(mark)
        .filter(({ method }) => method === "PUT");
      // Each attempt has two writes: the optimistic one, and the one after a read.
      const tries = [...new Set(puts.map(({ atMs }) => atMs))];
      expect(tries.slice(1).map((at, index) => at - (tries[index] ?? 0))).toEqual(tries.slice(1).map(() => 2000));
      a.fail("none");
      await stage.pass(4);
      expect(a.calls).toEqual(["started"]);
      expect(a.elector.isLeader).toBe(true);
    },
  );

  it.each(["refused", "silent", "reply lost", { status: 500 }] as const)(
    "machinery/3.1.8 gives up at the renew deadline: %j",
    async (fault) => {
      const stage = new ElectionStage("deadline");
      const a = stage.start("a");
      await stage.pass(3);
      a.fail(fault, "PUT", "GET");
      await stage.pass(8);
      expect(a.calls).toEqual(["started"]);
      expect(a.leading()?.aborted).toBe(false);
      await stage.pass(4);
      expect(a.calls).toEqual(["started", "stopped"]);
      expect(a.leading()?.aborted).toBe(true);
      expect(a.registry.value("leader_election_master_status", [LEASE])).toBe(0);
    },
  );

  it("machinery/3.1.8 counts the retry period from when a try began: after slow failures it tries again at once", async () => {
    const stage = new ElectionStage("slow");
    const a = stage.start("a");
    await stage.pass(3);
    a.fail({ status: 500, afterMs: 1500 }, "PUT", "GET");
    const mark = a.requests().length;
    await stage.pass(15);
    // Each try has two requests: the optimistic write, and a read.
    const tries = a
      .requests()
      .slice(mark)
      .filter(({ method }) => method === "PUT");
    const times = tries.map(({ atMs }) => atMs - (tries[0]?.atMs ?? 0));
    expect(times).toEqual([0, 3000, 6000, 9000]);
    expect(a.calls).toEqual(["started", "stopped"]);
  });

  it("machinery/3.1.8 is over long before anybody else can take the lease", async () => {
    const stage = new ElectionStage("overlap");
    const a = stage.start("a");
    await stage.pass(3);
    const successor = stage.start("b");
    await stage.pass(5);
    a.fail("silent", "PUT", "GET");
    await stage.world.clock.runUntil(() => a.calls.includes("stopped"), 60_000);
    expect(successor.elector.isLeader).toBe(false);
    const lostAt = stage.world.clock.monotonicMs();
    await stage.world.clock.runUntil(() => successor.elector.isLeader, 60_000);
    expect(stage.world.clock.monotonicMs() - lostAt).toBeGreaterThan(1000);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });
});

describe("stopping", () => {
  it("machinery/3.1.9 gives the lease back when it is asked to", async () => {
    const stage = new ElectionStage("release");
    const a = stage.start("a", { releaseOnCancel: true });
    await stage.pass(3);
    a.stop.abort();
    await stage.pass(0.1);
    expect(shapes(a).slice(-2)).toEqual(["GET 200", "PUT 200"]);
    const lease = await stage.lease();
    expect(lease).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(lease?.holderIdentity ?? "").toBe("");
    expect(lease?.renewTime).toBe(lease?.acquireTime);
    const b = stage.start("b");
    await stage.pass(0.1);
    expect(b.calls).toEqual(["started"]);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  it("machinery/3.1.8 has not failed to renew when it is told to stop between two renewals", async () => {
    const stage = new ElectionStage("told");
    const lines: string[] = [];
    const a = stage.start("a", { log: { ...noLog, info: (line) => lines.push(line) } });
    await stage.pass(3);
    a.stop.abort();
    await stage.pass(0.1);
    expect(a.calls).toEqual(["started", "stopped"]);
    expect(lines).toEqual(["Attempting to acquire leader lease...", "Successfully acquired lease"]);
  });

  it("machinery/3.1.9 keeps the lease otherwise, and leaves another's alone", async () => {
    const stage = new ElectionStage("keep");
    const a = stage.start("a");
    await stage.pass(3);
    a.stop.abort();
    await stage.pass(1);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a" });
    const standby = stage.start("b", { releaseOnCancel: true });
    await stage.pass(3);
    standby.stop.abort();
    await stage.pass(1);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a" });
  });

  it("machinery/3.1.9 tells why it could not give the lease back", async () => {
    const stage = new ElectionStage("unreleased");
    const problems: string[] = [];
    const a = stage.start("a", {
      releaseOnCancel: true,
      log: { ...noLog, error: (_, message) => problems.push(message) },
    });
    await stage.pass(3);
    a.fail({ status: 403 }, "GET");
    a.stop.abort();
    await stage.pass(0.1);
    expect(a.calls).toEqual(["started", "stopped"]);
    expect(problems).toEqual(["error retrieving resource lock"]);
  });

  it("machinery/3.1.9 tries no longer than the renew deadline to give it back", async () => {
    const stage = new ElectionStage("bounded");
    const a = stage.start("a", { releaseOnCancel: true });
    await stage.pass(3);
    a.fail("silent", "GET", "PUT");
    a.stop.abort();
    await stage.pass(10.1);
    expect(a.calls).toEqual(["started", "stopped"]);
  });

  it("machinery/3.1.10 says that it stopped leading even if it never led", async () => {
    const stage = new ElectionStage("never");
    await stage.held("other");
    const a = stage.start("a");
    await stage.pass(3);
    a.stop.abort();
    await stage.pass(0.1);
    expect(a.calls).toEqual(["stopped"]);
  });

  it("machinery/3.1.10 renews while what it leads is running, and ends it with the lease", async () => {
    const stage = new ElectionStage("concurrent");
    const a = stage.start("a");
    await stage.pass(60);
    expect(a.leading()?.aborted).toBe(false);
    expect(a.requests().length).toBeGreaterThan(25);
    await stage.held("thief", { leaseDurationSeconds: 3600 });
    await stage.pass(13);
    expect(a.leading()?.aborted).toBe(true);
    expect(a.calls).toEqual(["started", "stopped"]);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "thief" });
  });
});

describe("what an elector refuses and tells", () => {
  it.each([
    [{ leaseDurationMs: 10_000 }, "leaseDuration must be greater than renewDeadline"],
    [{ retryPeriodMs: 8334 }, "renewDeadline must be greater than retryPeriod*JitterFactor"],
    [{ leaseDurationMs: 0, renewDeadlineMs: -1, retryPeriodMs: -1 }, "leaseDuration must be greater than zero"],
    [{ renewDeadlineMs: 0, retryPeriodMs: -1 }, "renewDeadline must be greater than zero"],
    [{ retryPeriodMs: 0 }, "retryPeriod must be greater than zero"],
  ])("machinery/3.1.2 refuses %j", (options, message) => {
    expect(() => new ElectionStage("refuse").start("a", options)).toThrow(message);
  });

  it("machinery/3.2.1 is unhealthy 35 s after a leader stopped renewing, and healthy when it does not lead", async () => {
    const stage = new ElectionStage("health");
    const a = stage.start("a");
    expect(a.elector.healthProblem(20_000)).toBeUndefined();
    await stage.pass(3);
    const b = stage.start("b");
    // The loop hangs: it neither renews nor ends.
    a.stop.abort();
    await stage.pass(34);
    expect(a.elector.healthProblem(20_000)).toBeUndefined();
    await stage.pass(2.1);
    expect(a.elector.healthProblem(20_000)).toBe(`failed election to renew leadership on lease ${LEASE}`);
    expect(b.elector.healthProblem(20_000)).toBeUndefined();
  });

  it("machinery/3.2.2 tells the readers of the lease who leads and who stopped", async () => {
    const stage = new ElectionStage("events");
    const a = stage.start("a", { releaseOnCancel: true });
    await stage.pass(3);
    a.stop.abort();
    await stage.pass(3);
    const { items } = await stage.world.do((client, signal) =>
      client.resource(Events).list({ namespace: NAMESPACE }, signal),
    );
    const told = items.map(
      ({ type, reason, message, source, involvedObject: { apiVersion, kind, namespace, name } }) => ({
        text: `${type} ${reason} ${message}`,
        component: source?.component,
        about: `${apiVersion} ${kind} ${namespace}/${name}`,
      }),
    );
    const component = "kube-controller-manager";
    const about = `coordination.k8s.io/v1 Lease ${NAMESPACE}/${LEASE}`;
    expect(told).toEqual([
      { text: "Normal LeaderElection a became leader", component, about },
      { text: "Normal LeaderElection a stopped leading", component, about },
    ]);
  });

  it("machinery/3.2.3 reports 0 from the start, 1 while it leads, 0 when it failed to renew", async () => {
    const stage = new ElectionStage("metrics");
    await stage.held("other");
    const a = stage.start("a");
    const status = (): number | undefined => a.registry.value("leader_election_master_status", [LEASE]);
    expect(status()).toBe(0);
    await stage.pass(20);
    expect(status()).toBe(1);
    a.fail("refused", "GET", "PUT");
    await stage.pass(13);
    expect(status()).toBe(0);
  });
});

describe("coordinated election", () => {
  it("machinery/3.4.3 neither creates the lease nor takes it", async () => {
    const stage = new ElectionStage("coordinated");
    const a = stage.start("a", { isCoordinated: true });
    await stage.pass(30);
    expect(await stage.lease()).toBeUndefined();
    await stage.held("other");
    await stage.pass(120);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "other" });
    expect(a.requests().every(({ method }) => method === "GET")).toBe(true);
  });

  it("machinery/3.4.3 leads when it is picked, keeps the strategy, and gives way at the end of its term", async () => {
    const stage = new ElectionStage("picked");
    const a = stage.start("a", { isCoordinated: true });
    await stage.held("a", { strategy: "OldestEmulationVersion" });
    await stage.pass(5);
    expect(a.calls).toEqual(["started"]);
    expect(await stage.lease()).toMatchObject({
      holderIdentity: "a",
      strategy: "OldestEmulationVersion",
      leaseTransitions: 3,
    });
    await stage.write({ ...(await stage.lease()), preferredHolder: "b" });
    await stage.pass(13);
    expect(a.calls).toEqual(["started", "stopped"]);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a", preferredHolder: "b" });
  });
});
