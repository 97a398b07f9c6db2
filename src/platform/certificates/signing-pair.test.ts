// The certificate and key files of a signer, and their changes on disk.

import { expect, it } from "vitest";
import { type Files, withFiles } from "#base/host.ts";
import { noLog } from "#base/log.ts";
import { bareHost } from "#base/testing.ts";
import { SigningPair } from "#controllers/certificatesigningrequest-signing/signing-pair.ts";
import { systemKeys } from "../system/system-keys.ts";
import { issueCertificate, type KeyCertificate } from "./x509.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
const ca = (years: number): KeyCertificate =>
  issueCertificate({ commonName: `ca-${years}`, isCa: true, notBefore: 0, notAfter: years * YEAR_MS });
const [one, two] = [ca(60), ca(70)];

interface Disk {
  readonly texts: Record<string, string>;
  changed(): void;
}

function open({ certificatePem, keyPem }: Partial<KeyCertificate>): {
  readonly pair: SigningPair;
  readonly disk: Disk;
} {
  const texts: Record<string, string> = { "ca.crt": certificatePem ?? "", "ca.key": keyPem ?? "" };
  const watches = new Set<() => void>();
  const files: Files = {
    ...bareHost.files,
    watch: (_, onChange) => {
      watches.add(onChange);
      return { [Symbol.dispose]: () => void watches.delete(onChange) };
    },
  };
  const host = withFiles({ ...bareHost, files, keys: systemKeys }, texts);
  const pair = new SigningPair({ certFile: "ca.crt", keyFile: "ca.key" }, host);
  pair.follow(noLog);
  return { pair, disk: { texts, changed: () => [...watches].forEach((onChange) => void onChange()) } };
}

it("certificatesigningrequest-signing/13 a pair is one certificate and its key", async () => {
  expect((await open(one).pair.current()).notAfter).toBe(60 * YEAR_MS);
  const wrong = (pair: Partial<KeyCertificate>) => () => open(pair);
  expect(wrong({ ...one, keyPem: two.keyPem })).toThrow(
    'error reading CA cert file "ca.crt": tls: private key does not match public key',
  );
  expect(wrong({ ...one, certificatePem: one.certificatePem + two.certificatePem })).toThrow(
    'error reading CA cert file "csr-controller::ca.crt::ca.key": expected 1 certificate, found 2',
  );
  expect(wrong({ certificatePem: "", keyPem: "" })).toThrow(
    'error reading CA cert file "ca.crt": missing content for serving cert "csr-controller::ca.crt::ca.key"',
  );
});

it("certificatesigningrequest-signing/14 a new pair signs as soon as both files have changed", async () => {
  const { pair, disk } = open(one);
  await pair.current();
  disk.texts["ca.crt"] = two.certificatePem;
  disk.changed();
  expect((await pair.current()).notAfter).toBe(60 * YEAR_MS);
  disk.texts["ca.key"] = two.keyPem;
  disk.changed();
  expect((await pair.current()).notAfter).toBe(70 * YEAR_MS);
});

it("certificatesigningrequest-signing/14 a pair that is loaded and no authority signs nothing", async () => {
  const { pair, disk } = open(one);
  disk.texts["ca.crt"] = one.certificatePem + two.certificatePem;
  disk.changed();
  await expect(pair.current()).rejects.toThrow("expected 1 certificate, found 2");
});
