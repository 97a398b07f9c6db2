// The status of a PodCertificateRequest, which a signer sets once: issued, denied or failed.
// Upstream: pkg/apis/certificates/validation, ValidatePodCertificateRequestStatusUpdate

import { decodeBase64 } from "#api/base64.ts";
import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as trust from "#api/generated/types/certificates-v1beta1.ts";
import { byteLength } from "#api/go-text.ts";
import { pemBlocks } from "#api/pem.ts";
import { parseTime } from "#api/time.ts";
import type { ReadCertificate } from "#api/x509/certificate.ts";
import { certificateRequest } from "#api/x509/certificate-request.ts";
import { equalBytes } from "#api/x509/der.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { invalidUnprinted } from "./pod-certificate-request-validation.ts";
import { readOrNothing } from "./trust-bundle.ts";

type Request = trust.PodCertificateRequest;
type Status = trust.PodCertificateRequestStatus;

const STATUS = field.newPath("status");
const CHAIN = STATUS.child("certificateChain");
const CHAIN_BYTES_MAX = 100 * 1024;
const ANSWERS = ["Issued", "Denied", "Failed"];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function validatePodRequestStatus(request: Request, old: Request, now: EpochMs): Errors {
  const errors: Errors = [];
  objectMetaUpdate(errors, request.metadata ?? {}, old.metadata ?? {}, field.newPath("metadata"));
  if (errors.length > 0) return errors;
  const status = request.status ?? {};
  answers(errors, status);
  conditions(errors, status.conditions ?? [], STATUS.child("conditions"));
  if (errors.length > 0) return errors;
  const unchanged = (detail: string): Errors =>
    semanticEqual(status, old.status ?? {}) ? [] : [invalidUnprinted(STATUS, detail)];
  if (answerOf(old.status) !== undefined) {
    return unchanged("immutable after PodCertificateRequest is issued, denied, or failed");
  }
  switch (answerOf(status)) {
    case undefined:
      return unchanged('status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
    case "Issued":
      return issued(status, request.spec, now);
    default: {
      const { conditions: _, ...rest } = status;
      const detail = "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
      return semanticEqual(rest, {}) ? [] : [invalidUnprinted(STATUS, detail)];
    }
  }
}

function answerOf(status: Status | undefined): string | undefined {
  return status?.conditions?.find((condition) => ANSWERS.includes(condition.type) && condition.status === "True")?.type;
}

function answers(errors: Errors, { conditions: list = [] }: Status): void {
  let known = 0;
  for (const [i, { type = "", status = "" }] of list.entries()) {
    // As upstream, the path has a dot before the index.
    const path = STATUS.child("conditions", `[${i}]`);
    if (!ANSWERS.includes(type)) {
      errors.push(field.notSupported(path.child("type"), type, ANSWERS));
      continue;
    }
    if (++known > 1) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      errors.push(field.invalid(path.child("type"), type, detail));
    }
    if (status !== "True") errors.push(field.notSupported(path.child("status"), status, ["True"]));
  }
}

