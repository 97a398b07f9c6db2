// Who a client certificate says the caller is, and which of our CA bundles vouch for it.

import { createHash, X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { attributesOf, certificatesIn } from "../certificates/certificate-fields.ts";
import type { ClientCa } from "./tls-settings.ts";

export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Names of the bundles whose CA signed it. */
  readonly signedBy: readonly string[];
  readonly notAfterMs: number;
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string;
}

interface Presented {
  readonly certificate: PeerCertificate;
  readonly isVouchedFor: boolean;
}

const seen = new WeakMap<TLSSocket, Presented | null>();
const parsedCas = new Map<string, readonly X509Certificate[]>();

/** Undefined: no certificate, or one that none of our CAs vouches for. */
export function peerCertificate(socket: TLSSocket, cas: readonly ClientCa[] = []): PeerCertificate | undefined {
  const presented = presentedBy(socket, cas);
  return presented?.isVouchedFor ? presented.certificate : undefined;
}

/** A certificate that was presented in vain. It proves nothing, but its bearer is not anonymous either. */
export function untrustedCertificate(socket: TLSSocket, cas: readonly ClientCa[] = []): PeerCertificate | undefined {
  const presented = presentedBy(socket, cas);
  return presented === undefined || presented.isVouchedFor ? undefined : presented.certificate;
}

/** Worked out once per connection. */
function presentedBy(socket: TLSSocket, cas: readonly ClientCa[]): Presented | undefined {
  if (cas.length === 0) return undefined;
  let result = seen.get(socket);
  if (result === undefined) {
    result = describe(socket, cas) ?? null;
    seen.set(socket, result);
  }
  return result ?? undefined;
}

function describe(socket: TLSSocket, cas: readonly ClientCa[]): Presented | undefined {
  const raw = socket.getPeerCertificate(true)?.raw;
  if (raw === undefined) return undefined;
  const certificate = new X509Certificate(raw);
  const subject = attributesOf(certificate.subject);
  const isVouchedFor = socket.authorized;
  const signers = isVouchedFor ? cas.filter(({ pem }) => isSignedBy(certificate, parsed(pem))) : [];
  return {
    isVouchedFor,
    certificate: {
      commonName: subject.get("CN")?.[0] ?? "",
      organizations: subject.get("O") ?? [],
      signedBy: signers.map(({ name }) => name),
      notAfterMs: Date.parse(certificate.validTo),
      fingerprint: createHash("sha256").update(raw).digest("hex"),
    },
  };
}

function isSignedBy(certificate: X509Certificate, cas: readonly X509Certificate[]): boolean {
  return cas.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
}

function parsed(pem: string): readonly X509Certificate[] {
  let certificates = parsedCas.get(pem);
  if (certificates === undefined) {
    certificates = certificatesIn(pem).map((block) => new X509Certificate(block));
    parsedCas.clear(); // bundles change rarely; keeping every old one would be a leak
    parsedCas.set(pem, certificates);
  }
  return certificates;
}
