import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { selfSigned } from "../certificates/self-signed.ts";
import { issueCertificate, newPrivateKeyPem } from "../certificates/x509.ts";
import { namesIn, pairInDirectory, readCaBundle, readPair, watchFiles } from "./serving-files.ts";

const directory = mkdtempSync(join(tmpdir(), "serving-files-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const now = Date.now();
const HOUR_MS = 3_600_000;
const { cert, key } = selfSigned("0.0.0.0", now);

describe("certificate files", () => {
  it("machinery/2.4 a self-signed certificate is for localhost, from an hour ago for a year, and comes with its CA", () => {
    const leaf = new X509Certificate(cert);
    expect(leaf.subject).toBe(`CN=localhost@${Math.trunc(now / 1000)}`);
    expect(leaf.subjectAltName).toBe("DNS:localhost, DNS:localhost, IP Address:127.0.0.1");
    expect(Math.abs(Date.parse(leaf.validFrom) - (now - HOUR_MS))).toBeLessThan(1000);
    expect(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)).toBe(365 * 24 * HOUR_MS);
    const ca = new X509Certificate(cert.slice(cert.indexOf("-----BEGIN", 1)));
    expect(leaf.verify(ca.publicKey) && ca.ca).toBe(true);
    expect(new X509Certificate(selfSigned("192.0.2.7", now).cert).subjectAltName).toContain("IP Address:192.0.2.7");
  });

  it.each([
    ["", "x", /^missing filename for serving cert$/],
    [join(directory, "none"), file("k", key), /^open .*none: no such file or directory$/],
    [directory, file("k", key), /is a directory/],
    [file("empty", ""), file("k", key), /^missing content for serving cert "serving-cert::.*empty::.*k"$/],
    [file("text", "hello"), file("k", key), /^tls: failed to find any PEM data in certificate input$/],
    [file("c", cert), file("text", "hello"), /^tls: failed to find any PEM data in key input$/],
    [file("c", cert), file("other", newPrivateKeyPem()), /^tls: private key does not match public key$/],
  ])("refuses the pair %s and %s", (certFile, keyFile, problem) => {
    expect(() => readPair(certFile, keyFile)).toThrow(problem);
  });

  it("reads pairs and bundles, and reports an invalid bundle", () => {
    expect(readPair(file("c", cert), file("k", key))).toEqual({ cert, key });
    expect(readCaBundle("client-ca-bundle", file("c", cert))).toBe(cert);
    expect(() => readCaBundle("p", file("text", "hello"))).toThrow(
      `error loading CA bundle for "p::${join(directory, "text")}": data does not contain any valid RSA or ECDSA certificates`,
    );
    expect(() => readCaBundle("p", file("empty", ""))).toThrow("missing content for CA bundle");
  });

  it("knows the names a certificate is for", () => {
    const valid = { notBefore: now, notAfter: now + HOUR_MS };
    const named = issueCertificate({
      commonName: "cn",
      dnsNames: ["a.example", "*.b.example"],
      ipAddresses: ["192.0.2.1"],
      ...valid,
    });
    expect(namesIn(named.certificatePem)).toEqual(["a.example", "*.b.example", "192.0.2.1"]);
    expect(namesIn(issueCertificate({ commonName: "cn", ...valid }).certificatePem)).toEqual(["cn"]);
  });

  it("keeps an existing pair in a directory, generates a missing one, refuses half a pair", () => {
    const place = join(directory, "deep", "certs");
    const first = pairInDirectory(place, "x", () => ({ cert, key }));
    expect(first.isNew).toBe(true);
    expect(statSync(first.keyFile).mode & 0o777).toBe(0o600);
    const again = pairInDirectory(place, "x", () => {
      throw new Error("made anew");
    });
    expect(again).toEqual({ ...first, isNew: false });
    rmSync(first.keyFile);
    expect(() => pairInDirectory(place, "x", () => ({ cert, key }))).toThrow(
      "certificate and key must be supplied as a pair",
    );
    expect(readFileSync(first.certFile, "utf8")).toBe(cert);
  });

  it("notices a file that is written, and one that is replaced by a symlink as in mounted secrets", async () => {
    const place = mkdtempSync(join(directory, "watched-"));
    const path = join(place, "tls.crt");
    writeFileSync(path, "1");
    let notices = 0;
    let tell: () => void = () => undefined;
    using _watch = watchFiles([path], () => {
      notices++;
      tell();
    });
    const noticed = async (change: () => void): Promise<void> => {
      const next = new Promise<void>((resolve) => (tell = resolve));
      change();
      await next;
    };
    await noticed(() => writeFileSync(path, "2"));
    await noticed(() => {
      writeFileSync(join(place, "new"), "3");
      symlinkSync(join(place, "new"), join(place, "link"));
      renameSync(join(place, "link"), path);
    });
    expect(notices).toBeGreaterThanOrEqual(2);
  });
});
