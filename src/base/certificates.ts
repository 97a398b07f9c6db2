// Contents of certificates and certificate requests, and the cryptography that they need. The host does the computing;
// the callers decide which certificate is signed and what it contains.

import type { EpochMs } from "./clock.ts";

/** The attributes of a name that Go knows. Upstream: crypto/x509/pkix, Name. */
export interface DistinguishedName {
  readonly country: readonly string[];
  readonly province: readonly string[];
  readonly locality: readonly string[];
  readonly streetAddress: readonly string[];
  readonly postalCode: readonly string[];
  readonly organization: readonly string[];
  readonly organizationalUnit: readonly string[];
  readonly commonName: string;
  readonly serialNumber: string;
}

export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** 4 or 16 bytes each. */
  readonly ipAddresses: readonly Uint8Array[];
  readonly uris: readonly string[];
}

export interface CertificateTemplate extends AlternativeNames {
  readonly subject: DistinguishedName;
  /** A SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly serialNumber: bigint;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  /** Bit 0 is digitalSignature, as in Go. */
  readonly keyUsage: number;
  /** Object identifiers, in order. */
  readonly extendedKeyUsages: readonly string[];
}

/** How a signature was made. RSA-PSS has a salt as long as the hash, or of any length. */
export interface SignatureScheme {
  readonly keyType: "rsa" | "ecdsa" | "ed25519";
  /** Undefined for Ed25519. */
  readonly hash?: "sha1" | "sha256" | "sha384" | "sha512";
  readonly pss?: "salt of the hash's length" | "any salt";
}

export interface SignatureCheck {
  /** A SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly scheme: SignatureScheme;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

export interface CertificateAuthority {
  readonly notAfter: EpochMs;
  /** A certificate in DER. Throws with Go's messages. */
  sign(template: CertificateTemplate): Uint8Array;
}
