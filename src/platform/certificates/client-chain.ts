// Decides whether a CA bundle vouches for a client certificate now. The runtimes verify a chain once, when the
// connection opens, and against all bundles together; each request needs a current answer for each bundle. Pure.
// Upstream: Go's crypto/x509/verify.go, Verify, as apiserver/pkg/authentication/request/x509 calls it
// Deviation: an authority with name constraints vouches only for certificates without alternative names.

import { X509Certificate } from "node:crypto";
import { DER_INTEGER, DER_SEQUENCE, derParts, derValues } from "#api/x509/der.ts";
import { type CertificateContent, certificateContent } from "./certificate-content.ts";

export interface ParsedCertificate {
  readonly x509: X509Certificate;
  readonly content: CertificateContent;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A certificate, the authority that signed it, and so on up to a root in the bundle. */
export type Chain = readonly ParsedCertificate[];

const ALTERNATIVE_NAMES = "2.5.29.17";
const BASIC_CONSTRAINTS = "2.5.29.19";
const NAME_CONSTRAINTS = "2.5.29.30";
/**
 * Extensions that may be critical. The ones without a name here: key identifiers, distribution points, policies,
 * usages.
 */
const UNDERSTOOD = new Set([
  ...["2.5.29.15", ALTERNATIVE_NAMES, BASIC_CONSTRAINTS, NAME_CONSTRAINTS],
  ...["2.5.29.14", "2.5.29.35", "2.5.29.31", "2.5.29.32", "2.5.29.37"],
]);
const CLIENT_USAGES: readonly string[] = ["1.3.6.1.5.5.7.3.2", "2.5.29.37.0"];
/** MD2, MD5 and SHA-1, with RSA, DSA and ECDSA. */
const BROKEN_SIGNATURES = new Set([
  ...["1.2.840.113549.1.1.2", "1.2.840.113549.1.1.4", "1.2.840.113549.1.1.5"],
  ...["1.2.840.10040.4.3", "1.2.840.10045.4.1"],
]);
/** Limits the work that a client can cause by presenting many authorities with the same name. */
const SIGNATURE_CHECKS_MAX = 100;

/** Undefined if the runtime or Go would call the certificate malformed. */
export function parseCertificate(source: string | Uint8Array): ParsedCertificate | undefined {
  let x509: X509Certificate;
  let content: CertificateContent;
  try {
    x509 = new X509Certificate(source);
    content = certificateContent(x509.raw);
  } catch {
    return undefined;
  }
  return { x509, content, notBeforeMs: Date.parse(x509.validFrom), notAfterMs: Date.parse(x509.validTo) };
}

/** All chains to the bundle, expired or not. The result does not depend on the time. */
export function chainsTo(
  roots: readonly ParsedCertificate[],
  leaf: ParsedCertificate,
  intermediates: readonly ParsedCertificate[],
): readonly Chain[] {
  if (roots.some(({ x509 }) => x509.raw.equals(leaf.x509.raw))) return [[leaf]];
  const found: Chain[] = [];
  let checks = 0;
  const hasSigned = (authority: ParsedCertificate, signed: ParsedCertificate): boolean => {
    if (!authority.x509.ca || !signed.x509.checkIssued(authority.x509)) return false;
    if (BROKEN_SIGNATURES.has(signed.content.signatureAlgorithm) || ++checks > SIGNATURE_CHECKS_MAX) return false;
    return signed.x509.verify(authority.x509.publicKey);
  };
  const extend = (chain: Chain, last: ParsedCertificate): void => {
    for (const root of roots) if (hasSigned(root, last)) found.push([...chain, root]);
    for (const authority of intermediates) {
      if (!chain.includes(authority) && hasSigned(authority, last)) extend([...chain, authority], authority);
    }
  };
  extend([leaf], leaf);
  return found;
}

/** Go's message for why no chain is valid now; undefined if one is. */
export function chainProblem(leaf: ParsedCertificate, chains: readonly Chain[], nowMs: number): string | undefined {
  const own = problemAt([leaf], 0, nowMs);
  if (own !== undefined) return own;
  let problem = "x509: certificate signed by unknown authority";
  const sound = chains.filter((chain) => {
    const found = chain.flatMap((_, index) => problemAt(chain, index, nowMs) ?? [])[0];
    problem = found ?? problem;
    return found === undefined;
  });
  if (sound.length === 0) return problem;
  const forClients = sound.filter((chain) => chain.every(isForClients));
  if (forClients.length === 0) return "x509: certificate specifies an incompatible key usage";
  if (forClients.some((chain) => !isConstrained(chain))) return undefined;
  return "x509: a root or intermediate certificate is not authorized to sign for this name";
}

function problemAt(chain: Chain, index: number, nowMs: number): string | undefined {
  const certificate = chain[index];
  if (certificate === undefined) return undefined;
  const { content, notBeforeMs, notAfterMs } = certificate;
  if ([...content.extensions].some(([id, { isCritical }]) => isCritical && !UNDERSTOOD.has(id)))
    return "x509: unhandled critical extension";
  const untimely = `x509: certificate has expired or is not yet valid: current time ${seconds(nowMs)} is`;
  if (nowMs < notBeforeMs) return `${untimely} before ${seconds(notBeforeMs)}`;
  if (nowMs > notAfterMs) return `${untimely} after ${seconds(notAfterMs)}`;
  return index - 1 > pathLength(content) ? "x509: too many intermediates for path length constraint" : undefined;
}

function seconds(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, -5)}Z`;
}

function isForClients({ x509 }: ParsedCertificate): boolean {
  const { keyUsage } = x509; // extended key usage
  return keyUsage === undefined || keyUsage.length === 0 || keyUsage.some((usage) => CLIENT_USAGES.includes(usage));
}

function isConstrained([leaf, ...authorities]: Chain): boolean {
  const hasNames = leaf?.content.extensions.has(ALTERNATIVE_NAMES) ?? false;
  return hasNames && authorities.some(({ content }) => content.extensions.has(NAME_CONSTRAINTS));
}

/** How many intermediates may follow this authority in a chain. */
function pathLength({ extensions }: CertificateContent): number {
  const constraints = derValues(extensions.get(BASIC_CONSTRAINTS)?.value ?? new Uint8Array())[0];
  if (constraints === undefined) return Number.POSITIVE_INFINITY;
  const length = derParts(constraints, DER_SEQUENCE).find(({ tag }) => tag === DER_INTEGER)?.content;
  return length === undefined ? Number.POSITIVE_INFINITY : Number(`0x${Buffer.from(length).toString("hex")}`);
}
