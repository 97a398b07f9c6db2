// Token keys for the simulation and tests: a checksum instead of a signature. Real signatures are random, and a
// simulation needs no protection.

import { fnv128a, utf8Bytes } from "#api/fnv.ts";
import type { TokenClaims, TokenKeys } from "./account-tokens.ts";
import { encodePart, unverifiedClaims } from "./json-web-token.ts";

export function checksumKeys(secret: string): TokenKeys {
  const header = encodePart({ alg: "FNV128", kid: "simulated" });
  const seal = (content: string): string => fnv128a(utf8Bytes(`${secret}.${content}`));
  return {
    sign(claims: TokenClaims): string {
      const content = `${header}.${encodePart(claims)}`;
      return `${content}.${seal(content)}`;
    },
    verify(token) {
      const end = token.lastIndexOf(".");
      const claims = unverifiedClaims(token);
      if (claims === undefined || seal(token.slice(0, end)) !== token.slice(end + 1)) {
        return { problem: "go-jose/go-jose: error in cryptographic primitive" };
      }
      return { claims };
    },
  };
}
