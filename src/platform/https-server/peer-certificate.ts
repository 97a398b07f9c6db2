// The user in a client certificate, and which client CA bundles vouch for the certificate now.
// Upstream: apiserver/pkg/authentication/request/x509

import { createHash } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { certificateIdentifier } from "../certificates/certificate-content.ts";
import { certificatesIn } from "../certificates/certificate-fields.ts";
import {
  type Chain,
  chainProblem,
  chainsTo,
  type ParsedCertificate,
  parseCertificate,
} from "../certificates/client-chain.ts";
import type { ClientCa } from "./tls-settings.ts";

export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** UIDs of the user, from the subject. */
  readonly uids: readonly string[];
  /** Names of the bundles that vouch for the certificate. */
  readonly signedBy: readonly string[];
  /** Why the other bundles do not, by name of the bundle. */
  readonly problems: Readonly<Record<string, string>>;
  /** Serial number and key identifiers, as in error messages. */
  readonly identifier: string;
  readonly notAfterMs: number;
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string;
}

/** The certificates that a connection presented. They and their chains to a bundle never change. */
interface Presented {
  /** Undefined if malformed. */
  readonly leaf: ParsedCertificate | undefined;
  readonly intermediates: readonly ParsedCertificate[];
  readonly description: Pick<
    PeerCertificate,
    "commonName" | "organizations" | "uids" | "identifier" | "notAfterMs" | "fingerprint"
  >;
  readonly chains: WeakMap<ClientCa, readonly Chain[]>;
}

const malformed: Presented = {
  leaf: undefined,
  intermediates: [],
  description: { commonName: "", organizations: [], uids: [], identifier: "", notAfterMs: 0, fingerprint: "" },
  chains: new WeakMap(),
};

/** Limit of intermediates from a client; further ones are ignored. */
const INTERMEDIATES_MAX = 10;

const seen = new WeakMap<TLSSocket, Presented | null>();
const parsedCas = new WeakMap<ClientCa, readonly ParsedCertificate[]>();

/** Undefined without a certificate or without a bundle. */
export function peerCertificate(
  socket: TLSSocket,
  cas: readonly ClientCa[],
  nowMs: number,
): PeerCertificate | undefined {
  if (cas.length === 0) return undefined;
  let presented = seen.get(socket);
  if (presented === undefined) {
    presented = presentedBy(socket) ?? null;
    seen.set(socket, presented);
  }
  if (presented === null) return undefined;
  const signedBy: string[] = [];
  const problems: Record<string, string> = {};
  for (const ca of cas) {
    const { leaf } = presented;
    const problem =
      leaf === undefined ? "x509: malformed certificate" : chainProblem(leaf, chainsOf(presented, ca), nowMs);
    if (problem === undefined) signedBy.push(ca.name);
    else problems[ca.name] = problem;
  }
  return { ...presented.description, signedBy, problems };
}

function presentedBy(socket: TLSSocket): Presented | undefined {
  const [raw, ...others] = rawCertificates(socket);
  if (raw === undefined) return undefined;
  const fingerprint = createHash("sha256").update(raw).digest("hex");
  const leaf = parseCertificate(raw);
  if (leaf === undefined) return { ...malformed, description: { ...malformed.description, fingerprint } };
  const { content, notAfterMs } = leaf;
  return {
    leaf,
    intermediates: others.flatMap((other) => parseCertificate(other) ?? []),
    description: { ...content.subject, identifier: certificateIdentifier(content), notAfterMs, fingerprint },
    chains: new WeakMap(),
  };
}

/** The client's certificate first, then the intermediates that it sent. */
function rawCertificates(socket: TLSSocket): readonly Buffer[] {
  const found: Buffer[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && found.length <= INTERMEDIATES_MAX) {
    found.push(next.raw);
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate;
  }
  return found;
}

function chainsOf({ leaf, intermediates, chains }: Presented, ca: ClientCa): readonly Chain[] {
  if (leaf === undefined) return [];
  let found = chains.get(ca);
  if (found === undefined) {
    found = chainsTo(authoritiesIn(ca), leaf, intermediates);
    chains.set(ca, found);
  }
  return found;
}

function authoritiesIn(ca: ClientCa): readonly ParsedCertificate[] {
  let certificates = parsedCas.get(ca);
  if (certificates === undefined) {
    certificates = certificatesIn(ca.pem).flatMap((block) => parseCertificate(block) ?? []);
    parsedCas.set(ca, certificates);
  }
  return certificates;
}