function issued(status: Status, spec: trust.PodCertificateRequestSpec, now: EpochMs): Errors {
  const chain = status.certificateChain ?? "";
  const wrong = (detail: string): Errors => [field.invalid(CHAIN, chain, detail)];
  if (byteLength(chain) > CHAIN_BYTES_MAX) return [field.tooLong(CHAIN, CHAIN_BYTES_MAX)];
  const [leafBlock, ...others] = pemBlocks(chain);
  if (leafBlock === undefined) return wrong("issued certificate chain must contain at least one certificate");
  if (leafBlock.type !== "CERTIFICATE") {
    return wrong("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
  }
  const leaf = readOrNothing(leafBlock.bytes);
  if (leaf === undefined) return wrong("leaf certificate does not parse as valid X.509");
  const errors = oddNames(leaf);
  if (!equalBytes(leaf.publicKey, requestedKey(spec))) {
    errors.push(...wrong("leaf certificate was not issued to the requested public key"));
    return errors;
  }
  const [notBefore, notAfter, beginRefreshAt] = [status.notBefore, status.notAfter, status.beginRefreshAt];
  if (!notBefore || !notAfter || !beginRefreshAt) {
    const consistent = "must be present and consistent with the issued certificate";
    const inRange = "must be present and in the range [notbefore+10min, notafter-10min]";
    if (!notBefore) errors.push(field.required(STATUS.child("notBefore"), consistent));
    if (!notAfter) errors.push(field.required(STATUS.child("notAfter"), consistent));
    if (!beginRefreshAt) errors.push(field.required(STATUS.child("beginRefreshAt"), inRange));
  }
  if (errors.length > 0 || !notBefore || !notAfter || !beginRefreshAt) return errors;
  const untimely = timesProblem({ notBefore, notAfter, beginRefreshAt }, leaf, spec, now);
  if (untimely !== undefined) return [untimely];
  for (const { type, bytes } of others) {
    if (type !== "CERTIFICATE") {
      return wrong("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
    }
    if (readOrNothing(bytes) === undefined) return wrong("intermediate certificate does not parse as valid X.509");
  }
  return [];
}

/** Deviation: e-mail addresses are checked only for an @. */
function oddNames({ dnsNames, emailAddresses }: ReadCertificate): Errors {
  const errors: Errors = [];
  for (const name of dnsNames) {
    const odd = (detail: string): void => void errors.push(field.invalid(CHAIN, name, detail));
    if (name === "") odd("leaf certificate should not contain empty DNSName");
    if (name.includes("..")) odd("leaf certificate's DNSName should not contain '..'");
    if (/^\.|\.$/.test(name)) odd("leaf certificate's DNSName should not start or end with '.'");
  }
  for (const address of emailAddresses) {
    if (/^[^@\s]+@[^@\s]+$/.test(address)) continue;
    errors.push(field.invalid(CHAIN, address, "leaf certificate should not contain invalid EmailAddress"));
  }
  return errors;
}

/** The spec was validated at creation. */
function requestedKey({ stubPKCS10Request, pkixPublicKey }: trust.PodCertificateRequestSpec): Uint8Array {
  if (stubPKCS10Request) return certificateRequest(decodeBase64(stubPKCS10Request)).signed.publicKey;
  return decodeBase64(pkixPublicKey ?? "");
}

interface Times {
  readonly notBefore: string;
  readonly notAfter: string;
  readonly beginRefreshAt: string;
}

function timesProblem(
  times: Times,
  leaf: ReadCertificate,
  { maxExpirationSeconds = 0 }: trust.PodCertificateRequestSpec,
  now: EpochMs,
): field.FieldError | undefined {
  const [notBefore, notAfter, refresh] = [times.notBefore, times.notAfter, times.beginRefreshAt].map(parseTime);
  const wrong = (part: keyof Times, detail: string): field.FieldError =>
    field.invalid(STATUS.child(part), times[part], detail);
  if (notBefore !== leaf.notBefore) {
    return wrong("notBefore", "must be set to the NotBefore time encoded in the leaf certificate");
  }
  if (Math.abs(notBefore - now) >= 5 * MINUTE_MS) {
    return wrong("notBefore", "must be set to within 5 minutes of kube-apiserver's current time");
  }
  if (notAfter !== leaf.notAfter) {
    return wrong("notAfter", "must be set to the NotAfter time encoded in the leaf certificate");
  }
  const lifetimeMs = notAfter - notBefore;
  const tooShortOrLong = (detail: string): field.FieldError => field.invalid(CHAIN, lifetimeMs * 1_000_000, detail);
  if (lifetimeMs < HOUR_MS) return tooShortOrLong("leaf certificate lifetime must be >= 1 hour");
  if (lifetimeMs > maxExpirationSeconds * 1000) {
    return tooShortOrLong(`leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxExpirationSeconds})`);
  }
  if ((refresh ?? 0) < notBefore + 10 * MINUTE_MS) {
    return wrong("beginRefreshAt", "must be at least 10 minutes after status.notBefore");
  }
  if ((refresh ?? 0) > notAfter - 10 * MINUTE_MS) {
    return wrong("beginRefreshAt", "must be at least 10 minutes before status.notAfter");
  }
  return undefined;
}
