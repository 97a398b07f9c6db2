// Approved requests get a certificate, or the reason why their signer refuses them.

import { X509Certificate } from "node:crypto";
import { expect } from "vitest";
import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import { pemTextOf } from "#api/pem.ts";
import {
  API_SERVER_CLIENT,
  CLIENT_USAGES,
  createRequest,
  decide,
  KUBELET_CLIENT,
  KUBELET_SERVING,
  NODE,
  type RequestContent,
} from "#test/stage/certificate-requests.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const MINUTE_MS = 60_000;
const SERVING_USAGES = ["key encipherment", "digital signature", "server auth"];
const isSigned = ({ status }: CertificateSigningRequest): boolean => Boolean(status?.certificate);
const failureOf = ({ status }: CertificateSigningRequest) => status?.conditions?.find(({ type }) => type === "Failed");

/** Creates a request and approves it. */
async function approved(stage: Stage, content: RequestContent, spec: object, base = "csr"): Promise<string> {
  const name = stage.name(base);
  await createRequest(stage, name, content, spec);
  await decide(stage, name, "Approved");
  return name;
}

async function signed(stage: Stage, content: RequestContent, spec: object, base?: string): Promise<X509Certificate> {
  const name = await approved(stage, content, spec, base);
  const { status } = await stage.of(CertificateSigningRequests).until(name, isSigned);
  const pem = pemTextOf(status?.certificate);
  expect(pem.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
  return new X509Certificate(pem);
}

async function refused(
  stage: Stage,
  content: RequestContent,
  spec: object,
  message: string,
  base?: string,
): Promise<void> {
  const name = await approved(stage, content, spec, base);
  const request = await stage.of(CertificateSigningRequests).until(name, (each) => failureOf(each) !== undefined);
  expect(failureOf(request)).toMatchObject({ status: "True", reason: "SignerValidationFailure", message });
  expect(isSigned(request)).toBe(false);
}

const minutes = ({ validFrom, validTo }: X509Certificate): number =>
  (Date.parse(validTo) - Date.parse(validFrom)) / MINUTE_MS;

export const scenarios: readonly Scenario[] = scenariosOf(
  "certificatesigningrequest-signing-controller",
  { cast: "auth" },
  [
    {
      name: "certificatesigningrequest-signing/6, certificatesigningrequest-signing/12 signs a client certificate with its subject and names",
      async play(stage) {
        const content = {
          commonName: "jane",
          organizations: ["dev", "admins"],
          dnsNames: ["jane.example.com"],
          emailAddresses: ["jane@example.com"],
          ipAddresses: [[10, 0, 0, 1]],
        };
        const certificate = await signed(stage, content, { usages: CLIENT_USAGES });
        expect(certificate.issuer).toBe("CN=test-ca");
        expect(certificate.ca).toBe(false);
        expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
        expect(certificate.subjectAltName).toBe("DNS:jane.example.com, email:jane@example.com, IP Address:10.0.0.1");
      },
    },
    {
      name: "certificatesigningrequest-signing/4 signs a kubelet's serving certificate",
      async play(stage) {
        const content = { ...NODE, dnsNames: ["a.example.com"], ipAddresses: [[10, 0, 0, 7]] };
        const certificate = await signed(stage, content, { signerName: KUBELET_SERVING, usages: SERVING_USAGES });
        expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
        expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:a");
      },
    },
    {
      name: "certificatesigningrequest-signing/5 signs a kubelet's client certificate, also without key encipherment",
      async play(stage) {
        const name = stage.name("csr");
        const usages = ["digital signature", "client auth"];
        await createRequest(stage, name, NODE, { signerName: KUBELET_CLIENT, usages }); // approved by its controller
        const { status } = await stage.of(CertificateSigningRequests).until(name, isSigned);
        expect(new X509Certificate(pemTextOf(status?.certificate)).subjectAltName).toBeUndefined();
      },
    },
    {
      name: "certificatesigningrequest-signing/4, certificatesigningrequest-signing/8 refuses serving certificates that are not a kubelet's",
      async play(stage) {
        const spec = { signerName: KUBELET_SERVING, usages: SERVING_USAGES };
        const named = { ...NODE, dnsNames: ["a"] };
        await refused(stage, { ...named, organizations: [] }, spec, "subject organization is not system:nodes", "a");
        await refused(stage, NODE, spec, "DNS or IP subjectAltName is required", "b");
        const mail = { ...named, emailAddresses: ["a@b"] };
        await refused(stage, mail, spec, "Email subjectAltNames are not allowed", "c");
        const usages = "usages did not match [digital signature key encipherment server auth]";
        await refused(stage, named, { ...spec, usages: CLIENT_USAGES }, usages, "d");
        const name = "subject common name does not begin with system:node:";
        await refused(stage, { ...named, commonName: "a" }, spec, name, "e");
      },
    },
    {
      name: "certificatesigningrequest-signing/5, certificatesigningrequest-signing/8 refuses client certificates that are not a kubelet's",
      async play(stage) {
        const spec = { signerName: KUBELET_CLIENT, usages: CLIENT_USAGES };
        await refused(stage, { ...NODE, dnsNames: ["a"] }, spec, "DNS subjectAltNames are not allowed", "a");
        await refused(stage, { ...NODE, ipAddresses: [[1, 1, 1, 1]] }, spec, "IP subjectAltNames are not allowed", "b");
        const usages = "usages did not match [client auth digital signature key encipherment]";
        await refused(stage, NODE, { ...spec, usages: ["client auth"] }, usages, "c");
      },
    },
    {
      name: "certificatesigningrequest-signing/6, certificatesigningrequest-signing/8 refuses client certificates with other usages",
      async play(stage) {
        const usages = ["client auth", "server auth"];
        await refused(stage, {}, { usages }, "invalid usage for client certificate: server auth", "a");
        const missing = "missing required usage for client certificate: client auth";
        await refused(stage, {}, { usages: ["digital signature"] }, missing, "b");
      },
    },
    {
      name: "certificatesigningrequest-signing/2 waits for the approval, and signs no denied request",
      async play(stage) {
        const [waiting, denied] = [stage.name("waiting"), stage.name("denied")];
        await createRequest(stage, waiting, { commonName: "a" }, {});
        await createRequest(stage, denied, { commonName: "a" }, {});
        await decide(stage, denied, "Denied");
        await stage.settle();
        await stage.calm(async () => expect(await stage.writes()).toEqual([]));
        await decide(stage, waiting, "Approved");
        await stage.of(CertificateSigningRequests).until(waiting, isSigned);
        expect(isSigned(await stage.of(CertificateSigningRequests).get(denied))).toBe(false);
      },
    },
    {
      name: "certificatesigningrequest-signing/2 leaves requests of other signers alone",
      async play(stage) {
        const name = await approved(stage, { commonName: "a" }, { signerName: "example.com/signer" });
        await stage.settle();
        expect(isSigned(await stage.of(CertificateSigningRequests).get(name))).toBe(false);
        await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      },
    },
    {
      name: "certificatesigningrequest-signing/9, certificatesigningrequest-signing/10 signs for as long as a request asks",
      async play(stage) {
        const spec = { signerName: API_SERVER_CLIENT };
        const short = await signed(stage, { commonName: "a" }, { ...spec, expirationSeconds: 600 }, "short");
        expect(minutes(short)).toBe(15); // backdated by five minutes
        const long = await signed(stage, { commonName: "a" }, { ...spec, expirationSeconds: 8 * 3600 }, "long");
        expect(minutes(long)).toBe(8 * 60);
      },
    },
    {
      name: "certificatesigningrequest-signing/10 signs for no longer than the CA lives",
      async play(stage) {
        const days = 24 * 60;
        const certificate = await signed(stage, { commonName: "a" }, { expirationSeconds: 300 * 24 * 3600 });
        expect(Math.round(minutes(certificate) / days)).toBe(30);
      },
    },
    {
      name: "certificatesigningrequest-signing/1 signs a request once",
      async play(stage) {
        const before = await signed(stage, { commonName: "a" }, {});
        await stage.settle();
        const requests = stage.of(CertificateSigningRequests);
        await requests.patch(stage.name("csr"), { metadata: { labels: { a: "b" } } });
        await stage.settle();
        const { status } = await requests.get(stage.name("csr"));
        expect(new X509Certificate(pemTextOf(status?.certificate)).serialNumber).toBe(before.serialNumber);
        await stage.calm(async () => expect((await stage.writes()).length).toBe(1));
      },
    },
    {
      name: "certificatesigningrequest-signing/8 does not try a refused request again",
      async play(stage) {
        await refused(stage, {}, { usages: ["any"] }, "invalid usage for client certificate: any");
        await stage.settle();
        await stage.of(CertificateSigningRequests).patch(stage.name("csr"), { metadata: { labels: { a: "b" } } });
        await stage.settle();
        await stage.calm(async () => expect((await stage.writes()).length).toBe(1));
      },
    },
    {
      name: "certificatesigningrequest-signing/11 writes the subject anew: sets in order, an empty one with critical names",
      async play(stage) {
        const sets = await signed(stage, { organizations: ["b", "a", "ccc"], commonName: "é" }, {}, "sets");
        expect(sets.subject).toBe("O=a + O=b + O=ccc\nCN=é");
        const empty = await signed(stage, { dnsNames: ["only.example.com"] }, {}, "empty");
        expect([empty.subject ?? "", empty.subjectAltName]).toEqual(["", "DNS:only.example.com"]);
      },
    },
  ],
);
