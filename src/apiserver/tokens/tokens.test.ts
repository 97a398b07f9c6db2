// Service accounts and their tokens: how they are issued, how long they are valid, and what ends them.

import { describe, expect, it } from "vitest";
import { encodeBase64 } from "#api/base64.ts";
import { defaultPlugins } from "../admission/default-plugins.ts";
import { bytesTransport } from "../in-process-transport.ts";
import { type Answer, startTestServer, type TestClient, type TestServer, testClient } from "../testing.ts";
import { checksumKeys } from "./checksum-keys.ts";
import { unverifiedClaims } from "./json-web-token.ts";

const NS = "/api/v1/namespaces/default";
const ROBOT = `${NS}/serviceaccounts/robot`;
const ISSUER = "https://kubernetes.default.svc.cluster.local";
const keys = checksumKeys("secret");

interface Stage extends TestServer {
  /** Without credentials. */
  readonly anyone: TestClient;
}

async function start(): Promise<Stage> {
  const server = startTestServer({ admission: defaultPlugins, tokenKeys: keys });
  await server.bytes.post(`${NS}/serviceaccounts`, { metadata: { name: "robot" } });
  return { ...server, anyone: testClient(bytesTransport(server.server)) };
}

async function tokenOf({ bytes }: Stage, spec: object = {}): Promise<string> {
  const { status, body } = await bytes.post(`${ROBOT}/token`, { spec });
  expect(status).toBe(201);
  return body.status.token;
}

/** 403: authenticated, but without permission; 401: not authenticated. */
const tryToken = ({ anyone }: Stage, token: string): Promise<Answer> =>
  anyone.get("/api/v1/pods", { authorization: `Bearer ${token}` });

const review = async ({ bytes }: Stage, token: string, audiences?: string[]): Promise<Answer["body"]> =>
  (
    await bytes.post("/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token, ...(audiences && { audiences }) },
    })
  ).body.status;

const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { serviceAccountName: "robot", containers: [{ name: "a", image: "example/a:1" }], ...spec },
});

describe("tokens of service accounts", () => {
  it("machinery/7.2.r5 name their account, and authenticate as it", async () => {
    const stage = await start();
    const token = await tokenOf(stage);
    const uid = (await stage.bytes.get(ROBOT)).body.metadata.uid;
    expect(unverifiedClaims(token)).toMatchObject({
      aud: [ISSUER],
      iss: ISSUER,
      sub: "system:serviceaccount:default:robot",
      "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid } },
    });
    const { status, body } = await tryToken(stage, token);
    expect(status).toBe(403);
    expect(body.message).toContain('User "system:serviceaccount:default:robot" cannot list resource "pods"');
    expect(await review(stage, token)).toMatchObject({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:robot",
        uid,
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
      audiences: [ISSUER],
    });
  });

  it("machinery/7.2.r5 are valid until a minute after their expiry", async () => {
    const stage = await start();
    const token = await tokenOf(stage, { expirationSeconds: 600 });
    await stage.clock.advance(600_000);
    expect((await tryToken(stage, token)).status).toBe(403);
    await stage.clock.advance(61_000);
    expect((await tryToken(stage, token)).status).toBe(401);
    expect(await review(stage, token)).toEqual({
      user: {},
      error: "[invalid bearer token, service account token has expired]",
    });
  });

  it("machinery/7.2.r5 are valid for their audiences only", async () => {
    const stage = await start();
    const token = await tokenOf(stage, { audiences: ["vault", "other"] });
    expect((await tryToken(stage, token)).status).toBe(401);
    expect(await review(stage, token, ["vault", "third"])).toMatchObject({ authenticated: true, audiences: ["vault"] });
    expect((await review(stage, token)).error).toContain('token audiences ["vault" "other"] is invalid');
  });

  it("machinery/7.2.r5 become invalid with their account, even if it is recreated", async () => {
    const stage = await start();
    const token = await tokenOf(stage);
    await stage.bytes.delete(ROBOT);
    expect((await review(stage, token)).error).toContain('serviceaccounts "robot" not found');
    await stage.bytes.post(`${NS}/serviceaccounts`, { metadata: { name: "robot" } });
    expect((await review(stage, token)).error).toContain("does not match claim");
  });

  it.each(["Pod", "Secret", "Node"])("machinery/7.2.r5 bound to a %s end with it", async (kind) => {
    const stage = await start();
    const { bytes } = stage;
    const made: Record<string, [string, object]> = {
      Pod: [`${NS}/pods`, pod("x")],
      Secret: [`${NS}/secrets`, { metadata: { name: "x" } }],
      Node: ["/api/v1/nodes", { metadata: { name: "x" } }],
    };
    const [path, object] = made[kind] as [string, object];
    expect((await bytes.post(path, object)).status).toBe(201);
    const token = await tokenOf(stage, { boundObjectRef: { apiVersion: "v1", kind, name: "x" } });
    expect((await tryToken(stage, token)).status).toBe(403);
    await bytes.delete(`${path}/x`);
    expect((await review(stage, token)).error).toContain("service account token has been invalidated");
    await bytes.post(path, object);
    expect((await review(stage, token)).error).toContain(
      `does not match service account ${kind.toLowerCase()} ref claim`,
    );
  });

  it("machinery/7.2.r5 of a pod name its node, and live for a year if all pod tokens do", async () => {
    const stage = await start();
    await stage.bytes.post("/api/v1/nodes", { metadata: { name: "n" } });
    await stage.bytes.post(`${NS}/pods`, pod("x", { nodeName: "n" }));
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "x" };
    const claims = unverifiedClaims(await tokenOf(stage, { boundObjectRef, expirationSeconds: 3607 })) ?? {};
    const issued = Number(claims.iat);
    expect(claims.exp).toBe(issued + 365 * 24 * 3600);
    expect(claims["kubernetes.io"]).toMatchObject({
      node: { name: "n" },
      pod: { name: "x" },
      warnafter: issued + 3607,
    });
  });

  it.each([
    {
      request: { spec: { expirationSeconds: 599 } },
      status: 422,
      why: "may not specify a duration less than 10 minutes",
    },
    { request: { metadata: { name: "other" } }, status: 422, why: "must match the service account name" },
    { request: { metadata: { uid: "other" } }, status: 409, why: "does not match the UID of the service account" },
    {
      request: { spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "none" } } },
      status: 404,
      why: 'pods "none" not found',
    },
    {
      request: { spec: { boundObjectRef: { apiVersion: "v1", kind: "ConfigMap", name: "x" } } },
      status: 400,
      why: "cannot bind token to object of type /v1, Kind=ConfigMap",
    },
  ])("machinery/7.2.r5 are refused: $why", async ({ request, status, why }) => {
    const { bytes } = await start();
    const answer = await bytes.post(`${ROBOT}/token`, request);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(why);
  });

  it("machinery/7.2.r5 that another issuer signed are refused", async () => {
    const stage = await start();
    const [head, , seal] = (await tokenOf(stage)).split(".");
    const forged = checksumKeys("other").sign(unverifiedClaims(await tokenOf(stage)) ?? {});
    for (const token of [forged, `${head}.e30.${seal}`, "a.b.c", "abc"]) {
      expect((await tryToken(stage, token)).status).toBe(401);
    }
  });

  it("machinery/7.2.r5 are the same for the same seed", async () => {
    expect(await tokenOf(await start())).toBe(await tokenOf(await start()));
  });
});

