// Syncs one approved request: checks the signer's rules, signs the certificate, and writes the status.
// Upstream: pkg/controller/certificates/signer/signer.go, handle; authority/authority.go, Sign

import { encodeBase64 } from "#api/base64.ts";
import type { CertificateSigningRequestStatus } from "#api/generated/types/certificates-v1.ts";
import { encodePem } from "#api/pem.ts";
import { formatTime } from "#api/time.ts";
import type { CertificateRequest } from "#api/x509/certificate-request.ts";
import { signatureProblem } from "#api/x509/signature-algorithm.ts";
import type { CertificateAuthority, CertificateTemplate } from "#base/certificates.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Keys } from "#base/host.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient } from "#client/client.ts";
import { isApproved, isFailed } from "#families/certificates/decisions.ts";
import { contentOf } from "#families/certificates/request-content.ts";
import type { StoredRequest } from "#families/certificates/request-workers.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { Signer } from "./signers.ts";
import { keyUsages } from "./usages.ts";
import { durationMs, validity } from "./validity.ts";

export interface Deps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly keys: Pick<Keys, "isSignedBy">;
  readonly requestsApi: ResourceClient<StoredRequest>;
  readonly signer: Signer;
  /** The current certificate and key. Throws when there is none. */
  readonly pair: { current(): Promise<CertificateAuthority> };
  /** --cluster-signing-duration */
  readonly durationMs: number;
}

const SERIAL_BYTES = 16;

export async function signRequest(request: StoredRequest, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { spec } = request;
  if (!isApproved(request) || isFailed(request) || spec.signerName !== deps.signer.name) return done;
  const write = (status: CertificateSigningRequestStatus): Promise<unknown> =>
    deps.requestsApi.updateStatus({ object: { ...request, status } }, signal);
  const content = contentOf(request);
  const problem = deps.signer.problem(content, spec.usages ?? []);
  if (problem !== undefined) {
    await write({ ...request.status, conditions: [...(request.status?.conditions ?? []), failure(problem, deps)] });
    return done;
  }
  const der = await signed(content, spec, deps);
  const pem = new TextEncoder().encode(encodePem("CERTIFICATE", der));
  await write({ ...request.status, certificate: encodeBase64(pem) });
  return done;
}

async function signed(content: CertificateRequest, spec: StoredRequest["spec"], deps: Deps): Promise<Uint8Array> {
  try {
    const authority = await deps.pair.current();
    return authority.sign(certificateFor(content, spec, authority.notAfter, deps));
  } catch (cause) {
    throw new Error(`error auto signing csr: ${errorMessage(cause)}`, { cause });
  }
}

function failure(message: string, { clock }: Deps): NonNullable<CertificateSigningRequestStatus["conditions"]>[number] {
  const lastUpdateTime = formatTime(clock.now());
  return { type: "Failed", status: "True", reason: "SignerValidationFailure", message, lastUpdateTime };
}

/** Names and usages are taken from the request; everything else is dropped. */
export function certificateFor(
  content: CertificateRequest,
  { usages = [], expirationSeconds }: Pick<StoredRequest["spec"], "usages" | "expirationSeconds">,
  caNotAfter: EpochMs,
  { clock, rng, keys, durationMs: defaultMs }: Pick<Deps, "clock" | "rng" | "keys" | "durationMs">,
): CertificateTemplate {
  const { signed, subject, dnsNames, emailAddresses, ipAddresses, uris } = content;
  const problem = signatureProblem(signed, (check) => keys.isSignedBy(check));
  if (problem !== undefined) throw new Error(`unable to verify certificate request signature: ${problem}`);
  const ttlMs = durationMs(expirationSeconds, defaultMs);
  return {
    subject,
    publicKey: signed.publicKey,
    serialNumber: rng.bytes(SERIAL_BYTES).reduce((number, byte) => (number << 8n) | BigInt(byte), 0n),
    ...keyUsages(usages),
    ...validity(clock.now(), ttlMs, caNotAfter),
    dnsNames,
    emailAddresses,
    ipAddresses,
    uris,
  };
}
