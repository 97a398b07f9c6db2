import { createHash, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jwtSigner, readPrivateKey } from "./jwt-signer.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const curve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const p256 = curve("prime256v1");
const ed25519 = generateKeyPairSync("ed25519");

const pem = (key: KeyObject, type: "pkcs1" | "sec1" | "pkcs8"): string =>
  key.export({ type: type as "pkcs8", format: "pem" }).toString();
const parsed = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());

describe("tokens of service accounts", () => {
  it.each([
    { alg: "RS256", digest: "sha256", keys: rsa },
    { alg: "ES256", digest: "sha256", keys: p256 },
    { alg: "ES384", digest: "sha384", keys: curve("secp384r1") },
    { alg: "ES512", digest: "sha512", keys: curve("secp521r1") },
  ])(
    "serviceaccount-token/7 names the algorithm and the public key, and nothing else: $alg",
    ({ alg, digest, keys }) => {
      const [header = "", claims = "", signature = ""] = jwtSigner(keys.privateKey)({ b: "1", a: "2" }).split(".");
      const der = keys.publicKey.export({ type: "spki", format: "der" });
      const kid = createHash("sha256").update(der).digest("base64url");
      expect(Buffer.from(header, "base64url").toString()).toBe(JSON.stringify({ alg, kid }));
      expect(parsed(claims)).toEqual({ b: "1", a: "2" });
      const content = Buffer.from(`${header}.${claims}`);
      const key = { key: keys.publicKey, dsaEncoding: "ieee-p1363" as const };
      expect(verify(digest, content, key, Buffer.from(signature, "base64url"))).toBe(true);
    },
  );

  it("serviceaccount-token/7 the same claims make the same RS256 token", () => {
    const sign = jwtSigner(rsa.privateKey);
    expect(sign({ sub: "a" })).toBe(sign({ sub: "a" }));
  });

  it.each([
    {
      what: "a key that is neither RSA nor ECDSA",
      key: ed25519.privateKey,
      problem:
        "unknown private key type ed25519.PrivateKey, must be *rsa.PrivateKey, *ecdsa.PrivateKey, or jose.OpaqueSigner",
    },
    {
      what: "a curve without an algorithm",
      key: curve("secp224r1").privateKey,
      problem: "unknown private key curve, must be 256, 384, or 521",
    },
  ])("serviceaccount-token/7 refuses $what", ({ key, problem }) => {
    expect(() => jwtSigner(key)).toThrow(problem);
  });
});

describe("key files", () => {
  const broken = "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n";
  const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  it.each([
    { what: "PKCS #1", text: pem(rsa.privateKey, "pkcs1"), key: rsa },
    { what: "SEC 1", text: pem(p256.privateKey, "sec1"), key: p256 },
    { what: "PKCS #8", text: pem(p256.privateKey, "pkcs8"), key: p256 },
    { what: "EC parameters first", text: parameters + pem(p256.privateKey, "sec1"), key: p256 },
    { what: "a certificate first", text: certificate + pem(rsa.privateKey, "pkcs8"), key: rsa },
    { what: "a broken key first", text: broken + pem(rsa.privateKey, "pkcs1"), key: rsa },
    { what: "two keys", text: pem(p256.privateKey, "pkcs8") + pem(rsa.privateKey, "pkcs1"), key: p256 },
  ])("serviceaccount-token/9 uses the first readable key: $what", ({ text, key }) => {
    expect(readPrivateKey(text).equals(key.privateKey)).toBe(true);
  });

  it.each([
    { what: "an empty file", text: "" },
    { what: "plain text", text: "no key" },
    { what: "a broken key", text: broken },
    { what: "a public key", text: rsa.publicKey.export({ type: "spki", format: "pem" }).toString() },
  ])("serviceaccount-token/9 refuses $what", ({ text }) => {
    expect(() => readPrivateKey(text)).toThrow("data does not contain a valid RSA or ECDSA private key");
  });
});
