// The client's metrics, logs and rate limits.

import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ApiError } from "#api/status-error.ts";
import type { Logger, LogValues } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { TokenBucket } from "#base/token-bucket.ts";
import { createClient } from "#client/create-client.ts";
import { Requester } from "#client/request.ts";
import { fedStream, jsonResponse, scriptedTransport, streamResponse, textResponse } from "#client/testing.ts";

const at = { namespace: "ns", name: "a" };
const signal = neverAborted();

/** Keeps lines up to a verbosity, as "level message". */
function recordingLog(verbosity: number): { log: Logger; lines: string[]; values: LogValues[] } {
  const lines: string[] = [];
  const values: LogValues[] = [];
  const at = (level: number): Logger => ({
    info: (message, given = {}) => {
      if (level > verbosity) return;
      lines.push(`${level} ${message}`);
      values.push(given);
    },
    error: (_error, message) => lines.push(`E ${message}`),
    v: at,
    isEnabled: level <= verbosity,
    with: () => at(level),
    named: () => at(level),
  });
  return { log: at(0), lines, values };
}

describe("metrics", () => {
  it("machinery/6.r13 machinery/6.r14 machinery/6.r15 machinery/6.r16 machinery/6.r17 counts requests", async () => {
    const clock = testClock();
    const metrics = new MetricRegistry({ version: "1.36.4" });
    const transport = scriptedTransport(
      () => textResponse("later", 429, { "retry-after": "1" }),
      () => jsonResponse({ kind: "Pod" }, 201),
      () => {
        throw new Error("lost");
      },
    );
    const rateLimiter = new TokenBucket(clock, { perSecond: 10, burst: 10 });
    const client = createClient({ transport, clock, userAgent: "t", metrics, host: "h:1", rateLimiter });
    const created = client.resource(Pods).create({ object: { metadata: { name: "a", namespace: "ns" } } }, signal);
    await clock.run("idle");
    await created;
    await client
      .resource(Pods)
      .get(at, signal)
      .catch(() => undefined);
    const text = metrics.render();
    const expected = [
      'rest_client_requests_total{code="201",host="h:1",method="POST"} 1',
      'rest_client_requests_total{code="429",host="h:1",method="POST"} 1',
      'rest_client_requests_total{code="<error>",host="h:1",method="GET"} 1',
      'rest_client_request_retries_total{code="201",host="h:1",verb="POST"} 1',
      'rest_client_request_duration_seconds_bucket{host="h:1",verb="POST",le="1"} 1',
      'rest_client_request_duration_seconds_bucket{host="h:1",verb="POST",le="0.5"} 0',
      'rest_client_rate_limiter_duration_seconds_count{host="h:1",verb="POST"} 2',
      'rest_client_request_size_bytes_bucket{host="h:1",verb="POST",le="256"} 2',
      'rest_client_response_size_bytes_bucket{host="h:1",verb="POST",le="64"} 1',
    ];
    for (const line of expected) expect(text).toContain(line);
    expect(text).toContain(
      "# HELP rest_client_requests_total [ALPHA] Number of HTTP requests, partitioned by status code, method, and host.",
    );
  });
});

describe("throttle log", () => {
  const wait = async (verbosity: number, delaysMs: readonly number[]) => {
    const clock = testClock();
    const { log, lines, values } = recordingLog(verbosity);
    const delays = [...delaysMs];
    const rateLimiter = { wait: (s: AbortSignal) => clock.sleep(delays.shift() ?? 0, s) };
    const client = createClient({
      transport: scriptedTransport(() => jsonResponse({})),
      clock,
      userAgent: "t",
      log,
      rateLimiter,
    });
    for (const _ of delaysMs) {
      const got = client.resource(Pods).get(at, signal);
      await clock.run("idle");
      await got;
    }
    return { lines, values };
  };
  const text = "Waited before sending request";

  it.each([
    [3, [50, 51], [`3 ${text}`]],
    [2, [1000, 1001, 1500, 1001], [`2 ${text}`, `2 ${text}`, `2 ${text}`]],
    [0, [1001, 1500, 9000, 1001], [`0 ${text}`, `0 ${text}`]],
  ])("machinery/4.2.6 at -v=%i says of %j", async (verbosity, delays, expected) => {
    const { lines, values } = await wait(verbosity, delays);
    expect(lines).toEqual(expected);
    expect(values[0]).toMatchObject({ reason: "client-side throttling, not priority and fairness", verb: "GET" });
  });
});

