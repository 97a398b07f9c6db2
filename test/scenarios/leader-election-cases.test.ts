// The cases by which client-go tests its elector, its lock and its health check, on the embedded server; those of
// candidates are next to them. The case about threads that read the elector at once is left out.

import { describe, expect, it } from "vitest";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Events } from "#api/generated/resources/core-v1.ts";
import type { LeaseSpec } from "#api/generated/types/coordination-v1.ts";
import { isAlreadyExists, isNotFound } from "#api/status-error.ts";
import { type ElectionRecord, LeaseLock } from "#manager/election/lease-lock.ts";
import { ElectionStage, LEASE, NAMESPACE, type RunningElector } from "./election-stage.ts";

const shapes = ({ requests }: RunningElector): string[] => requests().map(({ method }) => method);

describe("machinery/8.r4 acquiring and renewing", () => {
  const time = "2026-01-01T00:00:00.100000Z";
  const led = (holderIdentity: string, more: LeaseSpec = {}): LeaseSpec => ({
    holderIdentity,
    acquireTime: time,
    renewTime: time,
    ...more,
  });
  it.each<{ what: string; lease?: LeaseSpec; afterSeconds?: number; does: readonly string[]; transitions?: number }>([
    { what: "no lease", does: ["GET", "POST"], transitions: 0 },
    { what: "a lease that says nothing", lease: {}, does: ["GET", "PUT"], transitions: 1 },
    { what: "a lease that nobody holds", lease: led(""), does: ["GET", "PUT"], transitions: 1 },
    {
      what: "a lease of another whose time is up",
      lease: led("bing", { leaseDurationSeconds: 3 }),
      afterSeconds: 3,
      does: ["GET", "PUT"],
      transitions: 1,
    },
    { what: "a lease of another without a duration", lease: led("bing"), does: ["GET", "PUT"], transitions: 1 },
    { what: "a good lease of another", lease: led("bing", { leaseDurationSeconds: 3600 }), does: ["GET"] },
    { what: "its own lease", lease: led("a", { leaseDurationSeconds: 15 }), does: ["GET", "PUT"], transitions: 0 },
  ])("machinery/3.1.4 finds $what: $does", async ({ lease, afterSeconds = 0, does, transitions }) => {
    const stage = new ElectionStage("cases");
    if (lease !== undefined) await stage.write(lease);
    const a = stage.start("a");
    await stage.pass(afterSeconds === 0 ? 0.1 : afterSeconds + 4.5);
    const tried = shapes(a);
    if (afterSeconds === 0) expect(tried.slice(0, does.length)).toEqual([...does]);
    else expect(tried.filter((method, i) => method !== tried[i - 1])).toEqual(["GET", "PUT"]);
    expect(a.calls).toEqual(transitions === undefined ? [] : ["started"]);
    expect(a.elector.leader).toBe(transitions === undefined ? "bing" : "a");
    expect((await stage.lease())?.leaseTransitions ?? 0).toBe(transitions ?? 0);
  });

  it.each([
    { holder: "bing", does: ["GET"], calls: [] },
    { holder: "a", does: ["GET", "PUT"], calls: ["started"] },
  ])("machinery/3.4.3 coordinated, the lease is held by $holder: $does", async ({ holder, does, calls }) => {
    const stage = new ElectionStage("coordinated-cases");
    await stage.held(holder);
    const a = stage.start("a", { isCoordinated: true });
    await stage.pass(0.1);
    expect([shapes(a).slice(0, does.length), a.calls, a.elector.leader]).toEqual([does, calls, holder]);
    expect(await stage.lease()).toMatchObject({ leaseTransitions: 3 });
  });

  it("machinery/3.1.4 after a conflict it reads once, and then goes the short way again", async () => {
    const stage = new ElectionStage("fast-cases");
    const a = stage.start("a");
    await stage.pass(1);
    await stage.write({ ...(await stage.lease()), leaseTransitions: 7 });
    await stage.pass(6);
    expect(shapes(a)).toEqual(["GET", "POST", "PUT", "PUT", "GET", "PUT", "PUT", "PUT"]);
  });

  it("machinery/3.1.4 makes a lease anew that was deleted, and takes one that was cleared, as of when it began to lead", async () => {
    const stage = new ElectionStage("deleted");
    const a = stage.start("a");
    await stage.pass(1);
    await stage.write({ ...(await stage.lease()), leaseTransitions: 7 });
    await stage.pass(3);
    const before = await stage.lease();
    await stage.world.do((client, signal) =>
      client.resource(Leases).delete({ namespace: NAMESPACE, name: LEASE }, signal),
    );
    await stage.pass(3);
    const { acquireTime } = before ?? {};
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a", acquireTime, leaseTransitions: 7 });
    await stage.write({ ...(await stage.lease()), holderIdentity: "" });
    await stage.pass(3);
    expect(await stage.lease()).toMatchObject({ holderIdentity: "a", acquireTime, leaseTransitions: 8 });
    expect(a.calls).toEqual(["started"]);
  });

  it("machinery/3.1.2 nobody can lead without a name", () => {
    expect(() => new ElectionStage("nobody").start("")).toThrow("Lock identity is empty");
  });
});

