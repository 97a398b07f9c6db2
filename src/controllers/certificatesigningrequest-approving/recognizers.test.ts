import { describe, expect, it } from "vitest";
import type { CertificateSigningRequestSpec } from "#api/generated/types/certificates-v1.ts";
import { NO_NAMES } from "#api/x509/alternative-names.ts";
import type { CertificateRequest } from "#api/x509/certificate-request.ts";
import { recognizersOf } from "./recognizers.ts";

const NO_ATTRIBUTES = {
  country: [],
  province: [],
  locality: [],
  streetAddress: [],
  postalCode: [],
  organizationalUnit: [],
  serialNumber: "",
};
const subject = { ...NO_ATTRIBUTES, organization: ["system:nodes"], commonName: "system:node:a" };
const signed = {
  algorithm: "unknown",
  key: { type: "unknown" },
  publicKey: new Uint8Array(),
  bytes: new Uint8Array(),
  signature: new Uint8Array(),
} as const;
const content: CertificateRequest = { subject, signed, ...NO_NAMES };
const spec: CertificateSigningRequestSpec = {
  request: "",
  signerName: "kubernetes.io/kube-apiserver-client-kubelet",
  usages: ["key encipherment", "digital signature", "client auth"],
  username: "system:node:a",
};

interface Case {
  readonly what: string;
  readonly spec?: Partial<CertificateSigningRequestSpec>;
  readonly subject?: Partial<CertificateRequest["subject"]>;
  readonly content?: Partial<CertificateRequest>;
  readonly permissions: readonly string[];
}

describe("certificatesigningrequest-approving/tests a request is recognized", () => {
  it.each<Case>([
    { what: "as a node's own", permissions: ["selfnodeclient", "nodeclient"] },
    {
      what: "without key encipherment",
      spec: { usages: ["digital signature", "client auth"] },
      permissions: ["selfnodeclient", "nodeclient"],
    },
    { what: "as that of another user", spec: { username: "tom" }, permissions: ["nodeclient"] },
    { what: "not without usages", spec: { usages: [] }, permissions: [] },
    { what: "not with one usage more", spec: { usages: [...(spec.usages ?? []), "server auth"] }, permissions: [] },
    { what: "not for another signer", spec: { signerName: "example.com/custom" }, permissions: [] },
    { what: "not with another name", subject: { commonName: "mike" }, permissions: [] },
    { what: "not of no organization", subject: { organization: [] }, permissions: [] },
    { what: "not of one organization more", subject: { organization: ["system:nodes", "master"] }, permissions: [] },
    { what: "not with DNS names", content: { dnsNames: ["a"] }, permissions: [] },
    { what: "not with e-mail addresses", content: { emailAddresses: ["a@b"] }, permissions: [] },
    { what: "not with addresses", content: { ipAddresses: [new Uint8Array(4)] }, permissions: [] },
    { what: "not with URIs", content: { uris: ["a:b"] }, permissions: [] },
  ])("$what", (row) => {
    const request = { ...content, ...row.content, subject: { ...subject, ...row.subject } };
    const recognizers = recognizersOf({ spec: { ...spec, ...row.spec } }, request);
    expect(recognizers.map(({ permission }) => permission)).toEqual(row.permissions);
  });
});
