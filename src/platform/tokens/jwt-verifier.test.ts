import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jwtSigner } from "./jwt-signer.ts";
import { jwtVerifier } from "./jwt-verifier.ts";

const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const other = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const verify = jwtVerifier([ec.privateKey, rsa.publicKey]);

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("the verifier of tokens", () => {
  it.each([
    ["ES256", ec.privateKey],
    ["RS256", rsa.privateKey],
  ])("verifies the signer's tokens with %s", (_name, key) => {
    expect(verify(jwtSigner(key)({ sub: "a", n: 1 }))).toEqual({ claims: { sub: "a", n: 1 } });
  });

  it.each([
    { what: "another key", token: jwtSigner(other.privateKey)({}), problem: "invalid signature, no keys found" },
    { what: "no token", token: "abc", problem: "invalid bearer token" },
    { what: "four parts", token: `${part({})}.${part({})}.a.b`, problem: "invalid bearer token" },
    {
      what: "no algorithm",
      token: `${part({ alg: "none" })}.${part({ sub: "a" })}.`,
      problem: "go-jose/go-jose: error in cryptographic primitive",
    },
  ])("refuses $what", ({ token, problem }) => {
    expect(verify(token)).toEqual({ problem });
  });

  it("refuses changed claims", () => {
    const [head = "", , signature = ""] = jwtSigner(ec.privateKey)({ sub: "a" }).split(".");
    expect(verify(`${head}.${part({ sub: "b" })}.${signature}`)).toHaveProperty("problem");
  });
});
