// Public keys in certificates and requests, as far as rules need their type. Pure.
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

/** FIPS 186: the points of y² = x³ - 3x + b over the integers modulo p. */
const curves = {
  "1.3.132.0.33": {
    curve: "P-224",
    coordinateBytes: 28,
    p: 2n ** 224n - 2n ** 96n + 1n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  },
  "1.2.840.10045.3.1.7": {
    curve: "P-256",
    coordinateBytes: 32,
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  "1.3.132.0.34": {
    curve: "P-384",
    coordinateBytes: 48,
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  },
  "1.3.132.0.35": {
    curve: "P-521",
    coordinateBytes: 66,
    p: 2n ** 521n - 1n,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  },
} as const;

const UNCOMPRESSED = 4;

/** info: a SubjectPublicKeyInfo. Throws with Go's messages. */
export function publicKey(info: DerValue | undefined): PublicKey {
  const [algorithm, bits] = derParts(info, DER_SEQUENCE, 2);
  const [id, parameters] = derParts(algorithm, DER_SEQUENCE, 2);
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
    derParts(derValues(bytes, 1)[0], DER_SEQUENCE, 2),
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
  const { curve, coordinateBytes, p, b } = curves[id as keyof typeof curves];
  if (bytes[0] !== UNCOMPRESSED || bytes.length !== 1 + 2 * coordinateBytes) {
    throw new InvalidDer("ecdsa: invalid uncompressed public key");
  }
  const x = unsigned(bytes.subarray(1, 1 + coordinateBytes));
  const y = unsigned(bytes.subarray(1 + coordinateBytes));
  const name = curve.replace("-", "");
  if (x >= p || y >= p) throw new InvalidDer(`invalid ${name} element encoding`);
  if ((y * y - x * x * x + 3n * x - b) % p !== 0n) throw new InvalidDer(`${name} point not on curve`);
  return { type: "ecdsa", curve };
}

const unsigned = (bytes: Uint8Array): bigint => bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);

function explained<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof InvalidDer)) throw cause;
    throw new InvalidDer(problem, { cause });
  }
}
