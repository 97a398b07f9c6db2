// The cases by which client-go tests retries, the start of watches, and the errors of earlier attempts.

import { describe, expect, it } from "vitest";
import { isForbidden, isInternalError, isUnauthorized } from "#api/status-error.ts";
import { TransportError, type TransportFailure } from "#base/http.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { answer, setUp } from "#client/client-go-cases.testing.ts";
import { withPreviousAttempt } from "#client/errors.ts";
import { nextRetry, type RetryClass } from "#client/retry.ts";
import { fedStream, jsonResponse, type Responder, streamResponse } from "#client/testing.ts";

const signal = neverAborted();
const later =
  (status: number, seconds = "1"): Responder =>
  () => ({ ...answer(status), headers: { "retry-after": seconds } });
const fails =
  (failure: TransportFailure, message: string): Responder =>
  () => {
    throw new TransportError(failure, message);
  };
const ok: Responder = () => jsonResponse({ kind: "Foo" });
const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe("machinery/8.r8 which requests are retried", () => {
  type Kind = RetryClass;
  const kinds: readonly Kind[] = ["read", "write", "watch", "once"];
  const status = (code: number, seconds?: string) => ({
    status: code,
    headers: seconds === undefined ? {} : { "retry-after": seconds },
  });
  const error = (failure: TransportFailure) => ({
    status: 0 as const,
    error: new TransportError(failure, "fake error"),
  });

  it.each<{ what: string; outcome: Parameters<typeof nextRetry>[0]; again: readonly Kind[] }>([
    { what: "429 with Retry-After", outcome: status(429, "0"), again: ["read", "write", "watch"] },
    { what: "503 with Retry-After", outcome: status(503, "0"), again: ["read", "write", "watch"] },
    { what: "500 without", outcome: status(500), again: [] },
    { what: "429 without", outcome: status(429), again: [] },
    { what: "200", outcome: status(200), again: [] },
    { what: "301 with Retry-After", outcome: status(301, "0"), again: [] },
    { what: "a lost connection", outcome: error("reset"), again: ["read", "watch"] },
    { what: "a timeout", outcome: error("timeout"), again: ["watch"] },
    { what: "a refused connection", outcome: error("refused"), again: [] },
    { what: "another error", outcome: { status: 0, error: new Error("err") }, again: [] },
  ])("machinery/4.2.1, machinery/4.2.2 $what: $again", ({ outcome, again }) => {
    expect(kinds.filter((kind) => nextRetry(outcome, 1, kind) !== undefined)).toEqual([...again]);
  });

  it.each([
    {
      outcome: error("reset"),
      reason: "retries: 1, retry-after: 1s - retry-reason: due to retryable error, error: fake error",
      waitMs: 1000,
    },
    {
      outcome: { status: 429, headers: { "retry-after": "2", "x-kubernetes-pf-flowschema-uid": "fs-1" } },
      reason: 'retries: 1, retry-after: 2s - retry-reason: due to server-side throttling, FlowSchema UID: "fs-1"',
      waitMs: 2000,
    },
    { outcome: status(503, "3"), reason: "retries: 1, retry-after: 3s - retry-reason: 503", waitMs: 3000 },
  ])("for a reason: $reason", ({ outcome, reason, waitMs }) => {
    expect(nextRetry(outcome, 1, "read")).toEqual({ reason, waitMs });
  });

  it("ten times at most", () => {
    const tries = Array.from({ length: 12 }, (_, i) => nextRetry(error("reset"), i + 1, "read") !== undefined);
    expect(tries).toEqual([...Array(10).fill(true), false, false]);
  });

  it("only after the connection of the refused request was released", async () => {
    const refusal = fedStream();
    refusal.push("later ".repeat(1000)); // longer than the part that the client reads
    const busy: Responder = () => ({ ...streamResponse(refusal, { "retry-after": "1" }), status: 429 });
    const { foos, clock } = setUp({}, busy, ok);
    const got = foos.get({ name: "foo" }, signal);
    await clock.settle();
    expect(refusal.isClosed).toBe(true);
    await clock.run("idle");
    expect(await got).toEqual({ kind: "Foo" });
  });

  it("with its whole body", async () => {
    const { clock, foos, transport } = setUp({}, later(429), later(500), later(501), later(504), ok);
    const done = foos.create({ object: { metadata: { name: "abcd".repeat(1000) } } }, signal);
    await clock.run("idle");
    await done;
    const bodies = transport.requests.map(({ body }) => (body?.kind === "bytes" ? body.bytes.length : 0));
    expect(new Set(bodies).size).toBe(1);
    expect([bodies.length, bodies[0]]).toEqual([5, 4055]);
  });

  it.each(["read", "watch"] as const)(
    "a %s after the wait, the limiter's turn last, and every attempt is counted",
    async (kind) => {
      const order: string[] = [];
      const metrics = new MetricRegistry({ version: "1.36.4" });
      const clock = testClock();
      const rateLimiter = { wait: async () => void order.push(`limiter at ${clock.monotonicMs()}`) };
      const note =
        (responder: Responder): Responder =>
        (request, given) => {
          order.push(`sent at ${clock.monotonicMs()}`);
          return responder(request, given);
        };
      const stream = fedStream(signal);
      const last: Responder = kind === "watch" ? () => streamResponse(stream) : ok;
      const { foos } = setUp({ clock, rateLimiter, metrics, host: "h" }, note(later(500, "5")), note(last));
      const done = kind === "watch" ? foos.watch({}, signal) : foos.get({ name: "a" }, signal);
      await clock.run("idle");
      await done;
      stream.end();
      // A watch does not wait for the rate limiter before its first attempt.
      const first = kind === "watch" ? [] : ["limiter at 0"];
      expect(order).toEqual([...first, "sent at 0", "limiter at 5000", "sent at 5000"]);
      const count = (name: string, code: string) => metrics.value(name, [code, "GET", "h"]) ?? 0;
      expect([count("rest_client_requests_total", "500"), count("rest_client_requests_total", "200")]).toEqual([1, 1]);
      expect([
        count("rest_client_request_retries_total", "500"),
        count("rest_client_request_retries_total", "200"),
      ]).toEqual([0, 1]);
    },
  );
});

