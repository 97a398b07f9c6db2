import { describe, expect, it } from "vitest";
import type { HttpRequest } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { type FedStream, fedStream, jsonResponse, scriptedTransport, streamResponse } from "#client/testing.ts";
import { createCandidate, isAsked } from "./lease-candidate.ts";

const path = "/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates";

function start(isFailing = false) {
  const clock = testClock();
  let watch: FedStream | undefined;
  const tell = (type: string, object: object): void => watch?.push(`${JSON.stringify({ type, object })}\n`);
  const writes: { method: string; path: string; spec: Record<string, string> }[] = [];
  const transport = scriptedTransport((request: HttpRequest, signal) => {
    if (request.method === "GET") {
      const isWatch = request.query.includes("watch=");
      if (!isWatch) return jsonResponse({ metadata: { resourceVersion: "1" }, items: [] });
      // A server without streaming lists, whose watches stay silent unless a test sends an event.
      if (request.query.includes("sendInitialEvents")) return jsonResponse({ kind: "Status", code: 422 }, 422);
      watch = fedStream(signal);
      return streamResponse(watch);
    }
    const { body } = request;
    const object = JSON.parse(new TextDecoder().decode(body?.kind === "bytes" ? body.bytes : new Uint8Array()));
    writes.push({ method: request.method, path: request.path, spec: object.spec });
    return isFailing
      ? jsonResponse({ kind: "Status", code: 403, reason: "Forbidden" }, 403)
      : jsonResponse(object, 201);
  });
  const candidate = createCandidate({
    client: createClient({ transport, clock, userAgent: "test" }),
    clock,
    rng: seededRng("candidate"),
    log: noLog,
    metrics: noMetrics,
    namespace: "kube-system",
    identity: "host_1234",
    leaseName: "kube-controller-manager",
    binaryVersion: "1.36.4",
    emulationVersion: "1.36.0",
  });
  const stop = new AbortController();
  const ended = candidate.run(stop.signal);
  return { clock, writes, tell, transport, candidate, stop, ended };
}

describe("a candidate of a coordinated election", () => {
  it("machinery/8.r4, machinery/3.4.1 introduces itself once its own object is known to be missing", async () => {
    const { clock, writes, transport, candidate, stop, ended } = start();
    expect(candidate.hasSynced).toBe(false);
    await clock.advance(2_000);
    expect(candidate.hasSynced).toBe(true);
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatchObject({
      method: "POST",
      path,
      spec: {
        leaseName: "kube-controller-manager",
        binaryVersion: "1.36.4",
        emulationVersion: "1.36.0",
        strategy: "OldestEmulationVersion",
      },
    });
    expect(writes[0]?.spec.renewTime).toMatch(/^2026-01-01T00:00:\d\d\.\d{6}Z$/);
    for (const { method, query } of transport.requests) {
      if (method === "GET") expect(decodeURIComponent(query)).toContain("fieldSelector=metadata.name=host_1234");
    }
    stop.abort();
    await ended;
  });

  it("machinery/3.4.2 shows every five minutes that it is alive, and tries again after an error", async () => {
    const { clock, writes, stop, ended } = start();
    await clock.advance(16 * 60_000);
    expect(writes).toHaveLength(4);
    stop.abort();
    await ended;
    const failing = start(true);
    await failing.clock.advance(2_000);
    expect(failing.writes.length).toBeGreaterThan(3);
    failing.stop.abort();
    await failing.ended;
  });

  it("machinery/8.r4, machinery/3.4.2 answers when it is asked, and not again until it is asked again", async () => {
    const { clock, writes, tell, stop, ended } = start();
    await clock.advance(2_000);
    const spec: Record<string, string> = writes[0]?.spec ?? {};
    const metadata = { namespace: "kube-system", name: "host_1234", uid: "u" };
    tell("ADDED", { metadata: { ...metadata, resourceVersion: "2" }, spec });
    await clock.advance(1_000);
    expect(writes).toHaveLength(1);
    const pingTime = "2026-01-01T00:00:02.500000Z";
    tell("MODIFIED", { metadata: { ...metadata, resourceVersion: "3" }, spec: { ...spec, pingTime } });
    await clock.advance(1_000);
    expect(writes.map(({ method }) => method)).toEqual(["POST", "PUT"]);
    const { renewTime = "", ...rest } = writes[1]?.spec ?? {};
    expect([writes[1]?.path, renewTime > pingTime]).toEqual([`${path}/host_1234`, true]);
    expect({ ...rest, renewTime: spec.renewTime }).toEqual({ ...spec, pingTime });
    tell("MODIFIED", { metadata: { ...metadata, resourceVersion: "4" }, spec: writes[1]?.spec });
    await clock.advance(60_000);
    expect(writes).toHaveLength(2);
    stop.abort();
    await ended;
  });

  it.each([
    [undefined, undefined, false],
    [undefined, "2026-01-01T00:00:00.000000Z", false],
    ["2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00.000000Z", true],
    ["2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z", false],
    ["2026-01-01T00:00:00.000000Z", undefined, true],
  ])("machinery/3.4.2 asked at %s and renewed at %s: %s", (pingTime, renewTime, wanted) => {
    const spec = { binaryVersion: "1", leaseName: "l", strategy: "s" };
    expect(isAsked({ ...spec, ...(pingTime ? { pingTime } : {}), ...(renewTime ? { renewTime } : {}) })).toBe(wanted);
  });
});
