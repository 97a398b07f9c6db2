import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, it } from "vitest";
import { keyReader } from "./key-reader.ts";
import { issueCertificate } from "./x509.ts";

const pkcs8 = (key: KeyObject): Buffer => key.export({ type: "pkcs8", format: "der" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-384" });
const ed25519 = generateKeyPairSync("ed25519");

it.each([
  { what: "RSA, PKCS #1", der: rsa.privateKey.export({ type: "pkcs1", format: "der" }), pair: rsa, type: "rsa" },
  { what: "RSA, PKCS #8", der: pkcs8(rsa.privateKey), pair: rsa, type: "rsa" },
  { what: "EC, SEC 1", der: ec.privateKey.export({ type: "sec1", format: "der" }), pair: ec, type: "ec" },
  { what: "EC, PKCS #8", der: pkcs8(ec.privateKey), pair: ec, type: "ec" },
  { what: "Ed25519", der: pkcs8(ed25519.privateKey), pair: ed25519, type: "ed25519" },
])("identifies a private key by its public key: $what", ({ der, pair, type }) => {
  const identity = pair.publicKey.export({ type: "spki", format: "der" }).toString("base64");
  expect(keyReader.privateKey(new Uint8Array(der))).toEqual({ type, identity });
});

it("reads the key of a certificate, and refuses other bytes", () => {
  const now = Date.now();
  const { certificatePem, keyPem } = issueCertificate({ commonName: "a", notBefore: now, notAfter: now + 60_000 });
  const der = (pem: string): Uint8Array => new Uint8Array(Buffer.from(pem.replace(/-----.*-----|\n/g, ""), "base64"));
  expect(keyReader.certificateKey(der(certificatePem))).toEqual(keyReader.privateKey(der(keyPem)));
  for (const bytes of [new Uint8Array(), new Uint8Array([0x30, 0x80]), new TextEncoder().encode("words")]) {
    expect([keyReader.certificateKey(bytes), keyReader.privateKey(bytes)]).toEqual([undefined, undefined]);
  }
});
