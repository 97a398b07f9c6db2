// Certificates that our manager signs for OpenSSL's requests, with each kind of key: the API server, which verifies
// chains with Go's x509, accepts them, and OpenSSL verifies them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { ourDaemon } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { describeReal, eventually } from "./suite.ts";

const LIMIT_MS = 120_000;
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** OpenSSL arguments that generate a key. */
const keys: readonly (readonly [name: string, ...options: string[]])[] = [
  ["RSA", "-newkey", "rsa:2048"],
  ["ECDSA", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
  ["Ed25519", "-newkey", "ed25519"],
];

describeReal("certificates that our manager signs", () => {
  let plane: ControlPlane;
  const folder = mkdtempSync(join(tmpdir(), "steersman-signed-"));
  const openssl = (...options: string[]): string =>
    execFileSync("openssl", options, { encoding: "utf8", stdio: "pipe" });

  beforeAll(async () => {
    plane = await startControlPlane();
    await plane.startManager(ourDaemon, { controllers: ["certificatesigningrequest-signing-controller"] });
  }, LIMIT_MS);
  afterAll(async () => {
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  const sign = async (name: string, requestPem: string): Promise<string> => {
    await plane.request("POST", requests, {
      metadata: { name },
      spec: {
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["digital signature", "client auth"],
        request: btoa(requestPem),
      },
    });
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
    const headers = { "content-type": "application/merge-patch+json" };
    await plane.request("PATCH", `${requests}/${name}/approval`, { status: { conditions } }, headers);
    return eventually(async () => {
      const { status } = JSON.parse((await plane.request("GET", `${requests}/${name}`)).text);
      return status.certificate === undefined ? undefined : atob(status.certificate);
    });
  };

  it.each(keys)(
    "certificatesigningrequest-signing/12 for a key of %s open the API server, and OpenSSL verifies them",
    async (kind, ...options) => {
      const user = `${kind.toLowerCase()}-user`;
      const [keyFile, file] = [join(folder, `${kind}.key`), join(folder, `${kind}.crt`)];
      const request = openssl(
        "req",
        "-new",
        "-nodes",
        "-subj",
        `/O=testers/CN=${user}`,
        "-keyout",
        keyFile,
        ...options,
      );
      const certificatePem = await sign(user, request);
      writeFileSync(file, certificatePem);
      expect(openssl("verify", "-CAfile", plane.pki.file("ca.crt"), "-purpose", "sslclient", file)).toBe(
        `${file}: OK\n`,
      );

      const answer = await callHttps({
        url: `${plane.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
        method: "POST",
        body: {},
        caPem: plane.pki.ca.certificatePem,
        client: { certificatePem, keyPem: readFileSync(keyFile, "utf8") },
      });
      expect(JSON.parse(answer.text).status.userInfo).toMatchObject({
        username: user,
        groups: ["testers", "system:authenticated"],
      });
    },
    LIMIT_MS,
  );
});
