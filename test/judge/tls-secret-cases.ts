// Mismatched certificates and keys in secrets: the warnings of the servers.

import { generateKeyPairSync } from "node:crypto";
import { issueCertificate } from "#platform/certificates/x509.ts";
import type { JudgeCase, Step } from "./case.ts";
import { merge, patch, post, put } from "./steps.ts";

const SECRETS = "/api/v1/namespaces/$ns/secrets";
const DAY_MS = 24 * 3600 * 1000;

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const issued = (): { readonly cert: string; readonly key: string } => {
  const now = Date.now();
  const { certificatePem: cert, keyPem: key } = issueCertificate({
    commonName: "judge",
    notBefore: now - DAY_MS,
    notAfter: now + DAY_MS,
  });
  return { cert, key };
};
const pem = (type: string, text = "judge"): string =>
  `-----BEGIN ${type}-----\n${base64(text)}\n-----END ${type}-----\n`;
const privateKey = (type: "rsa" | "ed25519" | "x25519"): string => {
  const { privateKey: key } =
    type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync(type as "ed25519");
  return key.export({ type: "pkcs8", format: "pem" }).toString();
};

const [one, other] = [issued(), issued()];
const PAIRS: Readonly<Record<string, readonly [cert: string, key: string]>> = {
  "that fit": [one.cert, one.key],
  "with words around them": [`a\nb: c\n${one.cert}\nmore`, `-----\n${pem("EC PARAMETERS")}${one.key}`],
  "in chains": [one.cert + other.cert, one.key + other.key],
  "of two": [one.cert, other.key],
  "in the wrong order": [other.cert + one.cert, one.key],
  "that are nothing": ["", ""],
  "that are words": ["certificate", "key"],
  "that were switched": [one.key, one.cert],
  "that are both certificates": [one.cert, one.cert],
  "of other types": [pem("A") + pem("B B"), one.key],
  "whose key is of other types": [one.cert, pem("A") + pem("CERTIFICATE")],
  "of which one is no base64": ["-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n", one.key],
  "with one end missing": [one.cert.replace(/-----END.*/, ""), one.key],
  "whose certificate is none": [pem("CERTIFICATE"), one.key],
  "whose key is none": [one.cert, pem("PRIVATE KEY")],
  "of two sorts: RSA": [one.cert, privateKey("rsa")],
  "of two sorts: Ed25519": [one.cert, privateKey("ed25519")],
  "with a key for something else": [one.cert, privateKey("x25519")],
  "with lines as elsewhere": [one.cert.replaceAll("\n", "\r\n"), one.key.replaceAll("\n", "\r\n")],
};

/** Keys are generated each time. */
const nameOf = (body: unknown): unknown => {
  const { metadata, type, message } = body as { metadata?: { name?: string }; type?: string; message?: string };
  return { name: metadata?.name, type, message };
};
const seen = (step: Step): Step => ({ ...step, view: nameOf });
const secret = (pair: readonly [string, string], type = "kubernetes.io/tls"): object => ({
  metadata: { name: "a" },
  type,
  data: { "tls.crt": base64(pair[0]), "tls.key": base64(pair[1]) },
});

export const tlsSecretCases: readonly JudgeCase[] = [
  ...Object.entries(PAIRS).map(([what, pair]) => ({
    name: `a certificate and a key ${what}`,
    steps: [seen(post(`${SECRETS}?dryRun=All`, secret(pair))), seen(post(SECRETS, secret(pair)))],
  })),
  {
    name: "a certificate and a key, written again",
    steps: [
      seen(post(SECRETS, secret([one.cert, one.key]))),
      seen(put(`${SECRETS}/a`, secret([one.cert, other.key]))),
      seen(patch(`${SECRETS}/a`, merge, { metadata: { labels: { a: "b" } } })),
      seen(patch(`${SECRETS}/a`, merge, { data: { "tls.key": base64(one.key) } })),
      seen(post(SECRETS, { ...secret(["", ""], "Opaque"), metadata: { name: "b" } })),
      seen(post(SECRETS, { metadata: { name: "c" }, type: "kubernetes.io/tls" })),
    ],
  },
];
