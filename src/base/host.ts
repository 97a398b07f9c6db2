// The services of the machine that controllers need beside time, randomness and the network: files, keys and time
// zones. Platform implements them with the operating system, the simulation in memory. All controllers share one host.

import type { CertificateAuthority, SignatureCheck } from "./certificates.ts";
import type { TimeZones } from "./time-zones.ts";

export interface Host {
  readonly files: Files;
  readonly keys: Keys;
  readonly timeZones: TimeZones;
  /** The CA bundle of the program's own client configuration, in PEM; "" when the configuration holds none. */
  readonly apiServerCa: string;
}

export interface Files {
  /** The file's text. Throws with Go's messages: "open /x: no such file or directory". */
  read(path: string): string;
  /** Creates a directory and its parents. */
  makeDirectory(path: string): void;
  /** Removes the path and everything below it. A missing path is not an error. */
  removeAll(path: string): void;
  /** Calls back after one of the files changed, until disposed. A call may come without a change. */
  watch(paths: readonly string[], onChange: () => void): Disposable;
}

/** Reads all supported forms of keys and certificates. */
export interface Keys {
  /** The first private key in a PEM text. Throws with Go's messages. */
  readPrivateKey(pem: string): PrivateKey;
  /** Why a text is not a list of certificates in PEM; undefined when it is one. */
  certificatesProblem(pem: string): string | undefined;
  /** Why two texts are not a certificate and its private key, in Go's words; undefined when they are. */
  pairProblem(certificatePem: string, keyPem: string): string | undefined;
  isSignedBy(check: SignatureCheck): boolean;
  sha256(bytes: Uint8Array): Uint8Array;
  hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array;
  /** Loads the library that writes certificates, which takes a moment. */
  loadSigning(): Promise<CertificateSigning>;
}

export interface CertificateSigning {
  /** The authority of the first certificate in a PEM text and its private key. Throws with Go's messages. */
  authority(certificatePem: string, keyPem: string): CertificateAuthority;
}

export interface PrivateKey {
  /** Signs claims as a JSON web token. Throws when tokens cannot be signed with this kind of key. */
  tokenSigner(): TokenSigner;
}

export type TokenSigner = (claims: Readonly<Record<string, unknown>>) => string;

function noCryptography(): never {
  throw new Error("this host computes no hashes and signatures");
}

/** For a host without cryptography: every key is unreadable, and every signature is wrong. */
export const noKeys: Keys = {
  readPrivateKey() {
    throw new Error("data does not contain a valid RSA or ECDSA private key");
  },
  certificatesProblem: () => "data does not contain any valid RSA or ECDSA certificates",
  pairProblem: () => "tls: failed to find any PEM data in certificate input",
  isSignedBy: () => false,
  sha256: noCryptography,
  hmacSha256: noCryptography,
  loadSigning: () => Promise.resolve({ authority: noCryptography }),
};

/** The host with these files added. They take precedence over the host's own files. */
export function withFiles(host: Host, texts: Readonly<Record<string, string>>): Host {
  const files: Files = { ...host.files, read: (path) => texts[path] ?? host.files.read(path) };
  return { ...host, files };
}
