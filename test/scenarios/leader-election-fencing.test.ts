// No write passes once the lease could have expired: the requests that a fenced transport lets through.

import { describe, expect, it } from "vitest";
import { parseMicroTime } from "#api/time.ts";
import { fencedTransport } from "#manager/election/fence.ts";
import { ElectionStage, type RunningElector } from "./election-stage.ts";

describe("fencing", () => {
  it("machinery/3.1.8 lets writes pass while the lease is certain, and none from shortly before it could expire", async () => {
    const stage = new ElectionStage("fence");
    // The renew deadline is so late that it does not end the run before the fence holds.
    const a = stage.start("a", { renewDeadlineMs: 14_000 });
    await stage.pass(3);
    const sent: string[] = [];
    const fenced = fencedTransport(
      {
        async send({ method, guard }) {
          guard?.();
          sent.push(method);
          return { status: 200, headers: {}, body: { kind: "bytes", bytes: new Uint8Array() } };
        },
      },
      a.elector,
    );
    const { signal } = new AbortController();
    const send = (method: string): Promise<unknown> =>
      fenced.send({ method, path: "/api/v1/pods", query: "", headers: {} }, signal);
    const lastRenewalMs = a.requests().at(-1)?.atMs ?? 0;
    a.fail("silent", "PUT", "GET");
    const waitUntil = (ms: number): Promise<void> =>
      stage.world.advance(lastRenewalMs + ms - stage.world.clock.monotonicMs());
    await waitUntil(11_000);
    await send("POST");
    await waitUntil(14_799);
    await send("DELETE");
    await waitUntil(14_800);
    await expect(send("POST")).rejects.toThrow(
      "not sent, because the leader lease may have expired: POST /api/v1/pods",
    );
    await send("GET");
    expect(sent).toEqual(["POST", "DELETE", "GET"]);
  });

  it("machinery/3.1.8 counts from when a renewal was sent, however late its answer came", async () => {
    const stage = new ElectionStage("late");
    const a = stage.start("a", { renewDeadlineMs: 14_000 });
    await stage.pass(3);
    a.fail("late", "PUT");
    await stage.pass(7);
    expect(await certainMs(stage, a)).toBe(14_800);
  });

  it("machinery/3.1.8 goes by the whole seconds that the lease states, as others do", async () => {
    const stage = new ElectionStage("stated");
    const a = stage.start("a", { leaseDurationMs: 15_900, renewDeadlineMs: 14_900 });
    await stage.pass(3);
    expect(await certainMs(stage, a)).toBe(14_800);
  });

  it("machinery/3.1.8 lets nothing pass once the election has ended, though the lease is still good", async () => {
    const stage = new ElectionStage("ended");
    const a = stage.start("a");
    await stage.pass(3);
    expect(a.elector.isCertain()).toBe(true);
    a.stop.abort();
    await stage.pass(0.1);
    expect([a.elector.isCertain(), a.elector.isLeader]).toEqual([false, true]);
  });

  it("machinery/3.1.8 does not trust its old certainty after the machine was suspended", async () => {
    const stage = new ElectionStage("suspended");
    const a = stage.start("a");
    await stage.pass(3);
    const fenced = fencedTransport(
      {
        send: (_, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      },
      a.elector,
    );
    const post = (): Promise<string> =>
      fenced
        .send({ method: "POST", path: "/api/v1/pods", query: "", headers: {} }, new AbortController().signal)
        .then(String, String);
    const before = post();
    expect(a.elector.isCertain()).toBe(true);
    // The monotonic clock and the timers stand still meanwhile.
    stage.world.clock.stepWall(60_000);
    expect(await post()).toContain("POST /api/v1/pods");
    expect(await before).toContain("what was under way");
    expect(a.elector.isCertain()).toBe(false);
    await stage.pass(2);
    expect(a.elector.isCertain()).toBe(true);
  });

  it("machinery/3.1.8 gives up what was under way before the suspension, though nothing else is sent", async () => {
    const stage = new ElectionStage("asleep");
    const a = stage.start("a");
    await stage.pass(3);
    let doubts = 0;
    a.elector.onDoubt(() => doubts++);
    stage.world.clock.stepWall(60_000);
    await stage.pass(2);
    expect([doubts, a.elector.isCertain()]).toEqual([1, true]);
  });

  it("machinery/3.1.8 is not moved by a wall clock that is set back", async () => {
    const stage = new ElectionStage("set back");
    const a = stage.start("a", { renewDeadlineMs: 14_000 });
    await stage.pass(3);
    stage.world.clock.stepWall(-3_600_000);
    const lastRenewalMs = a.requests().at(-1)?.atMs ?? 0;
    a.fail("silent", "PUT", "GET");
    const { clock } = stage.world;
    await clock.runUntil(() => !a.elector.isCertain(), 60_000);
    expect(clock.monotonicMs() - lastRenewalMs).toBe(14_800);
  });

  it.each([
    ["it is not renewed", 14_000, ["started"]],
    ["the election ends", 10_000, ["started", "stopped"]],
  ])("machinery/3.1.8 gives up what waits for a connection when %s", async (_, renewDeadlineMs, calls) => {
    const stage = new ElectionStage("doubt");
    const a = stage.start("a", { renewDeadlineMs });
    await stage.pass(3);
    let guard: (() => void) | undefined;
    const fenced = fencedTransport(
      {
        send: (request, signal) => {
          guard = request.guard;
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      },
      a.elector,
    );
    const outcome = fenced
      .send({ method: "POST", path: "/api/v1/pods", query: "", headers: {} }, new AbortController().signal)
      .catch((error: unknown) => String(error));
    expect(() => guard?.()).not.toThrow();
    a.fail("silent", "PUT", "GET");
    await stage.pass(10);
    expect(() => guard?.()).not.toThrow();
    await stage.pass(4);
    expect(a.calls).toEqual(calls);
    expect(() => guard?.()).toThrow("may have expired");
    expect(await outcome).toContain("may have expired");
  });
});

/** How long a leader without answers may write after its last renewal. */
async function certainMs(stage: ElectionStage, { elector, fail }: RunningElector): Promise<number> {
  fail("silent", "PUT", "GET");
  const { clock } = stage.world;
  await clock.runUntil(() => !elector.isCertain(), 60_000);
  return clock.now() - parseMicroTime((await stage.lease())?.renewTime ?? "");
}
