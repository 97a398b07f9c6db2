// Public keys as JSON web keys, for programs that verify tokens.
// Upstream: pkg/serviceaccount/openidmetadata.go, jwkFromPublicKey

import { createPublicKey, type KeyObject } from "node:crypto";
import type { PublicJwk } from "#apiserver/tokens/account-tokens.ts";
import { algorithmOf, keyIdOf } from "./jwt-signer.ts";

/** Also accepts a private key, for its public key. */
export function publicJwk(given: KeyObject): PublicJwk {
  const key = given.type === "private" ? createPublicKey(given) : given;
  const { kty = "", crv = "", x = "", y = "", n = "", e = "" } = key.export({ format: "jwk" });
  const [use, kid, alg] = ["sig", keyIdOf(key), algorithmOf(key).name] as const;
  return kty === "EC" ? { use, kty, kid, crv, alg, x, y } : { use, kty, kid, alg, n, e };
}
