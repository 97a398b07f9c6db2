// Who a client certificate says the caller is, and which of our CA bundles vouch for it.

import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { ClientCa } from "./tls-settings.ts";

export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Names of the bundles whose CA signed it. */
  readonly signedBy: readonly string[];
  readonly notAfterMs: number;
}

const seen = new WeakMap<TLSSocket, PeerCertificate | null>();
const parsedCas = new Map<string, readonly X509Certificate[]>();

/** Undefined: no certificate, or one that none of our CAs vouches for. Worked out once per connection. */
export function peerCertificate(socket: TLSSocket, cas: readonly ClientCa[] = []): PeerCertificate | undefined {
  if (cas.length === 0) return undefined;
  let result = seen.get(socket);
  if (result === undefined) {
    result = describe(socket, cas) ?? null;
    seen.set(socket, result);
  }
  return result ?? undefined;
}

function describe(socket: TLSSocket, cas: readonly ClientCa[]): PeerCertificate | undefined {
  const raw = socket.getPeerCertificate(true)?.raw;
  if (raw === undefined || !socket.authorized) return undefined;
  const certificate = new X509Certificate(raw);
  const subject = parseSubject(certificate.subject);
  return {
    commonName: subject.get("CN")?.[0] ?? "",
    organizations: subject.get("O") ?? [],
    signedBy: cas.filter(({ pem }) => isSignedBy(certificate, certificatesIn(pem))).map(({ name }) => name),
    notAfterMs: Date.parse(certificate.validTo),
  };
}

function isSignedBy(certificate: X509Certificate, cas: readonly X509Certificate[]): boolean {
  return cas.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
}

export function certificatesIn(pem: string): readonly X509Certificate[] {
  let certificates = parsedCas.get(pem);
  if (certificates === undefined) {
    certificates = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
      (block) => new X509Certificate(block),
    );
    parsedCas.clear(); // bundles change rarely; keeping every old one would be a leak
    parsedCas.set(pem, certificates);
  }
  return certificates;
}

/** OpenSSL's one attribute per line: "O=system:masters\nCN=admin". Several of a kind are kept in order. */
function parseSubject(text: string): ReadonlyMap<string, readonly string[]> {
  const attributes = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    for (const part of line.split(/ \+ /)) {
      const equals = part.indexOf("=");
      const name = part.slice(0, equals);
      attributes.set(name, [...(attributes.get(name) ?? []), part.slice(equals + 1).replace(/\\(.)/g, "$1")]);
    }
  }
  return attributes;
}
