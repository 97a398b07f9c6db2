// Information about the server: the list of its paths, and the issuer of its tokens.

import { describe, expect, it } from "vitest";
import { bytesTransport } from "./in-process-transport.ts";
import { startTestServer, testClient } from "./testing.ts";
import type { PublicJwk } from "./tokens/account-tokens.ts";
import { checksumKeys } from "./tokens/checksum-keys.ts";

const ISSUER_PATHS = ["/.well-known/openid-configuration", "/openid/v1/jwks"];
const jwk = (kid: string, alg: string): PublicJwk => ({
  use: "sig",
  kty: "EC",
  kid,
  crv: "P-256",
  alg,
  x: "x",
  y: "y",
});
const tokenKeys = { ...checksumKeys("secret"), publicKeys: [jwk("b", "RS256"), jwk("a", "ES256"), jwk("c", "RS256")] };

describe("the list of paths", () => {
  it("lists exactly the existing paths", async () => {
    const { bytes } = startTestServer({ tokenKeys });
    const paths: string[] = (await bytes.get("/")).body.paths;
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(expect.arrayContaining([...ISSUER_PATHS, "/api/v1", "/apis/apps/v1", "/livez/ping"]));
    // Only paths below the last one exist.
    for (const path of paths.filter((each) => each !== "/openapi/v3/")) {
      expect([path, (await bytes.get(path)).status]).toEqual([path, 200]);
    }
  });

  it("follows the kinds that are served", async () => {
    const { bytes, server } = startTestServer();
    for (const row of server.registry.rows()) if (row.stored.group === "batch") server.registry.remove(row.table);
    const { paths } = (await bytes.get("/index.html")).body;
    expect(paths.filter((path: string) => path.startsWith("/apis/batch"))).toEqual([]);
  });
});

describe("OpenID discovery", () => {
  it("machinery/7.2.r5 publishes the issuer of tokens, and the location and algorithm of the keys", async () => {
    const { bytes } = startTestServer({
      tokenKeys,
      serverAddress: "10.1.2.3:6443",
      audience: "https://issuer.example",
    });
    expect((await bytes.get(ISSUER_PATHS[0] ?? "")).body).toEqual({
      issuer: "https://issuer.example",
      jwks_uri: "https://10.1.2.3:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
    const { headers, body } = await bytes.get(ISSUER_PATHS[1] ?? "");
    expect(headers).toEqual({ "cache-control": "public, max-age=3600", "content-type": "application/jwk-set+json" });
    expect(JSON.parse(body)).toEqual({ keys: tokenKeys.publicKeys });
  });

  it.each([
    { what: "keys without a public half", options: { tokenKeys: checksumKeys("secret") } },
    { what: "no keys", options: {} },
    { what: "an issuer that is not a URL", options: { tokenKeys, audience: "api" } },
    { what: "an issuer with a query", options: { tokenKeys, audience: "https://issuer.example?a=b" } },
  ])("machinery/7.2.r5 is not served with $what", async ({ options }) => {
    const { bytes } = startTestServer(options);
    for (const path of ISSUER_PATHS) expect((await bytes.get(path)).status).toBe(404);
    expect((await bytes.get("/")).body.paths).not.toEqual(expect.arrayContaining([ISSUER_PATHS[0]]));
  });

  it("machinery/7.2.r5 is served to service accounts, not to everyone", async () => {
    const { server } = startTestServer({ tokenKeys });
    const asMember = (...groups: string[]) =>
      testClient(bytesTransport(server, { peer: { user: { name: "u", groups } } }));
    expect((await asMember("system:serviceaccounts").get("/openid/v1/jwks")).status).toBe(200);
    expect((await asMember("system:monitoring").get("/openid/v1/jwks")).status).toBe(403);
    expect((await asMember().get("/openid/v1/jwks")).status).toBe(403);
  });
});
