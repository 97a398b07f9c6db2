// Pod certificate requests, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const STUB =
  "MH8wMwIBADAAMCowBQYDK2VwAyEAsnKYlRTS3DPCh4ycGDkGDirF6jSVVDICHhC1fekPaKmgADAFBgMrZXADQQCOgwljsd0qLIUpsZQjfA/O9CXIAUUASQBwTw7b7xpQDaTBgTd9uoM8sopQKBPN/lkoXeHGDTsI0r8R6gx7kDwF";
const PUBLIC_KEY = "MCowBQYDK2VwAyEAsnKYlRTS3DPCh4ycGDkGDirF6jSVVDICHhC1fekPaKk=";
/** The signature of the pod's UID with the key. */
const PROOF = "j+2eUFtV3bVB+AdH4DC3O1bK2QfIRXal3Ti6//OlhnT1Skxyfg7iXLZnEp5bs5GdSlS4QPEHiU7L3Mqcim+XCA==";
const CHAIN =
  "-----BEGIN CERTIFICATE-----\n" +
  "MIHaMIGNoAMCAQICAQcwBQYDK2VwMA4xDDAKBgNVBAMTA3BvZDAeFw0yNjAxMDIw\n" +
  "MzA0MDVaFw0yNjAxMDIwNTA0MDVaMA4xDDAKBgNVBAMTA3BvZDAqMAUGAytlcAMh\n" +
  "ALJymJUU0twzwoeMnBg5Bg4qxeo0lVQyAh4QtX3pD2ipoxAwDjAMBgNVHRMBAf8E\n" +
  "AjAAMAUGAytlcANBAIbAyPF/kKzsqMa7YCxLG6SDfjdr6vbQgWbjF7fYRMjsxw1x\n" +
  "T+tGa62gc9QmSqXlpOj9Gu/g4P0WfSG9xXkZYQ0=\n" +
  "-----END CERTIFICATE-----\n";

const spec = {
  signerName: "example.com/signer",
  podName: "pod",
  podUID: "pod-uid",
  serviceAccountName: "sa",
  serviceAccountUID: "sa-uid",
  nodeName: "node",
  nodeUID: "node-uid",
  stubPKCS10Request: STUB,
};
const byKey = { ...spec, stubPKCS10Request: undefined, pkixPublicKey: PUBLIC_KEY, proofOfPossession: PROOF };
const condition = {
  type: "Denied",
  status: "True",
  reason: "R",
  message: "m",
  lastTransitionTime: "2026-01-02T00:00:00Z",
};
const times = {
  notBefore: "2026-01-02T03:04:05Z",
  beginRefreshAt: "2026-01-02T04:04:05Z",
  notAfter: "2026-01-02T05:04:05Z",
};

export const podCertificateRequests: KindRow = {
  label: "PodCertificateRequest",
  apiVersion: "certificates.k8s.io/v1beta1",
  kind: "PodCertificateRequest",
  resource: "podcertificaterequests",
  minimal: { spec },
  full: {
    spec: { ...byKey, maxExpirationSeconds: 7200, unverifiedUserAnnotations: { "example.com/a": "b" } },
    status: { conditions: [condition] },
  },
  invalid: [
    {},
    { spec: { ...spec, stubPKCS10Request: undefined } },
    { spec: { ...spec, stubPKCS10Request: btoa("no request") } },
    { spec: { ...byKey, stubPKCS10Request: STUB } },
    { spec: { ...byKey, proofOfPossession: btoa("no proof") } },
    { spec: { ...byKey, pkixPublicKey: btoa("no key") } },
    { spec: { ...byKey, podUID: "other" } },
    { spec: { ...spec, signerName: "example.com" } },
    { spec: { ...spec, podName: "Bad Name", podUID: "", serviceAccountName: "", serviceAccountUID: "" } },
    { spec: { ...spec, nodeName: "Bad Name", nodeUID: "x".repeat(129) } },
    { spec: { ...spec, maxExpirationSeconds: 3599 } },
    { spec: { ...spec, maxExpirationSeconds: 7_862_401 } },
    { spec: { ...spec, signerName: "kubernetes.io/some", maxExpirationSeconds: 86_401 } },
    { spec: { ...spec, unverifiedUserAnnotations: { "bad key": "x" } } },
  ],
  updates: [
    { spec: { maxExpirationSeconds: 7200 } },
    { spec: { podName: "other" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [{ ...condition, type: "Pending" }] },
    { conditions: [{ ...condition, status: "False" }] },
    { conditions: [condition, { ...condition, type: "Failed" }] },
    { certificateChain: CHAIN, ...times },
    { conditions: [{ ...condition, type: "Issued" }] },
    { conditions: [{ ...condition, type: "Issued" }], certificateChain: btoa("no PEM"), ...times },
    { conditions: [condition] },
    { conditions: [{ ...condition, type: "Failed" }] },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { x: "y" } }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { spec: { ...spec, maxExpirationSeconds: 7200 } },
};
