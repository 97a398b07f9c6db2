// Checks that the certificate and key of a TLS secret match. A mismatch is only a warning.
// Upstream: pkg/registry/core/secret/strategy.go, warningsForSecret; Go's crypto/tls, X509KeyPair

import type * as core from "#api/generated/types/core-v1.ts";
import { pemBlocks, pemTextOf } from "#api/pem.ts";
import type { SignatureCheck } from "#base/certificates.ts";

/** Reads DER. This needs cryptography, which the deterministic layers do not have. */
export interface KeyReader {
  /** Undefined if it is not a certificate. */
  certificateKey(der: Uint8Array): PublicKeyIdentity | undefined;
  /** The identity of its public key. Undefined if it is not a private key. */
  privateKey(der: Uint8Array): PublicKeyIdentity | undefined;
  isSignedBy(check: SignatureCheck): boolean;
}

export interface PublicKeyIdentity {
  readonly type: string;
  /** Equal for equal keys of one type. */
  readonly identity: string;
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(["rsa", "ec", "ed25519"]);

/** Without a key reader there are no warnings. */
export function tlsSecretWarnings({ type, data = {} }: core.Secret, reader: KeyReader | undefined): string[] {
  if (type !== "kubernetes.io/tls" || reader === undefined) return [];
  const problem = pairProblem(pemTextOf(data["tls.crt"]), pemTextOf(data["tls.key"]), reader);
  return problem === undefined ? [] : [problem];
}

/** Undefined if they match. */
function pairProblem(certificateText: string, keyText: string, reader: KeyReader): string | undefined {
  const certificates = pemBlocks(certificateText);
  const certificate = certificates.find(({ type }) => type === "CERTIFICATE");
  if (certificate === undefined) return missingCertificate(certificates.map(({ type }) => type));
  const blocks = pemBlocks(keyText);
  const block = blocks.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (block === undefined) return missingKey(blocks.map(({ type }) => type));
  const publicKey = reader.certificateKey(certificate.bytes);
  // Deviation: Go's parser reports what exactly is malformed.
  if (publicKey === undefined) return "x509: malformed certificate";
  const key = reader.privateKey(block.bytes);
  if (key === undefined) return "tls: failed to parse private key";
  if (!KNOWN_TYPES.has(key.type)) return "tls: found unknown private key type in PKCS#8 wrapping";
  if (!KNOWN_TYPES.has(publicKey.type)) return "tls: unknown public key algorithm";
  if (key.type !== publicKey.type) return "tls: private key type does not match public key type";
  return key.identity === publicKey.identity ? undefined : "tls: private key does not match public key";
}

function missingCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (skipped.length === 1 && skipped[0]?.endsWith("PRIVATE KEY")) {
    const advice = "but did find a private key; PEM inputs may have been switched";
    return `tls: failed to find certificate PEM data in certificate input, ${advice}`;
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after ${skippedText(skipped)}`;
}

function missingKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return "tls: failed to find any PEM data in key input";
  if (skipped.length === 1 && skipped[0] === "CERTIFICATE")
    return "tls: found a certificate rather than a key in the PEM for the private key";
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after ${skippedText(skipped)}`;
}

const skippedText = (types: readonly string[]): string =>
  `skipping PEM blocks of the following types: [${types.join(" ")}]`;
