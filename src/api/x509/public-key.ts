// Public keys in certificates and requests, as far as rules ask what kind of key it is. Pure.
// Upstream: Go's crypto/x509/parser.go, parsePublicKey

import {
  bitStringBytes,
  DER_NULL,
  DER_SEQUENCE,
  type DerValue,
  derInteger,
  derParts,
  derValues,
  InvalidDer,
  objectIdentifier,
} from "./der.ts";

export type PublicKey =
  | { readonly type: "rsa"; readonly bits: number }
  | { readonly type: "ecdsa"; readonly curve: "P-224" | "P-256" | "P-384" | "P-521" }
  | { readonly type: "ed25519" | "x25519" | "dsa" | "unknown" };

const curves = {
  "1.3.132.0.33": { curve: "P-224", coordinateBytes: 28 },
  "1.2.840.10045.3.1.7": { curve: "P-256", coordinateBytes: 32 },
  "1.3.132.0.34": { curve: "P-384", coordinateBytes: 48 },
  "1.3.132.0.35": { curve: "P-521", coordinateBytes: 66 },
} as const;

const UNCOMPRESSED = 4;

/** info: a SubjectPublicKeyInfo. Throws in Go's words. */
export function publicKey(info: DerValue | undefined): PublicKey {
  const [algorithm, bits] = derParts(info, DER_SEQUENCE);
  const [id, parameters] = derParts(algorithm, DER_SEQUENCE);
  const bytes = bitStringBytes(bits);
  switch (objectIdentifier(id)) {
    case "1.2.840.113549.1.1.1":
      return rsaKey(parameters, bytes);
    case "1.2.840.10045.2.1":
      return ecdsaKey(parameters, bytes);
    case "1.3.101.112":
      if (parameters !== undefined) throw new InvalidDer("x509: Ed25519 key encoded with illegal parameters");
      if (bytes.length !== 32) throw new InvalidDer("x509: wrong Ed25519 public key size");
      return { type: "ed25519" };
    case "1.3.101.110":
      if (parameters !== undefined) throw new InvalidDer("x509: X25519 key encoded with illegal parameters");
      return { type: "x25519" };
    case "1.2.840.10040.4.1":
      return { type: "dsa" };
    default:
      return { type: "unknown" };
  }
}

function rsaKey(parameters: DerValue | undefined, bytes: Uint8Array): PublicKey {
  if (parameters?.tag !== DER_NULL || parameters.content.length > 0) {
    throw new InvalidDer("x509: RSA key missing NULL parameters");
  }
  const [modulus, exponent] = explained("x509: invalid RSA public key", () =>
    derParts(derValues(bytes)[0], DER_SEQUENCE),
  );
  const n = explained("x509: invalid RSA modulus", () => derInteger(modulus));
  const e = explained("x509: invalid RSA public exponent", () => derInteger(exponent));
  if (n <= 0n) throw new InvalidDer("x509: RSA modulus is not a positive number");
  if (e <= 0n) throw new InvalidDer("x509: RSA public exponent is not a positive number");
  return { type: "rsa", bits: n.toString(2).length };
}

function ecdsaKey(parameters: DerValue | undefined, bytes: Uint8Array): PublicKey {
  const id = explained("x509: invalid ECDSA parameters", () => objectIdentifier(parameters));
  if (!Object.hasOwn(curves, id)) throw new InvalidDer("x509: unsupported elliptic curve");
  const { curve, coordinateBytes } = curves[id as keyof typeof curves];
  if (bytes[0] !== UNCOMPRESSED || bytes.length !== 1 + 2 * coordinateBytes) {
    throw new InvalidDer("ecdsa: invalid uncompressed public key");
  }
  return { type: "ecdsa", curve };
}

function explained<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof InvalidDer)) throw cause;
    throw new InvalidDer(problem, { cause });
  }
}