describe("machinery/8.r8 watches", () => {
  const forbidden = {
    kind: "Status",
    status: "Failure",
    message: "secrets is forbidden",
    reason: "Forbidden",
    code: 403,
  };
  it.each<{
    what: string;
    responders: readonly Responder[];
    attempts: number;
    is?: (error: unknown) => boolean;
    message?: string;
  }>([
    { what: "an error for which there is no cure", responders: [fails("other", "err")], attempts: 1, message: "err" },
    {
      what: "a Status",
      responders: [() => jsonResponse(forbidden, 403)],
      attempts: 1,
      is: isForbidden,
      message: "secrets is forbidden",
    },
    { what: "403 without a body", responders: [() => answer(403)], attempts: 1, is: isForbidden },
    { what: "401 without a body", responders: [() => answer(401)], attempts: 1, is: isUnauthorized },
    { what: "Retry-After without end", responders: [later(500)], attempts: 11, is: isInternalError },
    { what: "lost connections without end", responders: [fails("reset", "EOF")], attempts: 11 },
  ])("machinery/4.2.2 $what", async ({ responders, attempts, is, message }) => {
    const { clock, foos, transport } = setUp({}, ...responders);
    const watching = outcome(foos.watch({}, signal));
    await clock.run("idle");
    const watch = await watching;
    expect(transport.requests).toHaveLength(attempts);
    if (is === undefined && message === undefined) {
      const batches = [];
      for await (const batch of watch as AsyncIterable<unknown>) batches.push(batch);
      expect(batches).toEqual([]);
      return;
    }
    expect(watch).toBeInstanceOf(Error);
    if (is !== undefined) expect(is(watch)).toBe(true);
    if (message !== undefined) expect((watch as Error).message).toBe(message);
  });

  it("bring the server's events in order, and refuse malformed ones", async () => {
    const stream = fedStream(signal);
    const { foos } = setUp(
      {},
      () => streamResponse(stream),
      () => answer(200, "{}", "foobar"),
    );
    const events = ["ADDED", "MODIFIED", "DELETED"].map((type) => ({ type, object: { metadata: { name: "a" } } }));
    for (const event of events) stream.push(`${JSON.stringify(event)}\n`);
    stream.end();
    const seen: unknown[] = [];
    for await (const batch of await foos.watch({}, signal)) seen.push(...batch);
    expect(seen).toEqual(events);
    const unread = async (): Promise<void> => {
      for await (const _ of await foos.watch({}, signal));
    };
    await expect(unread()).rejects.toThrow();
  });
});

describe("machinery/8.r8 the error of an earlier attempt", () => {
  const lost = (message: string): Responder => fails("reset", message);
  const final = fails("other", "non retryable error");
  const before = " - error from a previous attempt: ";
  it.each<{ what: string; responders: readonly Responder[]; error?: string }>([
    { what: "none at the first attempt", responders: [ok] },
    { what: "none after Retry-After", responders: [later(500), later(500), ok] },
    { what: "none after lost connections", responders: [lost("EOF"), lost("EOF"), ok] },
    { what: "an error alone", responders: [final], error: "non retryable error" },
    { what: "an error after Retry-After", responders: [later(500), later(500), final], error: "non retryable error" },
    {
      what: "a lost connection, Retry-After, an error",
      responders: [lost("EOF"), later(500), later(500), final],
      error: `non retryable error${before}EOF`,
    },
    {
      what: "lost connections among Retry-After",
      responders: [later(500), lost("unexpected EOF"), later(500), lost("EOF"), later(500), final],
      error: `non retryable error${before}EOF`,
    },
    {
      what: "the last of two",
      responders: [lost("unexpected EOF"), lost("EOF"), final],
      error: `non retryable error${before}EOF`,
    },
  ])("machinery/4.2.4 $what", async ({ responders, error }) => {
    const { clock, foos, transport } = setUp({}, ...responders);
    const done = outcome(foos.get({ name: "a" }, signal));
    await clock.run("idle");
    const result = await done;
    expect(transport.requests).toHaveLength(responders.length);
    expect(result instanceof Error ? result.message : undefined).toBe(error);
  });

  it("is not said twice", () => {
    const eof = new TransportError("reset", "EOF");
    expect(withPreviousAttempt(eof, undefined)).toBe(eof);
    expect(withPreviousAttempt(eof, new Error("EOF"))).toBe(eof);
    expect((withPreviousAttempt(eof, new Error("unknown error")) as Error).message).toBe(`EOF${before}unknown error`);
  });
});
