import { describe, expect, it } from "vitest";
import { type Logger, noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { registerAuthMetrics } from "./auth-metrics.ts";
import { type AuthenticationSources, anonymousUser, createAuthenticator } from "./authentication.ts";
import { createAuthorizer, pathMatcher } from "./authorization.ts";
import { buildChain } from "./chain.ts";
import { HealthPage } from "./healthz.ts";
import type { DaemonRequest, PeerIdentity, User } from "./request.ts";
import { textResponse } from "./responses.ts";
import { HealthRecord } from "./slis.ts";

const request = (part: Partial<DaemonRequest> = {}): DaemonRequest => ({
  method: "GET",
  path: "/metrics",
  uri: "/metrics",
  query: "",
  headers: {},
  peer: { address: "192.0.2.1" },
  ...part,
});
const certificate = (part: Partial<PeerIdentity>): Pick<DaemonRequest, "peer"> => ({
  peer: {
    address: "",
    certificate: {
      commonName: "jane",
      organizations: ["dev"],
      uids: [],
      signedBy: ["client-ca"],
      problems: {},
      identifier: "SN=1, SKID=, AKID=",
      notAfterMs: 0,
      fingerprint: "ff",
      ...part,
    },
  },
});
const proxy = {
  usernameHeaders: ["x-remote-user", "x-other-user"],
  uidHeaders: ["x-remote-uid"],
  groupHeaders: ["x-remote-group"],
  extraHeaderPrefixes: ["x-remote-extra-"],
  allowedNames: ["front"],
};
const sources: AuthenticationSources = {
  requestHeader: () => proxy,
  hasClientCa: () => true,
  readsCertificateUid: true,
  tokens: undefined,
};
const metrics = () => registerAuthMetrics(new MetricRegistry({ version: "1.36.4" }));
const who = (part: Partial<DaemonRequest>, from: Partial<AuthenticationSources> = {}): Promise<User> =>
  createAuthenticator({ ...sources, ...from }, metrics(), testClock())(request(part));
const front = certificate({ commonName: "front", signedBy: ["request-header-ca"] });

describe("authentication", () => {
  it("machinery/2.1.2 knows the bearer of a client certificate, by name and groups", async () => {
    expect(await who(certificate({}))).toEqual({
      name: "jane",
      groups: ["dev", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ff"] },
    });
  });

  it("machinery/2.1.2 takes the UID from the subject, and refuses several and an empty one", async () => {
    expect(await who(certificate({ uids: ["u-1"] }))).toMatchObject({ name: "jane", uid: "u-1" });
    expect((await who(certificate({ uids: ["u-1"] }), { readsCertificateUid: false })).uid).toBeUndefined();
    const byCertificate = { requestHeader: () => undefined };
    await expect(who(certificate({ uids: ["a", "b"] }), byCertificate)).rejects.toThrow(
      /^expected 1 UID, but found multiple: \[a b\]$/,
    );
    await expect(who(certificate({ uids: [""] }), byCertificate)).rejects.toThrow(/^UID cannot be an empty string$/);
    expect(await who(certificate({ commonName: "", uids: ["a", "b"] }), byCertificate)).toEqual(anonymousUser);
  });

  it("machinery/2.1.2 lets a front proxy speak for others, in all its headers", async () => {
    const headers = {
      "x-other-user": "joe",
      "x-remote-uid": "7",
      "x-remote-group": ["a", "b, system:masters"],
      "x-remote-extra-scopes%2fx": "s",
      "x-remote-extra-constructor": "c",
    };
    expect(await who({ ...front, headers })).toEqual({
      name: "joe",
      uid: "7",
      groups: ["a", "b, system:masters", "system:authenticated"],
      extra: { "scopes/x": ["s"], constructor: ["c"] },
    });
  });

  it("machinery/2.1.2 takes who presents nothing for anonymous, headers of a front proxy without its certificate included", async () => {
    expect(await who({})).toEqual(anonymousUser);
    expect(await who({ headers: { "x-remote-user": "root", authorization: "Bearer t" } })).toEqual(anonymousUser);
    expect(await who(certificate({ commonName: "" }), { requestHeader: () => undefined })).toEqual(anonymousUser);
  });

  it.each([
    ["a certificate that nobody vouches for", certificate({ signedBy: [] })],
    [
      "a front proxy with another name",
      { ...certificate({ signedBy: ["request-header-ca"] }), headers: { "x-remote-user": "root" } },
    ],
    ["a front proxy that speaks for nobody", front],
  ])("machinery/2.1.2 refuses %s", async (_, part) => {
    await expect(who(part)).rejects.toThrow(/x509/);
  });
});

describe("authorization", () => {
  it("machinery/2.1.5 allows masters everything and everybody the open paths, and nobody else without a review", async () => {
    const authorize = createAuthorizer(["/healthz"], undefined);
    const decide = async (groups: readonly string[], path: string): Promise<string> =>
      (await authorize({ name: "x", groups }, "get", path, neverAborted())).kind;
    expect(await decide(["system:masters"], "/metrics")).toBe("allowed");
    expect(await decide([], "/healthz")).toBe("allowed");
    expect(await decide(["dev"], "/metrics")).toBe("no-opinion");
  });

  it.each([
    ["/a", "/a", true],
    ["a", "/a", true],
    ["/a", "/a/", false],
    ["/a*", "/abc/d", true],
    ["/a/*", "/a", false],
    ["/a/*", "/a/", true],
    ["/", "/", true],
    ["*", "/anything", true],
  ])("machinery/2.1.6 %s and %s: %s", (pattern, path, wanted) => {
    expect(pathMatcher([pattern])(path)).toBe(wanted);
  });

  it("machinery/2.1.6 refuses a star inside a path", () => {
    expect(() => pathMatcher(["/a*b"])).toThrow('only trailing * allowed in "a*b"');
  });
});

describe("the chain", () => {
  const chain = (user: User | Error, page = textResponse(200, "page")) => {
    const registry = new MetricRegistry({ version: "1.36.4" });
    const handle = buildChain({
      clock: testClock(),
      log: noLog,
      metrics: registerAuthMetrics(registry),
      authenticate: () => (user instanceof Error ? Promise.reject(user) : Promise.resolve(user)),
      authorize: async (_user, verb, path) => {
        if (path === "/broken") throw new Error("no <answer>");
        return {
          kind: verb === "get" && path === "/metrics" ? "allowed" : "denied",
          reason: path === "/metrics" ? "" : "because",
        };
      },
      page: () => page,
    });
    return { registry, handle };
  };
  const text = ({ body }: Awaited<ReturnType<ReturnType<typeof chain>["handle"]>>): string =>
    body.kind === "bytes" ? new TextDecoder().decode(body.bytes) : "";

  it("machinery/2.1.1 passes an allowed request on, uncached, and counts it", async () => {
    const { handle, registry } = chain(anonymousUser);
    expect(await handle(request(), neverAborted())).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-cache, private" },
    });
    expect(registry.value("authentication_attempts", ["success"])).toBe(1);
    expect(registry.value("authorization_attempts_total", ["allowed"])).toBe(1);
    expect(registry.value("authenticated_user_requests", ["other"])).toBe(1);
  });

  it("machinery/2.1.7 answers 401 to bad credentials, 403 with the reason, 500 when the question failed", async () => {
    const unknown = chain(new Error("bad"));
    expect((await unknown.handle(request(), neverAborted())).status).toBe(401);
    expect(unknown.registry.value("authentication_attempts", ["error"])).toBe(1);
    const { handle, registry } = chain(anonymousUser);
    const forbidden = await handle(request({ path: "/a<b" }), neverAborted());
    expect([forbidden.status, text(forbidden)]).toEqual([
      403,
      `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User \\"system:anonymous\\" cannot get path \\"/a\\u0026lt;b\\": because","reason":"Forbidden","details":{},"code":403}\n`,
    ]);
    const broken = await handle(request({ path: "/broken", uri: "/broken?x" }), neverAborted());
    expect([broken.status, text(broken)]).toEqual([500, 'Internal Server Error: "/broken?x": no &lt;answer&gt;\n']);
    expect(registry.value("authorization_attempts_total", ["denied"])).toBe(1);
    expect(registry.value("authorization_attempts_total", ["error"])).toBe(1);
  });
});

