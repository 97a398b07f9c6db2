import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { defaultOptions } from "#manager/options/options.ts";
import { selfSigned } from "#platform/certificates/self-signed.ts";
import { lazySettings, readMigration } from "./files.ts";

const directory = mkdtempSync(join(tmpdir(), "daemon-files-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const withFiles = (RootCAFile: string, ServiceAccountKeyFile = ""): ComponentConfig => ({
  ...defaultConfig,
  SAController: { ...defaultConfig.SAController, RootCAFile, ServiceAccountKeyFile },
});
const { cert, key } = selfSigned("127.0.0.1", Date.now());
const client = { server: "https://localhost", namespace: "default" };

describe("the root CA", () => {
  it("root-ca-certificate-publisher/config, serviceaccount-token/config is the file's whole text, read when it is asked for", () => {
    const path = file("ca.crt", "not yet");
    const settings = lazySettings(withFiles(path), client);
    writeFileSync(path, `a comment\n${cert}`);
    expect(settings.rootCa).toBe(`a comment\n${cert}`);
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
    expect(() => lazySettings(withFiles(path), client).rootCa).toThrow(
      `error parsing root-ca-file at ${path}: ${problem}`,
    );
  });

  it("root-ca-certificate-publisher/config refuses a file that is not there", () => {
    const path = join(directory, "missing");
    expect(() => lazySettings(withFiles(path), client).rootCa).toThrow(
      `error parsing root-ca-file at ${path}: open ${path}: no such file or directory`,
    );
  });

  it("root-ca-certificate-publisher/config, serviceaccount-token/config is the client's own without a file", () => {
    expect(lazySettings(withFiles(""), { ...client, certificateAuthorityData: cert }).rootCa).toBe(cert);
  });

  it("root-ca-certificate-publisher/traps is empty when the client names its CA by a file", () => {
    const certificateAuthority = file("client-ca.crt", cert);
    expect(lazySettings(withFiles(""), { ...client, certificateAuthority }).rootCa).toBe("");
  });
});

describe("the key of tokens", () => {
  it("serviceaccount-token/about is absent without a file", () => {
    expect("signToken" in lazySettings(withFiles(""), client)).toBe(false);
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
    const settings = lazySettings(withFiles("", file("bad.key", text)), client);
    expect(() => settings.signToken).toThrow(problem);
  });
});

describe("the leader migration file", () => {
  const head = "apiVersion: controllermanager.config.k8s.io/v1alpha1\nkind: LeaderMigrationConfiguration\n";
  const migration = (text?: string) => {
    const Generic = { ...defaultConfig.Generic, LeaderMigrationEnabled: true };
    const leaderMigrationConfigFile = text === undefined ? "" : file("migration.yaml", text);
    return readMigration({ ...defaultOptions, config: { ...defaultConfig, Generic }, leaderMigrationConfigFile });
  };

  it("machinery/8.r3, machinery/3.3.4 is a default without a file, and nothing when it is off", async () => {
    expect(await readMigration(defaultOptions)).toBeUndefined();
    expect((await migration())?.leaderName).toBe("cloud-provider-extraction-migration");
  });

  it("machinery/8.r3, machinery/3.3.3 is YAML", async () => {
    const leaders = "controllerLeaders:\n  - name: route-controller\n    component: kube-controller-manager\n";
    expect(await migration(`${head}leaderName: x\nresourceLock: endpoints\n${leaders}`)).toEqual({
      leaderName: "x",
      resourceLock: "endpoints",
      controllerLeaders: [{ name: "route-controller", component: "kube-controller-manager" }],
    });
  });

  it.each([
    { what: "nothing", text: "" },
    { what: "another kind", text: "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" },
    { what: "an unknown field", text: `${head}leaderName: x\nresourceLock: leases\nfoo: bar\n` },
    { what: "a field twice", text: `${head}leaderName: x\nresourceLock: leases\nresourceLock: endpoints\n` },
  ])("machinery/8.r3, machinery/3.3.3 refuses $what", async ({ text }) => {
    await expect(migration(text)).rejects.toThrow();
  });
});
