// Verifies tokens that one of the given keys signed. The key id in the token's header selects the keys to try.
// Upstream: pkg/serviceaccount/jwt.go, AuthenticateToken, StaticPublicKeysGetter

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { algorithmOf, keyIdOf } from "./jwt-signer.ts";

export type Verification = { readonly claims: Readonly<Record<string, unknown>> } | { readonly problem: string };

interface Known {
  readonly key: KeyObject;
  readonly kid: string;
}

/** Also accepts private keys, for their public keys. */
export function jwtVerifier(keys: readonly KeyObject[]): (token: string) => Verification {
  const known = keys.map((each): Known => {
    const key = each.type === "private" ? createPublicKey(each) : each;
    return { key, kid: keyIdOf(key) };
  });
  return (token) => {
    const [head = "", payload = "", signature = "", ...more] = token.split(".");
    const header = readPart(head);
    const claims = readPart(payload);
    if (header === undefined || claims === undefined || more.length > 0) return { problem: "invalid bearer token" };
    const { kid, alg } = header;
    const candidates = typeof kid === "string" && kid !== "" ? known.filter((each) => each.kid === kid) : known;
    if (candidates.length === 0) return { problem: "invalid signature, no keys found" };
    const isGenuine = candidates.some(({ key }) => {
      const { name, digest } = algorithmOf(key);
      if (alg !== name) return false;
      const signed = Buffer.from(`${head}.${payload}`);
      return verify(digest, signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
    });
    return isGenuine ? { claims } : { problem: "go-jose/go-jose: error in cryptographic primitive" };
  };
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
