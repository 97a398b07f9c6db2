// The keys and certificates of a cluster in one process: its CA, the certificates of the API server and of an
// administrator, the CA and certificate of a front proxy, and the key that signs service account tokens. Stored in a
// directory, they outlive the process, so a copied kubeconfig stays valid. The code that issues certificates is loaded
// only when needed.

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
/** A certificate with less time left is renewed at startup. */
const RENEW_MS = 30 * DAY_MS;

/** The part of the PKI that a cluster needs without a listening port. */
export interface InnerPki {
  readonly ca: KeyCertificate;
  /** Signs service account tokens. */
  readonly accountKeyPem: string;
}

export interface ClusterPki extends InnerPki {
  readonly serving: KeyCertificate;
  /** Client certificate of a member of system:masters. */
  readonly admin: KeyCertificate;
  /** Signs certificates of front proxies, which act for other users. */
  readonly frontProxyCa: KeyCertificate;
  /** The API server uses it to act for users at extension API servers. */
  readonly frontProxy: KeyCertificate;
}

/** The stored keys and certificates cannot be used. */
export class PkiUnusable extends Error {
  override readonly name = "PkiUnusable";
}

type LeafName = "serving" | "admin" | "frontProxy";

/** The common name of the front proxy, which the API server allows to act for other users. */
export const FRONT_PROXY = "front-proxy-client";

const LEAVES: Readonly<Record<LeafName, Omit<CertificateOptions, "notBefore" | "notAfter">>> = {
  serving: {
    commonName: "steersman",
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    ipAddresses: ["127.0.0.1"],
    usages: ["server"],
  },
  admin: { commonName: "admin", organizations: ["system:masters"], usages: ["client"] },
  frontProxy: { commonName: FRONT_PROXY, usages: ["client"] },
};

const FILES = {
  ca: "ca.pem",
  serving: "serving.pem",
  admin: "admin.pem",
  frontProxyCa: "front-proxy-ca.pem",
  frontProxy: "front-proxy.pem",
} as const;
const ACCOUNT_KEY = "service-account-key.pem";

export async function issuePki(now: EpochMs): Promise<ClusterPki> {
  const inner = await issueInnerPki(now);
  return {
    ...inner,
    serving: await issueLeaf("serving", inner.ca, now),
    admin: await issueLeaf("admin", inner.ca, now),
    ...(await issueFrontProxy(now)),
  };
}

async function issueInnerPki(now: EpochMs): Promise<InnerPki> {
  const { newPrivateKeyPem } = await import("./x509.ts");
  return { ca: await issueCa("steersman-ca", now), accountKeyPem: newPrivateKeyPem() };
}

async function issueFrontProxy(now: EpochMs): Promise<Pick<ClusterPki, "frontProxyCa" | "frontProxy">> {
  const frontProxyCa = await issueCa("steersman-front-proxy-ca", now);
  return { frontProxyCa, frontProxy: await issueLeaf("frontProxy", frontProxyCa, now) };
}

async function issueCa(commonName: string, now: EpochMs): Promise<KeyCertificate> {
  const { issueCertificate } = await import("./x509.ts");
  return issueCertificate({ commonName, isCa: true, notBefore: now - DAY_MS, notAfter: now + CA_MS });
}

async function issueLeaf(name: LeafName, issuer: KeyCertificate, now: EpochMs): Promise<KeyCertificate> {
  const { issueCertificate } = await import("./x509.ts");
  return issueCertificate({ ...LEAVES[name], issuer, notBefore: now - DAY_MS, notAfter: now + YEAR_MS });
}

/**
 * Reads the keys and certificates in the directory; issues and stores them if there are none. An incomplete directory
 * is refused: a new CA or key would silently lock out existing clients and tokens.
 */
export async function keptPki(directory: string, now: EpochMs): Promise<ClusterPki> {
  if (!existsSync(directory)) {
    const pki = await issuePki(now);
    keepAll(directory, pki);
    return pki;
  }
  // Directories of earlier versions have no front proxy. Its CA is written last: if it is missing, both are issued
  // again.
  if (!existsSync(join(directory, FILES.frontProxyCa))) {
    const { frontProxyCa, frontProxy } = await issueFrontProxy(now);
    keepPair(directory, "frontProxy", frontProxy);
    keepPair(directory, "frontProxyCa", frontProxyCa);
  }
  const pki = readAll(directory);
  return {
    ...pki,
    serving: await renewed(directory, "serving", pki, now),
    admin: await renewed(directory, "admin", pki, now),
    frontProxy: await renewed(directory, "frontProxy", pki, now),
  };
}

function keepPair(directory: string, name: keyof typeof FILES, { certificatePem, keyPem }: KeyCertificate): void {
  writePrivateFile(join(directory, FILES[name]), certificatePem + keyPem);
}

async function renewed(directory: string, name: LeafName, pki: ClusterPki, now: EpochMs): Promise<KeyCertificate> {
  const { validToDate } = new X509Certificate(pki[name].certificatePem);
  if (validToDate.getTime() > now + RENEW_MS) return pki[name];
  const pair = await issueLeaf(name, name === "frontProxy" ? pki.frontProxyCa : pki.ca, now);
  keepPair(directory, name, pair);
  return pair;
}

/**
 * Writes all or nothing: the directory is renamed into place when it is complete. Each pair is one file, so a crash
 * cannot mix two pairs.
 */
function keepAll(directory: string, { accountKeyPem, ...pairs }: ClusterPki): void {
  const draft = `${directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  for (const name of Object.keys(FILES) as (keyof typeof FILES)[]) keepPair(draft, name, pairs[name]);
  writePrivateFile(join(draft, ACCOUNT_KEY), accountKeyPem);
  renameSync(draft, directory);
  syncDirectory(dirname(directory));
}

/** Without this, a power failure may lose a new file name. */
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
    ca: readPair(join(directory, FILES.ca)),
    serving: readPair(join(directory, FILES.serving)),
    admin: readPair(join(directory, FILES.admin)),
    frontProxyCa: readPair(join(directory, FILES.frontProxyCa)),
    frontProxy: readPair(join(directory, FILES.frontProxy)),
    accountKeyPem: readKept(join(directory, ACCOUNT_KEY), (pem) => {
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
      throw new Error("the key does not match the certificate");
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
