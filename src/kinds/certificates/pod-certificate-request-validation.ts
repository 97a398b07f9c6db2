// Validation of PodCertificateRequests: the pod, the lifetime, and the proof that the pod holds the key.
// Upstream: pkg/apis/certificates/validation, ValidatePodCertificateRequestCreate

import { decodeBase64 } from "#api/base64.ts";
import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { certificateRequest } from "#api/x509/certificate-request.ts";
import { derValue, InvalidDer } from "#api/x509/der.ts";
import { type PublicKey, publicKey } from "#api/x509/public-key.ts";
import { signatureProblem } from "#api/x509/signature-algorithm.ts";
import type { SignatureScheme } from "#base/certificates.ts";
import type { KeyReader } from "#kinds/core/tls-secret.ts";
import { dnsSubdomain, type Errors, IMMUTABLE, type Path, signerName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { maxExpirationSecondsOf, userAnnotations } from "#kinds/pod-spec/projected-volumes.ts";

type Spec = trust.PodCertificateRequestSpec;

const META = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STUB = SPEC.child("stubPKCS10Request");
const KEY = SPEC.child("pkixPublicKey");
const PROOF = SPEC.child("proofOfPossession");
const KEY_BYTES_MAX = 10 * 1024;
const UID_BYTES_MAX = 128;
const EXPIRATION_SECONDS_MIN = 3600;

/** An error that does not print the value. */
export function invalidUnprinted(path: Path, detail: string): field.FieldError {
  const { badValue: _, ...error } = field.invalid(path, undefined, detail);
  return error;
}

export function validatePodRequest(
  { metadata = {}, spec }: trust.PodCertificateRequest,
  keys: KeyReader | undefined,
): Errors {
  const errors: Errors = [];
  objectMeta(errors, metadata, true, isDns1123Subdomain, META);
  const signer = spec.signerName ?? "";
  signerName(errors, signer, SPEC.child("signerName"));
  if (spec.unverifiedUserAnnotations) {
    userAnnotations(errors, spec.unverifiedUserAnnotations, SPEC.child("unverifiedUserAnnotations"));
  }
  for (const owner of ["pod", "serviceAccount", "node"] as const) {
    dnsSubdomain(errors, spec[`${owner}Name`] ?? "", SPEC.child(`${owner}Name`));
    const uid = spec[`${owner}UID`] ?? "";
    if (uid === "") errors.push(field.invalid(SPEC.child(`${owner}UID`), uid, "must not be empty"));
    if (byteLength(uid) > UID_BYTES_MAX) errors.push(field.tooLong(SPEC.child(`${owner}UID`), UID_BYTES_MAX));
  }
  const seconds = spec.maxExpirationSeconds;
  const path = SPEC.child("maxExpirationSeconds");
  if (seconds === undefined) {
    errors.push(field.required(path, "must be set"));
    return errors;
  }
  const max = maxExpirationSecondsOf(signer);
  if (seconds < EXPIRATION_SECONDS_MIN || seconds > max) {
    errors.push(field.invalid(path, seconds, `must be in the range [${EXPIRATION_SECONDS_MIN}, ${max}]`));
  }
  const problem = keyProblem(spec, keys);
  if (problem !== undefined) errors.push(problem);
  return errors;
}

export function validatePodRequestUpdate(
  { metadata = {}, spec }: trust.PodCertificateRequest,
  old: trust.PodCertificateRequest,
): Errors {
  const errors: Errors = [];
  objectMetaUpdate(errors, metadata, old.metadata ?? {}, META);
  if (!semanticEqual(spec, old.spec)) {
    errors.push(field.invalid(SPEC, internalForm("PodCertificateRequestSpec", spec), IMMUTABLE));
  }
  return errors;
}

function keyProblem(spec: Spec, keys: KeyReader | undefined): field.FieldError | undefined {
  const { stubPKCS10Request: stub, pkixPublicKey: key, proofOfPossession: proof } = spec;
  if (stub && !key && !proof) return stubProblem(decodeBase64(stub), keys);
  if (!stub && key && proof) return proofProblem(spec, decodeBase64(key), decodeBase64(proof), keys);
  const detail = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
  return invalidUnprinted(SPEC, detail);
}

function stubProblem(stub: Uint8Array, keys: KeyReader | undefined): field.FieldError | undefined {
  if (stub.length > KEY_BYTES_MAX) return field.tooLong(STUB, KEY_BYTES_MAX);
  const read = attempt(() => certificateRequest(stub));
  if (read === undefined) return invalidUnprinted(STUB, "must be a valid PKCS#10 CSR");
  const { signed } = read;
  const unfit = unfitKey(signed.key, STUB, "P256, P384, or P521");
  if (unfit !== undefined) return unfit;
  if (!isSignable(signed.key)) {
    return invalidUnprinted(STUB, "unknown public key type; supported types are Ed25519, ECDSA, and RSA");
  }
  const isUnsigned = keys !== undefined && signatureProblem(signed, (check) => keys.isSignedBy(check)) !== undefined;
  return isUnsigned ? invalidUnprinted(STUB, "invalid signature") : undefined;
}

const schemes: Readonly<Record<"rsa" | "ecdsa" | "ed25519", SignatureScheme>> = {
  rsa: { keyType: "rsa", hash: "sha256", pss: "any salt" },
  ecdsa: { keyType: "ecdsa", hash: "sha256" },
  ed25519: { keyType: "ed25519" },
};

function proofProblem(
  { podUID = "", pkixPublicKey }: Spec,
  der: Uint8Array,
  signature: Uint8Array,
  keys: KeyReader | undefined,
): field.FieldError | undefined {
  if (der.length > KEY_BYTES_MAX) return field.tooLong(KEY, KEY_BYTES_MAX);
  if (signature.length > KEY_BYTES_MAX) return field.tooLong(PROOF, KEY_BYTES_MAX);
  const key = attempt(() => publicKey(derValue(der)));
  if (key === undefined || key.type === "unknown") {
    return field.invalid(KEY, pkixPublicKey, "must be a valid PKIX-serialized public key");
  }
  const unfit = unfitKey(key, KEY, "P256 or P384");
  if (unfit !== undefined) return unfit;
  if (!isSignable(key)) {
    return field.invalid(KEY, pkixPublicKey, "unknown public key type; supported types are Ed25519, ECDSA, and RSA");
  }
  const check = { publicKey: der, scheme: schemes[key.type], bytes: new TextEncoder().encode(podUID), signature };
  const isProven = keys === undefined || keys.isSignedBy(check);
  return isProven ? undefined : invalidUnprinted(PROOF, "could not verify proof-of-possession signature");
}

type SignableKey = PublicKey & { readonly type: "rsa" | "ecdsa" | "ed25519" };

const isSignable = (key: PublicKey): key is SignableKey => Object.hasOwn(schemes, key.type);

function unfitKey(key: PublicKey, path: Path, curves: string): field.FieldError | undefined {
  if (key.type === "ecdsa" && key.curve === "P-224") {
    return field.invalid(path, "curve P-224", `elliptic public keys must use curve ${curves}`);
  }
  if (key.type !== "rsa") return undefined;
  const bits = Math.ceil(key.bits / 8) * 8;
  if (bits === 3072 || bits === 4096) return undefined;
  return field.invalid(path, `${bits}-bit modulus`, "RSA keys must have modulus size 3072 or 4096");
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidDer) return undefined;
    throw error;
  }
}
