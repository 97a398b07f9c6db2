// When a certificate signing request may be deleted, and why. A missing time never counts as old.
// Upstream: pkg/controller/certificates/cleaner/cleaner.go

import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import { pemBlocks, pemTextOf } from "#api/pem.ts";
import { parseTime } from "#api/time.ts";
import { certificate } from "#api/x509/certificate.ts";
import { InvalidDer } from "#api/x509/der.ts";
import type { EpochMs } from "#base/clock.ts";

const HOUR_MS = 3_600_000;
const DECIDED_MS_MAX = HOUR_MS;
const PENDING_MS_MAX = 24 * HOUR_MS;

/** For the log, in upstream's words; undefined: the request stays. */
export function whyExpired({ metadata, status = {} }: CertificateSigningRequest, now: EpochMs): string | undefined {
  const { conditions = [] } = status;
  const isIssued = Boolean(status.certificate);
  const isOld = (type: string, ageMsMax: number): boolean =>
    conditions.some((condition) => condition.type === type && isOlder(condition.lastUpdateTime, ageMsMax, now));
  if (isIssued && isOld("Approved", DECIDED_MS_MAX)) {
    return "Cleaning CSR as it is more than approvedExpiration duration old and approved.";
  }
  if (isOld("Denied", DECIDED_MS_MAX)) {
    return "Cleaning CSR as it is more than deniedExpiration duration old and denied.";
  }
  if (isOld("Failed", DECIDED_MS_MAX)) {
    return "Cleaning CSR as it is more than deniedExpiration duration old and failed.";
  }
  if (conditions.length === 0 && isOlder(metadata?.creationTimestamp, PENDING_MS_MAX, now)) {
    return "Cleaning CSR as it is more than pendingExpiration duration old and unhandled.";
  }
  const isApproved = conditions.some(({ type }) => type === "Approved");
  if (isApproved && isIssued && hasExpired(status.certificate, now)) {
    return "Cleaning CSR as the associated certificate is expired.";
  }
  if (!isIssued && isOld("Approved", PENDING_MS_MAX)) {
    return "Cleaning CSR as it is approved but unissued for more than pendingExpiration duration.";
  }
  return undefined;
}

const isOlder = (time: string | null | undefined, ageMsMax: number, now: EpochMs): boolean =>
  Boolean(time) && now - parseTime(time ?? "") > ageMsMax;

/** Of several certificates the first is checked; an unreadable one has not expired. */
function hasExpired(pem: string | undefined, now: EpochMs): boolean {
  const [block] = pemBlocks(pemTextOf(pem));
  if (block === undefined) return false;
  try {
    return now > certificate(block.bytes).notAfter;
  } catch (error) {
    if (error instanceof InvalidDer) return false;
    throw error;
  }
}
