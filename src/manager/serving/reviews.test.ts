import { describe, expect, it } from "vitest";
import { TokenReviews as TokenReviewResource } from "#api/generated/resources/authentication-v1.ts";
import { TransportError } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { createClient } from "#client/create-client.ts";
import { jsonResponse, type Responder, type ScriptedTransport, scriptedTransport } from "#client/testing.ts";
import { AccessReviews } from "./access-reviews.ts";
import { registerAuthMetrics } from "./auth-metrics.ts";
import { createAuthenticator } from "./authentication.ts";
import type { User } from "./request.ts";
import { createReviewClient } from "./review-client.ts";
import { TokenReviews } from "./token-reviews.ts";

const jane: User = { name: "jane", groups: ["dev"], extra: { a: ["b"] } };
const known = jsonResponse({ status: { authenticated: true, user: { username: "jane", groups: ["dev"] } } }, 201);
const failure =
  (code: number, reason: string): Responder =>
  () =>
    jsonResponse({ kind: "Status", status: "Failure", code, reason }, code);

interface World {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly tokens: TokenReviews;
  readonly access: AccessReviews;
  readonly registry: MetricRegistry;
}

function world(...responders: Responder[]): World {
  const clock = testClock();
  const transport = scriptedTransport(...responders);
  const client = createClient({ transport, clock, userAgent: "test" });
  const registry = new MetricRegistry({ version: "1.36.4" });
  const metrics = registerAuthMetrics(registry);
  const deps = { client, clock, rng: seededRng("reviews"), log: noLog, digest: (text: string) => `digest of ${text}` };
  return {
    clock,
    transport,
    registry,
    tokens: new TokenReviews(deps, metrics, 10_000),
    access: new AccessReviews(deps, metrics, { allowedMs: 10_000, deniedMs: 5_000 }),
  };
}

/** The outcome after all waits have ended. */
async function outcome<T>(clock: VirtualClock, promise: Promise<T>): Promise<T | string> {
  const settled = promise.catch((error: unknown) => `${(error as Error).name}: ${(error as Error).message}`);
  await clock.advance(60_000);
  return settled;
}

describe("token reviews", () => {
  it("machinery/2.1.4 asks once for callers at the same time, remembers 10 s, then asks again", async () => {
    const { clock, transport, tokens } = world(() => known);
    await Promise.all([tokens.userOf("t"), tokens.userOf("t")]);
    await tokens.userOf("t");
    expect(transport.requests).toHaveLength(1);
    await clock.advance(10_001);
    expect(await tokens.userOf("t")).toEqual({ name: "jane", groups: ["dev"] });
    expect(transport.requests).toHaveLength(2);
    expect(transport.requests[0]).toMatchObject({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
    });
  });

  it("machinery/2.1.4 remembers refusals, but not errors", async () => {
    const refused = world(() => jsonResponse({ status: { authenticated: false } }, 201));
    for (let i = 0; i < 2; i++) await expect(refused.tokens.userOf("t")).rejects.toThrow("invalid bearer token");
    expect(refused.transport.requests).toHaveLength(1);
    const failing = world(() => jsonResponse({ status: { authenticated: false, error: "expired" } }, 201));
    for (let i = 0; i < 2; i++) await expect(failing.tokens.userOf("t")).rejects.toThrow("expired");
    expect(failing.transport.requests).toHaveLength(2);
  });

  it("machinery/2.1.4 tries five times while the failure may pass, within 10 s", async () => {
    const { clock, transport, tokens, registry } = world(failure(500, "InternalError"));
    expect(await outcome(clock, tokens.userOf("t"))).toContain("ApiError");
    expect(transport.requests).toHaveLength(5);
    expect(registry.value("apiserver_delegated_authn_request_total", ["500"])).toBe(5);
    const reset = world(
      () => {
        throw new TransportError("reset", "connection reset");
      },
      () => known,
    );
    expect(await outcome(reset.clock, reset.tokens.userOf("t"))).toMatchObject({ name: "jane" });
  });

  it("machinery/2.1.4 gives up at once when no retry can help, and after 10 s when nobody answers", async () => {
    const forbidden = world(failure(403, "Forbidden"));
    await expect(forbidden.tokens.userOf("t")).rejects.toThrow();
    expect(forbidden.transport.requests).toHaveLength(1);
    const silent = world(
      (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
        ),
    );
    expect(await outcome(silent.clock, silent.tokens.userOf("t"))).toContain("DeadlineExceeded");
    expect(silent.registry.value("apiserver_delegated_authn_request_total", ["<error>"])).toBe(1);
  });
});