describe("tokens in secrets", () => {
  async function withSecret(labels: object = {}): Promise<Stage & { readonly token: string }> {
    const stage = await start();
    const { uid } = (await stage.bytes.get(ROBOT)).body.metadata;
    const token = keys.sign({
      iss: "kubernetes/serviceaccount",
      sub: "system:serviceaccount:default:robot",
      "kubernetes.io/serviceaccount/namespace": "default",
      "kubernetes.io/serviceaccount/secret.name": "kept",
      "kubernetes.io/serviceaccount/service-account.name": "robot",
      "kubernetes.io/serviceaccount/service-account.uid": uid,
    });
    const { status } = await stage.bytes.post(`${NS}/secrets`, {
      metadata: { name: "kept", labels, annotations: { "kubernetes.io/service-account.name": "robot" } },
      type: "kubernetes.io/service-account-token",
      data: { token: encodeBase64(new TextEncoder().encode(token)) },
    });
    expect(status).toBe(201);
    return { ...stage, token };
  }
  const lastUsed = async ({ bytes }: Stage): Promise<unknown> =>
    (await bytes.get(`${NS}/secrets/kept`)).body.metadata.labels?.["kubernetes.io/legacy-token-last-used"];

  it("machinery/7.4.r12 are valid while the Secret holds them, and their use is recorded once a day", async () => {
    const stage = await withSecret();
    expect((await tryToken(stage, stage.token)).status).toBe(403);
    const day = await lastUsed(stage);
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
    const version = (await stage.bytes.get(`${NS}/secrets/kept`)).body.metadata.resourceVersion;
    await tryToken(stage, stage.token);
    expect((await stage.bytes.get(`${NS}/secrets/kept`)).body.metadata.resourceVersion).toBe(version);
    await stage.clock.advance(24 * 3_600_000);
    await tryToken(stage, stage.token);
    expect(await lastUsed(stage)).not.toBe(day);
  });

  it("machinery/7.4.r12 become invalid with the secret, with its contents, and with the account", async () => {
    const changed = await withSecret();
    await changed.bytes.patch(`${NS}/secrets/kept`, "merge", { data: { token: "b3RoZXI=" } });
    expect((await review(changed, changed.token)).error).toContain("Token does not match server's copy");
    const gone = await withSecret();
    await gone.bytes.delete(`${NS}/secrets/kept`);
    expect((await review(gone, gone.token)).error).toContain("Token has been invalidated");
    const orphaned = await withSecret();
    await orphaned.bytes.delete(ROBOT);
    expect((await review(orphaned, orphaned.token)).error).toContain('serviceaccounts "robot" not found');
  });

  it("machinery/7.4.r12 belong to the account that the secret names", async () => {
    const { bytes } = await start();
    const type = "kubernetes.io/service-account-token";
    const { status, body } = await bytes.post(`${NS}/secrets`, { metadata: { name: "nobodys" }, type });
    expect(status).toBe(422);
    expect(body.details.causes[0].field).toBe("metadata.annotations[kubernetes.io/service-account.name]");
  });

  it("machinery/7.4.r12, legacy-serviceaccount-token-cleaner/traps that were marked invalid are refused, and their use is still recorded", async () => {
    const stage = await withSecret({ "kubernetes.io/legacy-token-invalid-since": "2026-01-01" });
    expect((await tryToken(stage, stage.token)).status).toBe(401);
    expect((await review(stage, stage.token)).error).toContain("has been marked invalid. Use tokens from");
    expect(await lastUsed(stage)).toBeDefined();
  });

  it("machinery/7.4.r12 that the account lists come with a warning", async () => {
    const stage = await withSecret();
    await stage.bytes.patch(ROBOT, "merge", { secrets: [{ name: "kept" }] });
    const { headers } = await tryToken(stage, stage.token);
    expect(String(headers.warning)).toContain("instead of auto-generated secret-based tokens");
  });
});