describe("machinery/8.r4 a lease that the server assigns", () => {
  it("machinery/3.4.3 is not renewed once it has run out: the server will assign it anew", async () => {
    const stage = new ElectionStage("run out");
    await stage.held("a");
    const a = stage.start("a", { isCoordinated: true });
    a.fail({ status: 500 }, "PUT");
    await stage.pass(20);
    a.fail("none");
    await stage.pass(10);
    expect([a.calls, (await stage.lease())?.renewTime]).toEqual([[], "2026-01-01T00:00:00.100000Z"]);
    await stage.held("a", { leaseTransitions: 4 });
    await stage.pass(10);
    expect(a.calls).toEqual(["started"]);
  });
});

describe("machinery/8.r4 giving the lease back", () => {
  it.each([
    { what: "a renewal", methods: ["PUT"] },
    { what: "the reading before a renewal", methods: ["GET"] },
  ])("machinery/3.1.9 when it is stopped in the middle of $what", async ({ methods }) => {
    const stage = new ElectionStage("cancelled");
    const a = stage.start("a", { releaseOnCancel: true });
    await stage.pass(3);
    // A change by another client makes the next renewal read first.
    if (methods.includes("GET")) await stage.write({ ...(await stage.lease()), leaseTransitions: 7 });
    a.fail("silent", ...methods);
    await stage.pass(1.5);
    const before = shapes(a).length;
    a.fail("none");
    a.stop.abort(); // ends the pending request
    await stage.pass(1);
    expect(shapes(a).slice(before)).toEqual([...methods, "GET", "PUT"]);
    const { holderIdentity = "", leaseTransitions } = (await stage.lease()) ?? {};
    expect([holderIdentity, leaseTransitions]).toEqual(["", methods.includes("GET") ? 7 : 0]);
    const { items } = await stage.world.do((client, signal) =>
      client.resource(Events).list({ namespace: NAMESPACE }, signal),
    );
    expect(items.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
      "Normal LeaderElection a became leader",
      "Normal LeaderElection a stopped leading",
    ]);
  });

  it("machinery/3.1.9 not when it is gone, or somebody else's by then", async () => {
    const gone = new ElectionStage("gone");
    const a = gone.start("a", { releaseOnCancel: true });
    await gone.pass(3);
    await gone.world.do((client, signal) =>
      client.resource(Leases).delete({ namespace: NAMESPACE, name: LEASE }, signal),
    );
    a.stop.abort();
    await gone.pass(1);
    expect([shapes(a).at(-1), a.calls]).toEqual(["GET", ["started", "stopped"]]);
    expect(await gone.lease()).toBeUndefined();

    const taken = new ElectionStage("taken");
    const b = taken.start("b", { releaseOnCancel: true });
    await taken.pass(3);
    await taken.held("thief", { leaseDurationSeconds: 3600 });
    b.stop.abort();
    await taken.pass(1);
    expect(await taken.lease()).toMatchObject({ holderIdentity: "thief" });
  });
});

