// Parses the compact form of a JSON web token without verifying it.

import { decodeBase64, encodeBase64 } from "#api/base64.ts";
import { CodecError } from "#api/codec-error.ts";
import type { TokenClaims } from "./account-tokens.ts";

/** Undefined: not a JSON web token. */
export function unverifiedClaims(token: string): TokenClaims | undefined {
  const parts = token.split(".");
  const payload = parts[1];
  if (parts.length !== 3 || payload === undefined || !/^[A-Za-z0-9_-]*$/.test(payload)) return undefined;
  try {
    const text = new TextDecoder().decode(decodeBase64(payload.replaceAll("-", "+").replaceAll("_", "/")));
    const claims: unknown = JSON.parse(text);
    return typeof claims === "object" && claims !== null ? (claims as TokenClaims) : undefined;
  } catch (error) {
    if (error instanceof CodecError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Encodes a value as a part of a token. */
export function encodePart(value: unknown): string {
  const base64 = encodeBase64(new TextEncoder().encode(JSON.stringify(value)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
