// The cases by which client-go tests its REST client. Cases about features that this client does not have are left out:
// request builders, schemes, copying and printing of configurations, URL back-off by environment variables, and the
// logging of bodies. Connections, proxies and TLS are tested in platform/.

import { describe, expect, it } from "vitest";
import {
  type ApiError,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isInternalError,
  isNotFound,
  isUnauthorized,
  isUnexpectedServerError,
} from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import type { HttpResponse } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { answer, Foos, setUp } from "#client/client-go-cases.testing.ts";
import { rateLimiterFor } from "#client/rate-limiter.ts";
import { jsonResponse, type Responder } from "#client/testing.ts";
import { createThrottleLog } from "#client/throttle-log.ts";

const signal = neverAborted();
const ok: Responder = () => jsonResponse({ kind: "Foo" });
const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe("machinery/8.r8 answers that are errors", () => {
  const text = "aaaaa";
  it.each<{ what: string; response: HttpResponse; is?: (error: unknown) => boolean; message?: string }>([
    { what: "199", response: answer(199) },
    { what: "500", response: answer(500), is: isInternalError },
    { what: "422", response: answer(422) },
    { what: "409", response: answer(409), is: isConflict },
    { what: "404", response: answer(404), is: isNotFound },
    { what: "403", response: answer(403), is: isForbidden },
    { what: "401", response: answer(401), is: isUnauthorized },
    {
      what: "401 with bad JSON",
      response: answer(401, text, "application/json"),
      is: isUnauthorized,
      message: "unknown",
    },
    {
      what: "401 with text",
      response: answer(401, text, "text/any"),
      is: isUnauthorized,
      message: "server has asked for the client to provide",
    },
    { what: "401 with bad protobuf", response: answer(401, text, "application/protobuf"), is: isUnauthorized },
    { what: "404 of an unknown type", response: answer(404, text, "application/unrecognized"), is: isNotFound },
    {
      what: "500 of no type",
      response: answer(500, "", "application/,others"),
      is: isInternalError,
      message: "Internal error occurred: mime: expected token after slash",
    },
  ])("machinery/4.2.1 $what", async ({ response, is, message }) => {
    const { foos } = setUp({}, () => response);
    const error = (await outcome(foos.get({ name: "bar" }, signal))) as ApiError;
    expect(error.code).toBe(response.status);
    expect(error.message).not.toBe(text);
    if (is !== undefined) expect(is(error)).toBe(true);
    const said = [error.message, ...error.causes.map((cause) => cause.message)].join(" ");
    if (message !== undefined) expect(said).toContain(message);
  });

  it.each([
    { what: "a POST of what is there", method: "POST", status: 409, is: isAlreadyExists },
    { what: "a PUT of what has changed", method: "PUT", status: 409, is: isConflict },
    { what: "a GET of what is not there", method: "GET", status: 404, is: isNotFound },
    { what: "a bad request", method: "GET", status: 400, is: isBadRequest },
    {
      what: "a Status under another code",
      body: '{"kind":"Status","apiVersion":"v1","status":"Failure","code":404}',
      code: 404,
    },
    { what: "a Status without a version", body: '{"kind":"Status","status":"Failure","code":404}', code: 404 },
    {
      what: "a Status of success",
      body: '{"kind":"Status","apiVersion":"v1","status":"Success","code":404}',
      is: isBadRequest,
    },
    { what: "an empty object", body: "{}", is: isBadRequest },
    { what: "a Status that does not say so", body: '{"status":"Failure","code":404}', is: isBadRequest },
  ])("without more information: $what", async ({ method = "GET", status = 400, body = "", is, code = status }) => {
    const { foos } = setUp({}, () => answer(status, body, body === "" ? undefined : "application/json"));
    const object = stored(Foos, { metadata: { name: "bar" } });
    const call = {
      POST: () => foos.create({ object }, signal),
      PUT: () => foos.update({ object }, signal),
      GET: () => foos.get({ name: "bar" }, signal),
    };
    const error = (await outcome(call[method as "GET"]())) as ApiError;
    expect(error.code).toBe(code);
    if (is === undefined) return;
    expect([is(error), isUnexpectedServerError(error)]).toEqual([true, true]);
    if (status !== 400) for (const word of ["foo", "bar"]) expect(error.message).toContain(word);
  });

  it("a whole Status comes as it is", async () => {
    const status = {
      kind: "Status",
      code: 404,
      status: "Failure",
      reason: "NotFound",
      message: ' "" not found',
      details: {},
    };
    const { foos } = setUp({}, () => jsonResponse(status, 404));
    expect(((await outcome(foos.get({ name: "bar" }, signal))) as ApiError).status).toEqual(
      status as ApiError["status"],
    );
  });

  it.each([200, 201, 202, 204])("%i is none, whatever the bytes are", async (status) => {
    const { client } = setUp({}, () => answer(status, text));
    const raw = await client.raw({ method: "GET", path: "/test" }, signal);
    expect([raw.status, new TextDecoder().decode(raw.bytes)]).toEqual([status, text]);
  });
});