describe("machinery/8.r4 the lock", () => {
  const record: ElectionRecord = {
    holderIdentity: "test-identity",
    leaseDurationSeconds: 15,
    acquireTime: Date.UTC(2026, 0, 1, 0, 0, 1),
    renewTime: Date.UTC(2026, 0, 1, 0, 0, 2),
    transitions: 1,
    preferredHolder: "preferred-holder",
    strategy: "OldestEmulationVersion",
  };
  function open(): {
    stage: ElectionStage;
    lock: LeaseLock;
    call<T>(step: (signal: AbortSignal) => Promise<T>): Promise<T>;
  } {
    const stage = new ElectionStage("lock");
    const lock = stage.lock("test-identity", LEASE);
    return { stage, lock, call: (step) => stage.world.do((_, signal) => step(signal)) };
  }
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => "no error",
      (error: unknown) => error,
    );

  it("machinery/3.1.11 reads what it wrote, every field", async () => {
    const { stage, lock, call } = open();
    await call((signal) => lock.create(record, signal));
    expect(await call((signal) => lock.get(signal))).toEqual(record);
    expect(await stage.lease()).toEqual({
      holderIdentity: "test-identity",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:01.000000Z",
      renewTime: "2026-01-01T00:00:02.000000Z",
      leaseTransitions: 1,
      preferredHolder: "preferred-holder",
      strategy: "OldestEmulationVersion",
    });
  });

  it("fails to read what is not there, to create what is there, and to change what it has not seen", async () => {
    const { lock, call } = open();
    expect(isNotFound(await failure(call((signal) => lock.get(signal))))).toBe(true);
    expect(String(await failure(call((signal) => lock.update(record, signal))))).toContain(
      "lease not initialized, call get or create first",
    );
    await call((signal) => lock.create(record, signal));
    expect(isAlreadyExists(await failure(call((signal) => lock.create(record, signal))))).toBe(true);
  });

  it("is described by namespace and name, and says nothing without a recorder", async () => {
    const { stage, lock, call } = open();
    expect(lock.description).toBe(`${NAMESPACE}/${LEASE}`);
    await call((signal) => lock.create(record, signal));
    const told: string[] = [];
    const silent = stage.lock("test-identity", LEASE);
    silent.recordEvent("became leader");
    const speaking = new LeaseLock({
      leases: stage.world.client.resource(Leases),
      namespace: NAMESPACE,
      name: LEASE,
      identity: "test-identity",
      recorder: {
        event: (about, type, reason, message) => void told.push(`${about.kind} ${type} ${reason} ${message}`),
      },
    });
    await call((signal) => speaking.get(signal));
    speaking.recordEvent("became leader");
    expect(told).toEqual(["Lease Normal LeaderElection test-identity became leader"]);
  });

  it("keeps the labels that others gave the lease", async () => {
    const { stage, lock, call } = open();
    await call((signal) => lock.create(record, signal));
    const labels = { "custom-key": "custom-val" };
    await stage.world.do((client, signal) =>
      client
        .resource(Leases)
        .patch({ namespace: NAMESPACE, name: LEASE, type: "merge", patch: { metadata: { labels } } }, signal),
    );
    await call((signal) => lock.get(signal));
    await call((signal) => lock.update({ ...record, transitions: 2 }, signal));
    const { metadata, spec } = await stage.world.do((client, signal) =>
      client.resource(Leases).get({ namespace: NAMESPACE, name: LEASE }, signal),
    );
    expect([metadata?.labels, spec?.leaseTransitions]).toEqual([labels, 2]);
  });
});

describe("machinery/8.r4 the health of a leader that does not renew", () => {
  it.each([
    { what: "long after its lease has ended", holder: "a", silentSeconds: 3600, isHealthy: false },
    { what: "when another holds the lease, however old", holder: "other", silentSeconds: 3600, isHealthy: true },
    { what: "as long as the lease is good", holder: "a", silentSeconds: 1, isHealthy: true },
    { what: "a little after the lease has ended", holder: "a", silentSeconds: 61, isHealthy: true },
  ])("machinery/3.2.1 $what: $isHealthy", async ({ holder, silentSeconds, isHealthy }) => {
    const stage = new ElectionStage("health-cases");
    const leaseDurationMs = 60_000;
    if (holder !== "a") await stage.held(holder, { leaseDurationSeconds: 7200 });
    const a = stage.start("a", { leaseDurationMs });
    expect(a.elector.healthProblem(20_000)).toBeUndefined(); // no observation yet
    await stage.pass(0.5);
    a.stop.abort(); // the loop hangs: it neither renews nor ends
    await stage.pass(silentSeconds);
    expect(a.elector.healthProblem(20_000)).toBe(
      isHealthy ? undefined : `failed election to renew leadership on lease ${LEASE}`,
    );
  });
});
