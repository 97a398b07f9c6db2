// The signature algorithm of a request, and verification errors. Pure; the host does the arithmetic.
// Upstream: Go's crypto/x509, getSignatureAlgorithmFromAI and checkSignature

import type { SignatureCheck, SignatureScheme } from "#base/certificates.ts";
import {
  DER_NULL,
  DER_SEQUENCE,
  type DerValue,
  derInteger,
  derParts,
  derValues,
  InvalidDer,
  objectIdentifier,
} from "./der.ts";
import type { PublicKey } from "./public-key.ts";

export type SignatureAlgorithm =
  | SignatureScheme
  | { readonly keyType: "dsa"; readonly hash: "sha1" | "sha256" }
  | { readonly insecure: string }
  | "unknown";

const RSA_PSS = "1.2.840.113549.1.1.10";
const ED25519 = "1.3.101.112";

const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  "1.2.840.113549.1.1.4": { insecure: "MD5-RSA" },
  "1.2.840.113549.1.1.5": { keyType: "rsa", hash: "sha1" },
  "1.3.14.3.2.29": { keyType: "rsa", hash: "sha1" },
  "1.2.840.113549.1.1.11": { keyType: "rsa", hash: "sha256" },
  "1.2.840.113549.1.1.12": { keyType: "rsa", hash: "sha384" },
  "1.2.840.113549.1.1.13": { keyType: "rsa", hash: "sha512" },
  "1.2.840.10040.4.3": { keyType: "dsa", hash: "sha1" },
  "2.16.840.1.101.3.4.3.2": { keyType: "dsa", hash: "sha256" },
  "1.2.840.10045.4.1": { keyType: "ecdsa", hash: "sha1" },
  "1.2.840.10045.4.3.2": { keyType: "ecdsa", hash: "sha256" },
  "1.2.840.10045.4.3.3": { keyType: "ecdsa", hash: "sha384" },
  "1.2.840.10045.4.3.4": { keyType: "ecdsa", hash: "sha512" },
  [ED25519]: { keyType: "ed25519" },
};

const pssHashes: Readonly<
  Record<string, { readonly hash: "sha256" | "sha384" | "sha512"; readonly saltBytes: bigint }>
> = {
  "2.16.840.1.101.3.4.2.1": { hash: "sha256", saltBytes: 32n },
  "2.16.840.1.101.3.4.2.2": { hash: "sha384", saltBytes: 48n },
  "2.16.840.1.101.3.4.2.3": { hash: "sha512", saltBytes: 64n },
};

export function signatureAlgorithm(identifier: DerValue | undefined): SignatureAlgorithm {
  const [id, parameters] = derParts(identifier, DER_SEQUENCE, 2);
  const oid = objectIdentifier(id);
  if (oid === ED25519 && parameters !== undefined) return "unknown";
  return oid === RSA_PSS ? pssAlgorithm(parameters) : (algorithms[oid] ?? "unknown");
}

/** The mask uses the hash of the message, and the salt has the same length. */
function pssAlgorithm(parameters: DerValue | undefined): SignatureAlgorithm {
  try {
    const parts = derParts(parameters, DER_SEQUENCE);
    const explicit = (number: number): DerValue | undefined => {
      const holder = parts.find(({ tag }) => tag === 0xa0 + number);
      return holder && derValues(holder.content)[0];
    };
    const hashId = objectIdentifier(hashParts(explicit(0))[0]);
    const [mask, maskHash] = derParts(explicit(1), DER_SEQUENCE);
    const trailer = explicit(3);
    const known = pssHashes[hashId];
    const isUsual =
      objectIdentifier(mask) === "1.2.840.113549.1.1.8" &&
      objectIdentifier(hashParts(maskHash)[0]) === hashId &&
      (trailer === undefined || derInteger(trailer) === 1n);
    if (known === undefined || !isUsual || derInteger(explicit(2)) !== known.saltBytes) return "unknown";
    return { keyType: "rsa", hash: known.hash, pss: "salt of the hash's length" };
  } catch (error) {
    if (error instanceof InvalidDer) return "unknown";
    throw error;
  }
}

function hashParts(identifier: DerValue | undefined): readonly DerValue[] {
  const parts = derParts(identifier, DER_SEQUENCE);
  const [, parameters] = parts;
  if (parameters !== undefined && parameters.tag !== DER_NULL) throw new InvalidDer("parameters of a hash");
  return parts;
}

export interface SignedContent {
  readonly algorithm: SignatureAlgorithm;
  readonly key: PublicKey;
  /** A SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

const UNSUPPORTED = "x509: cannot verify signature: algorithm unimplemented";
const RSA_BITS_MIN = 1024;
const goTypes = { rsa: "*rsa.PublicKey", ecdsa: "*ecdsa.PublicKey", ed25519: "ed25519.PublicKey" } as const;
const algorithmNames = { rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519", dsa: "DSA" } as const;

/** In Go's words; undefined when the signature is valid. */
export function signatureProblem(
  { algorithm, key, publicKey, bytes, signature }: SignedContent,
  isSignedBy: (check: SignatureCheck) => boolean,
): string | undefined {
  if (algorithm === "unknown") return UNSUPPORTED;
  if ("insecure" in algorithm) return `x509: cannot verify signature: insecure algorithm ${algorithm.insecure}`;
  if (key.type !== "rsa" && key.type !== "ecdsa" && key.type !== "ed25519") return UNSUPPORTED;
  const { keyType } = algorithm;
  if (keyType !== key.type) {
    return `x509: signature algorithm specifies an ${algorithmNames[keyType]} public key, but have public key of type ${goTypes[key.type]}`;
  }
  if (key.type === "rsa" && key.bits < RSA_BITS_MIN) {
    return `crypto/rsa: ${key.bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  if (isSignedBy({ publicKey, scheme: algorithm as SignatureScheme, bytes, signature })) return undefined;
  if (key.type === "rsa") return "crypto/rsa: verification error";
  return `x509: ${algorithmNames[key.type]} verification failure`;
}