describe("health", () => {
  const get = (page: HealthPage, query: string): { status: number; text: string } => {
    const { status, body } = page.handle(request({ path: "/healthz", query }));
    return { status, text: body.kind === "bytes" ? new TextDecoder().decode(body.bytes) : "" };
  };
  const good = { name: "good", problem: () => undefined };
  const bad = { name: "bad", problem: () => "the lease is lost" };

  it("machinery/1.2.3 has a check that passes when there is no other", () => {
    expect(get(new HealthPage([], noLog, new HealthRecord()), "verbose").text).toBe(
      "[+]ping ok\nhealthz check passed\n",
    );
  });

  it("machinery/2.2.r1 withholds the reason of a failure, and lists all checks even if not asked to", () => {
    const page = new HealthPage([good], noLog, new HealthRecord());
    page.add(bad);
    const failed = "[+]good ok\n[-]bad failed: reason withheld\nhealthz check failed\n";
    expect(get(page, "")).toEqual({ status: 500, text: failed });
    expect(get(page, "exclude=bad")).toEqual({ status: 200, text: "ok" });
  });

  it("machinery/2.2.r1 logs an unknown check in the query only in detail, because callers without credentials can repeat it", () => {
    const levels: number[] = [];
    const at = (level: number): Logger => ({ ...noLog, info: () => levels.push(level), v: at });
    expect(get(new HealthPage([good], at(0), new HealthRecord()), "exclude=other").status).toBe(200);
    expect(levels).toEqual([6]);
  });

  it("machinery/6.n3 counts both outcomes", () => {
    const record = new HealthRecord();
    const page = new HealthPage([good, bad], noLog, record);
    get(page, "");
    get(page, "exclude=good");
    const lines = record
      .render(1.5)
      .split("\n")
      .filter((line) => !line.startsWith("#"));
    expect(lines).toEqual([
      'kubernetes_healthcheck{name="bad",type="healthz"} 0',
      'kubernetes_healthcheck{name="good",type="healthz"} 1',
      'kubernetes_healthchecks_total{name="bad",status="error",type="healthz"} 2',
      'kubernetes_healthchecks_total{name="good",status="success",type="healthz"} 1',
      "process_start_time_seconds 1.5",
      "",
    ]);
  });
});
