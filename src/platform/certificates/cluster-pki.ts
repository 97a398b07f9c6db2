// The keys and certificates of a cluster in one process: its CA, the API server's certificate, an
// administrator's, and the key that signs service account tokens. Kept in a directory they outlive the process, and a
// kubeconfig that somebody copied stays valid. What issues them is loaded only when something has to be issued.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { makePrivate, writePrivateFile } from "../storage/private-file.ts";
import type { CertificateOptions, KeyCertificate } from "./x509.ts";

const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365 * DAY_MS;
const CA_MS = 10 * YEAR_MS;
/** A certificate that ends sooner is issued anew at the start. */
const RENEW_MS = 30 * DAY_MS;

export interface ClusterPki {
  readonly ca: KeyCertificate;
  readonly serving: KeyCertificate;
  /** Of a member of system:masters. */
  readonly admin: KeyCertificate;
  /** Signs service account tokens. */
  readonly accountKeyPem: string;
}

/** What is kept cannot be used. */
export class PkiUnusable extends Error {
  override readonly name = "PkiUnusable";
}

type LeafName = "serving" | "admin";

const LEAVES: Readonly<Record<LeafName, Omit<CertificateOptions, "notBefore" | "notAfter">>> = {
  serving: {
    commonName: "steersman",
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1"],
    usages: ["server"],
  },
  admin: { commonName: "admin", organizations: ["system:masters"], usages: ["client"] },
};

export async function issuePki(now: EpochMs): Promise<ClusterPki> {
  const { issueCertificate, newPrivateKeyPem } = await import("./x509.ts");
  const ca = issueCertificate({
    commonName: "steersman-ca",
    isCa: true,
    notBefore: now - DAY_MS,
    notAfter: now + CA_MS,
  });
  return {
    ca,
    serving: await issueLeaf("serving", ca, now),
    admin: await issueLeaf("admin", ca, now),
    accountKeyPem: newPrivateKeyPem(),
  };
}

async function issueLeaf(name: LeafName, issuer: KeyCertificate, now: EpochMs): Promise<KeyCertificate> {
  const { issueCertificate } = await import("./x509.ts");
  return issueCertificate({ ...LEAVES[name], issuer, notBefore: now - DAY_MS, notAfter: now + YEAR_MS });
}

/**
 * What the directory keeps, issued and kept if it is not there yet. A directory with a part of it is refused: with
 * another CA or key, clients and tokens that are out there would be locked out in silence.
 */
export async function keptPki(directory: string, now: EpochMs): Promise<ClusterPki> {
  if (!existsSync(directory)) {
    const pki = await issuePki(now);
    keepAll(directory, pki);
    return pki;
  }
  const pki = readAll(directory);
  return {
    ...pki,
    serving: await renewed(directory, "serving", pki, now),
    admin: await renewed(directory, "admin", pki, now),
  };
}

async function renewed(directory: string, name: LeafName, pki: ClusterPki, now: EpochMs): Promise<KeyCertificate> {
  const { validToDate } = new X509Certificate(pki[name].certificatePem);
  if (validToDate.getTime() > now + RENEW_MS) return pki[name];
  const pair = await issueLeaf(name, pki.ca, now);
  writePrivateFile(join(directory, `${name}.pem`), pair.certificatePem + pair.keyPem);
  return pair;
}

/** All or nothing: the directory gets its name when everything is in it. Each pair is one file: no crash can leave halves of two. */
function keepAll(directory: string, { ca, serving, admin, accountKeyPem }: ClusterPki): void {
  const draft = `${directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  for (const [name, pair] of Object.entries({ ca, serving, admin })) {
    writePrivateFile(join(draft, `${name}.pem`), pair.certificatePem + pair.keyPem);
  }
  writePrivateFile(join(draft, "service-account-key.pem"), accountKeyPem);
  renameSync(draft, directory);
  syncDirectory(dirname(directory));
}

/** A new name is safe from a power failure only when its directory is. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function readAll(directory: string): ClusterPki {
  return {
    ca: readPair(join(directory, "ca.pem")),
    serving: readPair(join(directory, "serving.pem")),
    admin: readPair(join(directory, "admin.pem")),
    accountKeyPem: readKept(join(directory, "service-account-key.pem"), (pem) => {
      createPrivateKey(pem);
      return pem;
    }),
  };
}

function readPair(path: string): KeyCertificate {
  return readKept(path, (pem) => {
    const keyAt = pem.indexOf("-----BEGIN PRIVATE KEY-----");
    const [certificatePem, keyPem] = [pem.slice(0, Math.max(keyAt, 0)), pem.slice(Math.max(keyAt, 0))];
    if (!new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))) {
      throw new Error("the key is not that of the certificate");
    }
    return { certificatePem, keyPem };
  });
}

function readKept<T>(path: string, parse: (pem: string) => T): T {
  try {
    makePrivate(path);
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new PkiUnusable(`cannot use ${path}: ${errorMessage(cause)}`, { cause });
  }
}
