// Hashes and signature checks with OpenSSL. Synchronous.

import { constants, createHash, createHmac, createPublicKey, verify } from "node:crypto";
import type { SignatureCheck, SignatureScheme } from "#base/certificates.ts";

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();

export const hmacSha256 = (key: Uint8Array, bytes: Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(bytes).digest();

/** False for a key that OpenSSL cannot use. */
export function isSignedBy({ publicKey, scheme, bytes, signature }: SignatureCheck): boolean {
  const { hash, pss } = scheme;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
    const padding = pss === undefined ? {} : pssOptions(pss);
    return verify(hash ?? null, bytes, { key, ...padding }, signature);
  } catch {
    return false;
  }
}

function pssOptions(pss: NonNullable<SignatureScheme["pss"]>): { padding: number; saltLength: number } {
  const saltLength = pss === "any salt" ? constants.RSA_PSS_SALTLEN_AUTO : constants.RSA_PSS_SALTLEN_DIGEST;
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
}
