// The authorities that the machine trusts, for servers whose configuration names none. The runtimes ship built-in lists
// instead, which lack authorities that an administrator installed.
// Upstream: Go's crypto/x509/root_unix.go, root_linux.go
import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { certificatesIn } from "./certificate-fields.ts";

/** The first readable file is used. */
const FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
/** All files in these directories are used. */
const DIRECTORIES = ["/etc/ssl/certs", "/etc/pki/tls/certs"];

/** PEM, each certificate once. Undefined if the machine has none; the runtime's built-in list then applies. */
export function systemAuthorities(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const files = env.SSL_CERT_FILE ? [env.SSL_CERT_FILE] : FILES;
  const directories = env.SSL_CERT_DIR ? env.SSL_CERT_DIR.split(":") : DIRECTORIES;
  const certificates = new Set(validIn(firstText(files)));
  for (const directory of directories) {
    for (const name of namesIn(directory)) {
      for (const certificate of validIn(firstText([join(directory, name)]))) certificates.add(certificate);
    }
  }
  return certificates.size === 0 ? undefined : [...certificates].join("");
}

function firstText(files: readonly string[]): string {
  for (const file of files) {
    try {
      return readFileSync(file, "latin1");
    } catch {
      // As upstream: an unreadable file is skipped.
    }
  }
  return "";
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return []; // An unreadable directory is skipped.
  }
}

function validIn(text: string): readonly string[] {
  return certificatesIn(text)
    .map((block) => `${block.replaceAll("\r", "")}\n`)
    .filter(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false; // A malformed certificate is skipped.
  }
}
