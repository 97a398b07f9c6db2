// The programs' host with files for controllers: which ones it reads, and which it refuses.

import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { rootCa, tokenSigner } from "#manager/controller-files.ts";
import { defaultConfig } from "#manager/options/config.ts";
import type { ControllerSettings } from "#manager/registry.ts";
import { selfSigned } from "../certificates/self-signed.ts";
import { systemHost } from "./system-host.ts";

const directory = mkdtempSync(join(tmpdir(), "system-host-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const withFiles = (RootCAFile: string, ServiceAccountKeyFile = ""): ControllerSettings => ({
  config: {
    ...defaultConfig,
    SAController: { ...defaultConfig.SAController, RootCAFile, ServiceAccountKeyFile },
  },
  host: systemHost({}),
});
const { cert, key } = selfSigned("127.0.0.1", Date.now());

describe("the root CA", () => {
  it("root-ca-certificate-publisher/config, serviceaccount-token/config is the whole file, read on demand", () => {
    const path = file("ca.crt", "not yet");
    const settings = withFiles(path);
    writeFileSync(path, `a comment\n${cert}`);
    expect(rootCa(settings)).toBe(`a comment\n${cert}`);
  });

  it.each([
    { what: "no certificate", text: key, problem: "data does not contain any valid RSA or ECDSA certificates" },
    {
      what: "a broken certificate",
      text: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      problem: "x509: malformed certificate",
    },
  ])("root-ca-certificate-publisher/config refuses $what", ({ text, problem }) => {
    const path = file("bad.crt", text);
    expect(() => rootCa(withFiles(path))).toThrow(`error parsing root-ca-file at ${path}: ${problem}`);
  });

  it("root-ca-certificate-publisher/config refuses a missing file", () => {
    const path = join(directory, "missing");
    expect(() => rootCa(withFiles(path))).toThrow(
      `error parsing root-ca-file at ${path}: open ${path}: no such file or directory`,
    );
  });

  it("root-ca-certificate-publisher/config, serviceaccount-token/config is the client's own without a file", () => {
    expect(rootCa({ ...withFiles(""), host: systemHost({ certificateAuthorityData: cert }) })).toBe(cert);
  });
});

it("root-ca-certificate-publisher/traps the root CA is empty when the client names its CA by a file", () => {
  const host = systemHost({ certificateAuthority: file("client-ca.crt", cert) });
  expect(rootCa({ ...withFiles(""), host })).toBe("");
});

describe("the key of tokens", () => {
  it("serviceaccount-token/about is absent without a file", () => {
    expect(tokenSigner(withFiles(""))).toBeUndefined();
  });

  it.each([
    {
      what: "no key",
      text: cert,
      problem:
        "error reading key for service account token controller: data does not contain a valid RSA or ECDSA private key",
    },
    {
      what: "a key of another kind",
      text: generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      problem: "failed to build token generator: unknown private key type ed25519.PrivateKey",
    },
  ])("serviceaccount-token/9 refuses a file with $what", ({ text, problem }) => {
    const settings = withFiles("", file("bad.key", text));
    expect(() => tokenSigner(settings)).toThrow(problem);
  });
});
