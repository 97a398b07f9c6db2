import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { keptPki, PkiUnusable } from "./cluster-pki.ts";

const DAY_MS = 24 * 3_600_000;
const now = Date.UTC(2026, 0, 1);
const directories: string[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "pki-"));
  directories.push(directory);
  return join(directory, "pki");
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

describe("the PKI of a cluster", () => {
  it("is issued once and stored in files that only the owner can read", async () => {
    const directory = newDirectory();
    const first = await keptPki(directory, now);
    expect(await keptPki(directory, now + DAY_MS)).toEqual(first);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
  });

  it("renews expiring certificates, and keeps the CA and the service account key", async () => {
    const directory = newDirectory();
    const first = await keptPki(directory, now);
    const later = await keptPki(directory, now + 340 * DAY_MS);
    expect([later.ca, later.accountKeyPem]).toEqual([first.ca, first.accountKeyPem]);
    const ca = new X509Certificate(first.ca.certificatePem);
    const proxyCa = new X509Certificate(first.frontProxyCa.certificatePem);
    expect(later.frontProxyCa).toEqual(first.frontProxyCa);
    for (const [{ certificatePem }, issuer] of [
      [later.serving, ca],
      [later.admin, ca],
      [later.frontProxy, proxyCa],
    ] as const) {
      const certificate = new X509Certificate(certificatePem);
      expect(certificate.validToDate.getTime()).toBeGreaterThan(now + 600 * DAY_MS);
      expect(certificate.verify(issuer.publicKey)).toBe(true);
    }
    expect(await keptPki(directory, now + 340 * DAY_MS)).toEqual(later);
  });

  it.each(["ca.pem", "serving.pem", "admin.pem", "service-account-key.pem"])(
    "is not replaced when %s is missing, cut or foreign",
    async (name) => {
      const directory = newDirectory();
      await keptPki(directory, now);
      const file = join(directory, name);
      truncateSync(file, 100);
      await expect(keptPki(directory, now)).rejects.toThrow(PkiUnusable);
      writeFileSync(file, "this is no key");
      await expect(keptPki(directory, now)).rejects.toThrow(`cannot use ${file}: `);
      rmSync(file);
      await expect(keptPki(directory, now)).rejects.toThrow(PkiUnusable);
    },
  );

  it("issues a front proxy if an earlier version stored none", async () => {
    const directory = newDirectory();
    const first = await keptPki(directory, now);
    for (const name of ["front-proxy-ca.pem", "front-proxy.pem"]) rmSync(join(directory, name));
    const second = await keptPki(directory, now);
    expect(second.ca).toEqual(first.ca);
    expect(second.frontProxyCa).not.toEqual(first.frontProxyCa);
    expect(await keptPki(directory, now)).toEqual(second);
  });

  it("refuses a key that belongs to another certificate", async () => {
    const directory = newDirectory();
    const first = await keptPki(directory, now);
    writeFileSync(join(directory, "admin.pem"), first.admin.certificatePem + first.serving.keyPem);
    await expect(keptPki(directory, now)).rejects.toThrow("the key does not match the certificate");
  });
});