describe("limits", () => {
  it("machinery/4.1.9 sets no time limit by itself, and keeps a given one", async () => {
    const clock = testClock();
    const transport = scriptedTransport(
      (_request, s) => new Promise((_, reject) => s.addEventListener("abort", () => reject(s.reason))),
    );
    const stop = new AbortController();
    const patient = createClient({ transport, clock, userAgent: "t" }).resource(Pods).get(at, stop.signal);
    const ended = patient.catch((error: unknown) => error);
    await clock.settle();
    expect(clock.pendingCount).toBe(0);
    stop.abort("enough");
    expect(await ended).toBe("enough");
    const hasty = createClient({ transport, clock, userAgent: "t", timeoutMs: 32_000 }).resource(Pods).get(at, signal);
    const late = hasty.catch((error: Error) => error.name);
    await clock.run("idle");
    expect([await late, clock.monotonicMs(), clock.pendingCount]).toEqual(["DeadlineExceeded", 32_000, 0]);
    expect(transport.requests.map(({ query }) => query)).toEqual(["", "timeout=32s"]);
  });

  it("machinery/4.1.9 gives watches no limit", async () => {
    const clock = testClock();
    const transport = scriptedTransport(() => streamResponse(fedStream()));
    const { watch } = createClient({ transport, clock, userAgent: "t", timeoutMs: 32_000 }).resource(Pods);
    await watch({}, signal);
    expect([transport.requests[0]?.query, clock.pendingCount]).toEqual(["watch=true", 0]);
  });

  it("takes what lies beyond 206 for a failure", async () => {
    const transport = scriptedTransport(
      () => jsonResponse({ kind: "Pod" }, 206),
      () => jsonResponse({ kind: "Pod" }, 207),
    );
    const pods = createClient({ transport, clock: testClock(), userAgent: "t" }).resource(Pods);
    expect(await pods.get(at, signal)).toEqual({ kind: "Pod" });
    expect(await pods.get(at, signal).catch((error: ApiError) => error.code)).toBe(207);
  });

  it("machinery/4.2.3 never sends a streaming body twice", async () => {
    const transport = scriptedTransport(() => textResponse("later", 429, { "retry-after": "1" }));
    const requester = new Requester({ transport, clock: testClock(), userAgent: "t" });
    const chunks = (async function* () {
      yield new Uint8Array(1);
    })();
    const call = {
      verb: "create",
      method: "POST",
      path: "/",
      query: "",
      accept: "*/*",
      body: { kind: "stream", chunks },
    } as const;
    await expect(requester.send(call, signal)).rejects.toThrow("too many requests");
    expect(transport.requests).toHaveLength(1);
  });

  it("machinery/4.2.8 ignores Warning headers, even malformed ones, unless a handler is set", async () => {
    const headers = { warning: ["299 - unquoted", '299 - "ok"'] };
    const transport = scriptedTransport(() => jsonResponse({ kind: "Pod" }, 200, headers));
    const seen: string[] = [];
    await createClient({ transport, clock: testClock(), userAgent: "t" }).resource(Pods).get(at, signal);
    const curious = createClient({
      transport,
      clock: testClock(),
      userAgent: "t",
      onWarning: ({ text }) => seen.push(text),
    });
    await curious.resource(Pods).get(at, signal);
    expect(seen).toEqual([]);
  });

  it("fails at once when its turn would come after the caller's deadline", async () => {
    const clock = testClock();
    const rateLimiter = new TokenBucket(clock, { perSecond: 0.1, burst: 1 });
    const client = createClient({
      transport: scriptedTransport(() => jsonResponse({})),
      clock,
      userAgent: "t",
      rateLimiter,
    });
    await client.resource(Pods).get(at, signal);
    await expect(client.resource(Pods).get(at, clock.deadline(1000, signal))).rejects.toThrow(
      "client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline",
    );
  });
});
