// Nothing is written once the lease could have expired: what a fenced transport lets pass.

import { describe, expect, it } from "vitest";
import { parseMicroTime } from "#api/time.ts";
import { fencedTransport } from "#manager/election/fence.ts";
import { ElectionStage, type RunningElector } from "./election-stage.ts";

describe("fencing", () => {
  it("machinery/3.1.8 lets writes pass while the lease is certain, and none from shortly before it could expire", async () => {
    const stage = new ElectionStage("fence");
    // The renew deadline is late: it does not end the run before the fence holds.
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

/** How long a leader that hears nothing more is certain, since its last renewal. */
async function certainMs(stage: ElectionStage, { elector, fail }: RunningElector): Promise<number> {
  fail("silent", "PUT", "GET");
  const { clock } = stage.world;
  await clock.runUntil(() => !elector.isCertain(), 60_000);
  return clock.now() - parseMicroTime((await stage.lease())?.renewTime ?? "");
}
