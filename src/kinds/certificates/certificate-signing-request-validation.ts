// Validation of certificate signing requests, and of updates to the main resource, the status and the approval.
// Upstream: pkg/apis/certificates/validation

import * as field from "#api/field-error.ts";
import type * as certificates from "#api/generated/types/certificates-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { pemBlocks, pemTextOf } from "#api/pem.ts";
import { certificate } from "#api/x509/certificate.ts";
import { parseRequest } from "#api/x509/certificate-request.ts";
import { signatureProblem } from "#api/x509/signature-algorithm.ts";
import { errorMessage } from "#base/errors.ts";
import type { KeyReader } from "#kinds/core/tls-secret.ts";
import { type Errors, requiredOneOf, signerName } from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";

type Request = certificates.CertificateSigningRequest;
type RequestCondition = certificates.CertificateSigningRequestCondition;

const META = field.newPath("metadata");
const SPEC = field.newPath("spec");
const CONDITIONS = field.newPath("status", "conditions");
const CERTIFICATE = field.newPath("status", "certificate");
const LEGACY_SIGNER = "kubernetes.io/legacy-unknown";
const EXPIRATION_SECONDS_MIN = 600;
const DECISIONS = ["Approved", "Denied"] as const;

/** Sorted, as in upstream's messages. */
const USAGES: readonly string[] = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** The part that an update writes. The main resource has no mutable fields. */
export type UpdatedPart = "main" | "status" | "approval";

export function validateRequest(request: Request, old: Request | undefined, keys: KeyReader | undefined): Errors {
  const errors: Errors = [];
  // The name may be any path segment.
  objectMeta(errors, request.metadata ?? {}, false, () => [], META);
  const { spec, status } = request;
  const problem = requestProblem(spec.request, keys);
  if (problem !== undefined) errors.push(field.invalid(SPEC.child("request"), spec.request ?? null, problem));
  usages(errors, spec.usages ?? [], old?.spec.usages ?? []);
  if (old?.spec.signerName !== LEGACY_SIGNER && spec.signerName === LEGACY_SIGNER) {
    const detail = "the legacy signerName is not allowed via this API version";
    errors.push(field.invalid(SPEC.child("signerName"), spec.signerName, detail));
  } else {
    signerName(errors, spec.signerName ?? "", SPEC.child("signerName"));
  }
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < EXPIRATION_SECONDS_MIN) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    errors.push(field.invalid(SPEC.child("expirationSeconds"), spec.expirationSeconds, detail));
  }
  conditions(errors, status?.conditions ?? [], old?.status?.conditions ?? []);
  if (!toleratesCertificate(request, old)) {
    const malformed = certificateProblem(status?.certificate);
    if (malformed !== undefined) errors.push(field.invalid(CERTIFICATE, "<certificate data>", malformed));
  }
  return errors;
}

export function validateRequestUpdate(
  request: Request,
  old: Request,
  part: UpdatedPart,
  keys: KeyReader | undefined,
): Errors {
  const errors = validateRequest(request, old, keys);
  for (const type of [...DECISIONS, "Failed"]) {
    if (count(request, type) < count(old, type)) {
      errors.push(field.forbidden(CONDITIONS, `updates may not remove a condition of type ${goQuote(type)}`));
    }
  }
  // Upstream also checks for changed decisions here; the strategies revert such changes before.
  for (const type of part === "approval" ? [] : DECISIONS) {
    if (count(request, type) > count(old, type)) {
      errors.push(field.forbidden(CONDITIONS, `updates may not add a condition of type ${goQuote(type)}`));
    }
  }
  const [certificate = "", before = ""] = [request.status?.certificate, old.status?.certificate];
  if (certificate !== before) {
    if (part !== "status") errors.push(field.forbidden(CERTIFICATE, "updates may not set certificate content"));
    else if (before !== "") {
      errors.push(field.forbidden(CERTIFICATE, "updates may not modify existing certificate content"));
    }
  }
  objectMetaUpdate(errors, request.metadata ?? {}, old.metadata ?? {}, META);
  return errors;
}

const count = ({ status }: Request, type: string): number =>
  status?.conditions?.filter((condition) => condition.type === type).length ?? 0;

/** The signature is checked only if there is a key reader. */
function requestProblem(request: string | undefined, keys: KeyReader | undefined): string | undefined {
  try {
    const { signed } = parseRequest(request);
    return keys && signatureProblem(signed, (check) => keys.isSignedBy(check));
  } catch (error) {
    return errorMessage(error);
  }
}

/** Rules that the old usages violate are not applied to the new ones. */
function usages(errors: Errors, list: readonly string[], old: readonly string[]): void {
  const path = SPEC.child("usages");
  if (list.length === 0) errors.push(field.required(path, ""));
  if (old.every((usage) => USAGES.includes(usage))) {
    for (const [i, usage] of list.entries()) {
      if (!USAGES.includes(usage)) errors.push(field.notSupported(path.index(i), usage, USAGES));
    }
  }
  if (new Set(old).size === old.length) {
    for (const [i, usage] of list.entries()) {
      if (list.indexOf(usage) < i) errors.push(field.duplicate(path.index(i), usage));
    }
  }
}

function conditions(errors: Errors, list: readonly RequestCondition[], old: readonly RequestCondition[]): void {
  const oldTypes = old.map(({ type }) => type);
  const allowsBoth = DECISIONS.every((type) => oldTypes.includes(type));
  const allowsDuplicates = new Set(oldTypes).size < oldTypes.length;
  const seen = new Set<string>();
  for (const [i, { type = "", status }] of list.entries()) {
    const path = CONDITIONS.index(i);
    if (type === "" && !oldTypes.includes("")) errors.push(field.required(path.child("type"), ""));
    const isTrueOnly = type === "Failed" || DECISIONS.some((decision) => decision === type);
    requiredOneOf(errors, status, path.child("status"), isTrueOnly ? ["True"] : ["False", "True", "Unknown"]);
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (!allowsBoth && opposite !== undefined && seen.has(opposite)) {
      const detail = "Approved and Denied conditions are mutually exclusive";
      errors.push(field.invalid(CONDITIONS, type, detail));
    }
    if (!allowsDuplicates && seen.has(type)) errors.push(field.duplicate(path.child("type"), type));
    seen.add(type);
  }
}

/** True if the certificate is unchanged or replaces a malformed one. */
function toleratesCertificate({ status }: Request, old: Request | undefined): boolean {
  if (old === undefined) return false;
  const before = old.status?.certificate ?? "";
  return (status?.certificate ?? "") === before || certificateProblem(before) !== undefined;
}

function certificateProblem(pem: string | undefined): string | undefined {
  if (!pem) return undefined;
  const blocks = pemBlocks(pemTextOf(pem));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    if (bytes.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    try {
      certificate(bytes);
    } catch {
      // Deviation: Go's parser reports what exactly is malformed.
      return "x509: malformed certificate";
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}
