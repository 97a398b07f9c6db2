// Signs service account tokens as JWS with a PEM private key. The key id identifies the public key, so that the API
// server finds the key to verify with. Upstream: pkg/serviceaccount/jwt.go.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

/** The algorithm's name in JWS and its parameters for node:crypto. */
interface Algorithm {
  readonly name: "RS256" | "ES256" | "ES384" | "ES512";
  readonly digest: "sha256" | "sha384" | "sha512";
}

const ellipticCurves: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: "ES256", digest: "sha256" },
  secp384r1: { name: "ES384", digest: "sha384" },
  secp521r1: { name: "ES512", digest: "sha512" },
};

const PRIVATE_KEY = /-----BEGIN (?:EC |RSA )?PRIVATE KEY-----[\s\S]*?-----END (?:EC |RSA )?PRIVATE KEY-----/g;

/** The first block that is a usable key. EC parameters and certificates are skipped. */
export function readPrivateKey(pem: string): KeyObject {
  for (const [block] of pem.matchAll(PRIVATE_KEY)) {
    try {
      return createPrivateKey(block);
    } catch {
      // Try the next block.
    }
  }
  throw new Error("data does not contain a valid RSA or ECDSA private key");
}

export function jwtSigner(key: KeyObject): (claims: Readonly<Record<string, unknown>>) => string {
  const { name, digest } = algorithmOf(key);
  const header = base64url({ alg: name, kid: keyIdOf(createPublicKey(key)) });
  return (claims) => {
    const content = `${header}.${base64url(claims)}`;
    const signature = sign(digest, Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
    return `${content}.${signature.toString("base64url")}`;
  };
}

/** Identifies a public key without revealing it. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

export function algorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === "rsa") return { name: "RS256", digest: "sha256" };
  if (key.asymmetricKeyType !== "ec") {
    const type = `${key.asymmetricKeyType}.PrivateKey`;
    throw new Error(
      `unknown private key type ${type}, must be *rsa.PrivateKey, *ecdsa.PrivateKey, or jose.OpaqueSigner`,
    );
  }
  const algorithm = ellipticCurves[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (algorithm === undefined) throw new Error("unknown private key curve, must be 256, 384, or 521");
  return algorithm;
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
