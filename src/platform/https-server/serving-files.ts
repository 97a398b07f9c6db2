// The certificate files of a TLS server: reads, checks, generates and watches them.
// Upstream: apiserver/pkg/server/options/serving.go; server/dynamiccertificates; client-go/util/cert.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { type FSWatcher, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorMessage } from "#base/errors.ts";
import { certificateContent } from "../certificates/certificate-content.ts";
import { alternativeNames, certificatesIn } from "../certificates/certificate-fields.ts";
import type { CertificateKey } from "./tls-settings.ts";

/** A file that cannot be used. The message is Go's. */
export class ServingFileError extends Error {
  override readonly name = "ServingFileError";
}

/** Reads a file. The error is Go's: "open /x: no such file or directory". */
export function readFileAsGo(path: string, operation = "open"): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ServingFileError(`${operation} ${path}: ${systemErrorText(cause)}`, { cause });
  }
}

const systemErrors: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "cannot assign requested address",
};

/** The operating system's text for an error. */
export function systemErrorText(error: unknown): string {
  return systemErrors[(error as NodeJS.ErrnoException).code ?? ""] ?? errorMessage(error);
}

/** Reads a certificate and its key, and checks that they belong together. */
export function readPair(certFile: string, keyFile: string): CertificateKey {
  if (certFile === "" || keyFile === "") throw new ServingFileError("missing filename for serving cert");
  const cert = readFileAsGo(certFile);
  const key = readFileAsGo(keyFile);
  if (cert === "" || key === "") {
    throw new ServingFileError(`missing content for serving cert "serving-cert::${certFile}::${keyFile}"`);
  }
  checkPair(cert, key);
  return { cert, key };
}

/** Fails with Go's message unless the two are a certificate and its key. */
export function checkPair(cert: string, key: string): void {
  if (!cert.includes("-----BEGIN CERTIFICATE-----")) {
    throw new ServingFileError("tls: failed to find any PEM data in certificate input");
  }
  if (!/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(key)) {
    throw new ServingFileError("tls: failed to find any PEM data in key input");
  }
  let certificate: X509Certificate;
  let privateKey: ReturnType<typeof createPrivateKey>;
  try {
    certificate = new X509Certificate(cert);
    certificateContent(certificate.raw);
  } catch (cause) {
    throw new ServingFileError(`x509: malformed certificate: ${errorMessage(cause)}`, { cause });
  }
  try {
    privateKey = createPrivateKey(key);
  } catch (cause) {
    throw new ServingFileError("tls: failed to parse private key", { cause });
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ServingFileError("tls: private key does not match public key");
  }
}

/** Reads a bundle of CA certificates. purpose: upstream's name for it in messages. */
export function readCaBundle(purpose: string, file: string): string {
  const pem = readFileAsGo(file);
  const name = `${purpose}::${file}`;
  if (pem === "") throw new ServingFileError(`missing content for CA bundle "${name}"`);
  checkCaBundle(name, pem);
  return pem;
}

function checkCaBundle(name: string, pem: string): void {
  const problem = certificatesProblem(pem);
  if (problem !== undefined) throw new ServingFileError(`error loading CA bundle for "${name}": ${problem}`);
}

/** Why a text is not a list of PEM certificates; undefined if it is. Other PEM blocks are ignored. */
export function certificatesProblem(pem: string): string | undefined {
  const blocks = certificatesIn(pem);
  if (blocks.length === 0) return "data does not contain any valid RSA or ECDSA certificates";
  try {
    for (const block of blocks) certificateContent(new X509Certificate(block).raw);
    return undefined;
  } catch (error) {
    return `x509: malformed certificate: ${errorMessage(error)}`;
  }
}

/** The names in a certificate. An SNI certificate that is configured without names serves these. */
export function namesIn(cert: string): readonly string[] {
  const { subjectAltName, raw } = new X509Certificate(cert);
  const names = [...alternativeNames(subjectAltName, "DNS"), ...alternativeNames(subjectAltName, "IP Address")];
  const { commonName } = certificateContent(raw).subject;
  return names.length > 0 || commonName === "" ? names : [commonName];
}

/** The pair in a directory, generated if missing. Half a pair is an error. */
export function pairInDirectory(
  directory: string,
  name: string,
  make: () => CertificateKey,
): { readonly certFile: string; readonly keyFile: string; readonly isNew: boolean } {
  const certFile = join(directory, `${name}.crt`);
  const keyFile = join(directory, `${name}.key`);
  const [hasCert, hasKey] = [isReadable(certFile), isReadable(keyFile)];
  if (hasCert && hasKey) return { certFile, keyFile, isNew: false };
  if (hasCert !== hasKey) {
    const missing = hasCert ? keyFile : certFile;
    throw new ServingFileError(`error reading ${missing}, certificate and key must be supplied as a pair`);
  }
  const { cert, key } = make();
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    writeFileSync(certFile, cert, { mode: 0o644 });
    writeFileSync(keyFile, key, { mode: 0o600 });
  } catch (cause) {
    const { syscall = "open", path = directory } = cause as NodeJS.ErrnoException;
    throw new ServingFileError(`${syscall} ${path}: ${systemErrorText(cause)}`, { cause });
  }
  return { certFile, keyFile, isNew: true };
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

const SETTLE_MS = 100;
/** Some file systems report no changes, so files are also polled. */
const POLL_MS = 60_000;

/** Calls back some time after a file changed or was replaced, as in a mounted secret. */
export function watchFiles(files: readonly string[], onChange: () => void): Disposable {
  let settling: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(settling);
    settling = setTimeout(onChange, SETTLE_MS);
    settling.unref();
  };
  const watchers: FSWatcher[] = [];
  for (const directory of new Set(files.map((file) => dirname(file)))) {
    try {
      const watcher = watch(directory, { persistent: false }, changed);
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // The timer below covers directories that cannot be watched.
    }
  }
  const poll = setInterval(onChange, POLL_MS);
  poll.unref();
  return {
    [Symbol.dispose]() {
      clearTimeout(settling);
      clearInterval(poll);
      for (const watcher of watchers) watcher.close();
    },
  };
}