describe("how reviews are asked for", () => {
  it("machinery/2.1.4 waits half a second, then half as much again each time, stretched by up to a fifth", async () => {
    for (const ask of ["tokens", "access"] as const) {
      const askedAtMs: number[] = [];
      const { clock, tokens, access } = world((request, signal) => {
        askedAtMs.push(clock.monotonicMs());
        return failure(500, "InternalError")(request, signal);
      });
      for (let round = 0; round < 20; round++) {
        askedAtMs.length = 0;
        const asked = ask === "tokens" ? tokens.userOf("t") : access.decide(jane, "get", "/", neverAborted());
        expect(await outcome<unknown>(clock, asked)).toContain("ApiError");
        const shares = askedAtMs.slice(1).map((at, i) => (at - (askedAtMs[i] ?? 0)) / (500 * 1.5 ** i));
        expect(shares).toHaveLength(4);
        for (const share of shares) expect(share >= 1 && share <= 1.2).toBe(true);
      }
    }
  });

  it("machinery/2.1.4 gives all tries of a token review 10 s, and each try of an access review", async () => {
    const slowly = (clock: VirtualClock): Responder => {
      const answer = failure(500, "InternalError");
      return async (request, signal) => {
        await clock.sleep(6_000, signal);
        return answer(request, signal);
      };
    };
    const token = world((request, signal) => slowly(token.clock)(request, signal));
    expect(await outcome(token.clock, token.tokens.userOf("t"))).toContain("DeadlineExceeded");
    expect(token.transport.requests).toHaveLength(2);
    const access = world((request, signal) => slowly(access.clock)(request, signal));
    expect(await outcome(access.clock, access.access.decide(jane, "get", "/", neverAborted()))).toContain("ApiError");
    expect(access.transport.requests).toHaveLength(5);
  });

  it.each(["authentication", "authorization"] as const)(
    "machinery/2.1.4 asks 400 times at once and 200 times a second from then on, for %s",
    async (part) => {
      const { clock, transport } = world(() => known);
      const client = createReviewClient(part, { transport, clock, userAgent: "test" });
      const reviews = client.resource(TokenReviewResource);
      const object = { metadata: {}, spec: { token: "t" } };
      const all = Promise.all(Array.from({ length: 900 }, () => reviews.create({ object }, neverAborted())));
      await clock.settle();
      expect(transport.requests).toHaveLength(400);
      await clock.advance(1_000);
      expect(transport.requests).toHaveLength(600);
      await clock.advance(2_000);
      await all;
      expect(transport.requests[0]?.query).toBe(part === "authorization" ? "timeout=10s" : "");
    },
  );
});

describe("tokens in requests", () => {
  const ask = async (headers: Record<string, string>): Promise<readonly [string, number]> => {
    const { tokens, transport, clock } = world(() => known);
    const metrics = registerAuthMetrics(new MetricRegistry({ version: "1.36.4" }));
    const sources = { requestHeader: () => undefined, hasClientCa: () => false, readsCertificateUid: true, tokens };
    const request = { method: "GET", path: "/", uri: "/", query: "", headers, peer: { address: "" } };
    const user = await createAuthenticator(sources, metrics, clock)(request);
    return [user.name, transport.requests.length];
  };
  const subprotocol = (token: string): string => `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${token}`;

  it.each([
    [{ authorization: "Bearer t" }, ["jane", 1]],
    [{ authorization: "  bearer  t" }, ["system:anonymous", 0]],
    [{ authorization: "Bearer " }, ["system:anonymous", 0]],
    [{ authorization: "Basic dTpw" }, ["system:anonymous", 0]],
    [{ upgrade: "websocket", "sec-websocket-protocol": subprotocol("dA") }, ["jane", 1]],
    [{ "sec-websocket-protocol": subprotocol("dA") }, ["system:anonymous", 0]],
  ] as const)("machinery/2.1.2 %j", async (headers, wanted) => {
    expect(await ask(headers)).toEqual(wanted);
  });
});

describe("access reviews", () => {
  const answer =
    (status: object): Responder =>
    () =>
      jsonResponse({ status }, 201);

  it("machinery/2.1.5 asks about path and verb, and remembers as long as each answer deserves", async () => {
    const { clock, transport, access } = world(answer({ allowed: false, reason: "no" }), answer({ allowed: true }));
    const decide = () => access.decide(jane, "get", "/metrics", neverAborted());
    expect(await decide()).toEqual({ kind: "no-opinion", reason: "no" });
    await clock.advance(4_999);
    expect((await decide()).kind).toBe("no-opinion");
    await clock.advance(2);
    expect((await decide()).kind).toBe("allowed");
    await clock.advance(9_999);
    expect((await decide()).kind).toBe("allowed");
    expect(transport.requests).toHaveLength(2);
    const { body } = transport.requests[0] ?? {};
    const sent = JSON.parse(new TextDecoder().decode(body?.kind === "bytes" ? body.bytes : new Uint8Array())) as {
      spec: unknown;
    };
    expect(sent.spec).toEqual({
      user: "jane",
      groups: ["dev"],
      extra: { a: ["b"] },
      nonResourceAttributes: { path: "/metrics", verb: "get" },
    });
  });

  it("machinery/2.1.5 tells a denial from no opinion, and refuses an answer that is both", async () => {
    expect(
      await world(answer({ allowed: false, denied: true })).access.decide(jane, "get", "/", neverAborted()),
    ).toEqual({
      kind: "denied",
      reason: "",
    });
    await expect(
      world(answer({ allowed: true, denied: true })).access.decide(jane, "get", "/", neverAborted()),
    ).rejects.toThrow("both allow and deny");
  });
});