describe("machinery/8.r8 requests", () => {
  it.each([".", "..", "test/segment", "test%2bsegment"])("%j is neither a name nor a namespace", async (segment) => {
    const { foos, transport } = setUp({}, ok);
    for (const at of [{ name: segment }, { name: "a", namespace: segment }]) {
      await expect(foos.get(at, signal)).rejects.toThrow("invalid");
    }
    expect(transport.requests).toEqual([]);
  });

  it("a namespace comes before the resource, a subresource after the name, options after all", async () => {
    const { foos, transport } = setUp({}, ok);
    await foos.getSubresource({ namespace: "bar", name: "baz", subresource: "test" }, signal);
    await foos.list({ namespace: "bar", resourceVersion: "1", timeoutSeconds: 10 }, signal);
    expect(transport.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      "/api/v1/namespaces/bar/foo/baz/test?",
      "/api/v1/namespaces/bar/foo?resourceVersion=1&timeoutSeconds=10",
    ]);
  });

  it("ends when the caller does, and asks nothing after that", async () => {
    const stop = new AbortController();
    const { foos, clock, transport } = setUp({}, (_, given) => {
      return new Promise((_, reject) => given.addEventListener("abort", () => reject(given.reason), { once: true }));
    });
    const asked = outcome(foos.get({ name: "a" }, stop.signal));
    await clock.settle();
    stop.abort(new Error("enough"));
    expect(String(await asked)).toContain("enough");
    await expect(foos.get({ name: "a" }, stop.signal)).rejects.toThrow("enough");
    expect(transport.requests).toHaveLength(1);
  });

  it.each([
    { limits: { qps: 0, burst: 0 }, at: [0, 200] },
    { limits: { qps: 10, burst: 10 }, at: [0, 100] },
    { limits: { qps: -1, burst: 0 }, at: [0, 0] },
  ])("are paced by $limits", async ({ limits, at }) => {
    const clock = testClock();
    const rateLimiter = rateLimiterFor(limits, clock);
    const { foos } = setUp({ clock, ...(rateLimiter && { rateLimiter }) }, ok);
    const sentAt: number[] = [];
    const all = Array.from({ length: 11 }, () =>
      foos.get({ name: "a" }, signal).then(() => sentAt.push(clock.monotonicMs())),
    );
    await clock.run("idle");
    await Promise.all(all);
    expect([sentAt[9], sentAt[10]]).toEqual(at);
  });

  it("that wait are mentioned once in ten seconds", async () => {
    const clock = testClock();
    let lines = 0;
    const loud = { ...noLog, isEnabled: true, info: () => void lines++ };
    const log = { ...noLog, v: (level: number) => (level === 0 ? loud : noLog) };
    const mention = createThrottleLog(clock, log);
    for (let second = 0; second < 1000; second++) {
      for (let i = 0; i < 10; i++) mention(2000, { method: "GET", path: "/" }, "");
      await clock.advance(1000);
    }
    expect(lines).toBe(100);
  });
});
