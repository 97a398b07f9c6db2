// The parts of a normalised run, and the normalisation that all parts share.

import type { AuditEvent } from "#test/real/audit-log.ts";

/** Something that happened or that exists at the end. Several items may have the same label. */
export interface Item {
  readonly label: string;
  readonly value: unknown;
}

export interface Section {
  /** "objects", "events", "writes of phase 2". */
  readonly name: string;
  /** Unordered. */
  readonly items: readonly Item[];
}

/** The Go manager from `go build` does not know its version. */
const BUILD = /\/v[\d.]+ \(([^)]*)\) kubernetes\/[^/]+/;

export function agentOf({ userAgent = "" }: AuditEvent): string {
  return userAgent.replace(BUILD, "/{version} ($1) kubernetes/{commit}");
}

const PEM = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----\n/g;

/** The name of a trust bundle ends with a hash of the bundle. */
const TRUST_BUNDLE = /\b(kubernetes\.io:kube-apiserver-serving:)[0-9a-f]{24}\b/g;

/** Every control plane has different keys and certificates. */
export function withoutPem(text: string): string {
  return text.replace(PEM, "{$1}").replace(TRUST_BUNDLE, "$1{hash}");
}
