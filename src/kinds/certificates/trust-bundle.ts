// Validation of trust bundles: CA certificates without headers and without duplicates.
// Upstream: pkg/apis/certificates/validation, validateTrustBundle

import { encodeBase64 } from "#api/base64.ts";
import * as field from "#api/field-error.ts";
import { type PemBlock, pemBlocks } from "#api/pem.ts";
import { certificate, type ReadCertificate } from "#api/x509/certificate.ts";
import { InvalidDer } from "#api/x509/der.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";

const BUNDLE_BYTES_MAX = 1024 * 1024;

export function trustBundle(errors: Errors, bundle: string, path: Path): void {
  if (bundle.length > BUNDLE_BYTES_MAX) {
    errors.push(field.tooLong(path, BUNDLE_BYTES_MAX));
    return;
  }
  const blocks = pemBlocks(bundle);
  const problems = blocks.flatMap((block, i) => problemOf(block, i) ?? []);
  // A malformed block may explain why anchors are missing.
  for (const problem of problems.length > 0 ? problems : problemsTogether(blocks)) {
    errors.push(field.invalid(path, "<value omitted>", problem));
  }
}

function problemOf({ type, hasHeaders, bytes }: PemBlock, i: number): string | undefined {
  if (type !== "CERTIFICATE") return `entry ${i} has bad block type: ${type}`;
  if (hasHeaders) return `entry ${i} has PEM block headers`;
  const read = readOrNothing(bytes);
  if (read === undefined) return `entry ${i} does not parse as X.509`;
  return read.isCa === true ? undefined : `entry ${i} does not have the CA bit set`;
}

function problemsTogether(blocks: readonly PemBlock[]): readonly string[] {
  if (blocks.length === 0) return ["at least one trust anchor must be provided"];
  const places = Map.groupBy(blocks.keys(), (i) => encodeBase64(blocks[i]?.bytes ?? new Uint8Array()));
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => `duplicate trust anchor (indices [${indices.join(" ")}])`);
}

/** Undefined if it is not a certificate. */
export function readOrNothing(der: Uint8Array): ReadCertificate | undefined {
  try {
    return certificate(der);
  } catch (error) {
    if (error instanceof InvalidDer) return undefined;
    throw error;
  }
}
