// Certificate signing requests, as the real server judges them: with their approval and their certificate.

import type { JudgeCase, Step } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { captureVersion, del, get, merge, patch, post, put } from "../steps.ts";

/** Of CN=system:node:a in O=system:nodes, CN=root in O=system:masters, and CN=web with alternative names. */
const NODE =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHdU1HSUNBUUF3THpFVk1CTUdBMVVFQ2d3TWMzbHpkR1Z0T201dlpHVnpNUll3RkFZRFZRUUREQTF6ZVhOMApaVzA2Ym05a1pUcGhNQ293QlFZREsyVndBeUVBcGFtZkNCK2EwRk92cjhoS1pIVnlwbFEyaWFWcGwxOUZYUmQxCjVpUk5vbW1nQURBRkJnTXJaWEFEUVFETXM5V1NmOVJXVkdkdVNBYjQwazk5SEYycTFZd2RVTENXc1kvNWIzU0wKb3NUWEN6ZEMvMk5MYVpJdFExWk1BN0tEbmtXdnZORGNDM3RQMkc5RXB5b0YKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
const MASTERS =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHbk1Gc0NBUUF3S0RFWE1CVUdBMVVFQ2d3T2MzbHpkR1Z0T20xaGMzUmxjbk14RFRBTEJnTlZCQU1NQkhKdgpiM1F3S2pBRkJnTXJaWEFESVFDbHFaOElINXJRVTYrdnlFcGtkWEttVkRhSnBXbVhYMFZkRjNYbUpFMmlhYUFBCk1BVUdBeXRsY0FOQkFFT1pneERTQzltMjFpZEFKOHRrVnNLRXREMXFub2wxSktHeW1xRE04a3dLS2Y2NlBwNHQKQjNNazV1NUhDU2FMeDViQ0tnMWdBUlIyZ2VWUDhCTGFVd289Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
const WEB =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZU1JR1JBZ0VBTUE0eEREQUtCZ05WQkFNTUEzZGxZakFxTUFVR0F5dGxjQU1oQUtXcG53Z2ZtdEJUcjYvSQpTbVIxY3FaVU5vbWxhWmRmUlYwWGRlWWtUYUpwb0ZBd1RnWUpLb1pJaHZjTkFRa09NVUV3UHpBOUJnTlZIUkVFCk5qQTBnZzkzWldJdVpYaGhiWEJzWlM1amIyMkhCQW9BQUFHQkRXRkFaWGhoYlhCc1pTNWpiMjJHREhOd2FXWm0KWlRvdkwyRXZZakFGQmdNclpYQURRUUFTVjV1WXRrUytZQVZhQnBaRExNSC8vaVJOai9QdC96bW9wakQzS0pXRwpjL1haTFNlcG80Q1ljVHVldU9OS2Q5UXNLNUJnWktRUTdYRTh4WVJrTkdNTgotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
const CERTIFICATE =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJNRENCNDZBREFnRUNBaFFmMWU1VHlQUVdTQlROdmFRSkFOK0JOODZocERBRkJnTXJaWEF3RGpFTU1Bb0cKQTFVRUF3d0RkMlZpTUI0WERUSTJNVEV4TmpFeE1EQTBOMW9YRFRRMk1URXhNVEV4TURBME4xb3dEakVNTUFvRwpBMVVFQXd3RGQyVmlNQ293QlFZREsyVndBeUVBcGFtZkNCK2EwRk92cjhoS1pIVnlwbFEyaWFWcGwxOUZYUmQxCjVpUk5vbW1qVXpCUk1CMEdBMVVkRGdRV0JCVFRhWFJhWUhXaCs5ZWRKTHlPaG15ajZQeUxXREFmQmdOVkhTTUUKR0RBV2dCVFRhWFJhWUhXaCs5ZWRKTHlPaG15ajZQeUxXREFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQVVHQXl0bApjQU5CQU9jRFFQSlU5Y2JqK3ZTend5THc2b0s3d29BVk5ZZHA0NjB0MGJTZ2dNMjFaMVl4RVY5eGJsamY2NSt2CmRvZklCd3FyQzY4aDZDZkordVhEbk9pby9BYz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
/** The request of a node, its last byte changed. */
const TAMPERED = btoa(atob(NODE).replace("oF\n-----END", "oE\n-----END"));

const signerName = "example.com/signer";
const usages = ["digital signature", "client auth"];
const spec = { request: NODE, signerName, usages };
const collection = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const one = `${collection}/$ns-a`;

const row: KindRow = {
  label: "CertificateSigningRequest",
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  resource: "certificatesigningrequests",
  isClusterScoped: true,
  minimal: { spec },
  full: { spec: { ...spec, request: WEB, expirationSeconds: 3600, username: "other", groups: ["x"], uid: "1" } },
  invalid: [
    { spec: { ...spec, request: "" } },
    { spec: { ...spec, request: btoa("no PEM") } },
    { spec: { ...spec, request: CERTIFICATE } },
    { spec: { ...spec, request: TAMPERED } },
    { spec: { ...spec, usages: [] } },
    { spec: { ...spec, usages: ["any", "any", "bad"] } },
    { spec: { ...spec, signerName: "" } },
    { spec: { ...spec, signerName: "example.com" } },
    { spec: { ...spec, signerName: "kubernetes.io/legacy-unknown" } },
    { spec: { ...spec, expirationSeconds: 599 } },
    { spec: { ...spec, request: MASTERS, signerName: "kubernetes.io/kube-apiserver-client" } },
  ],
  updates: [
    { spec: { usages: ["any"] } },
    { spec: { username: "other" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [{ type: "Custom", status: "Unknown", reason: "R", message: "m" }] },
    { conditions: [{ type: "Approved", status: "True" }] },
    { conditions: [{ type: "Failed", status: "False" }] },
    { certificate: btoa("no PEM") },
    { certificate: NODE },
    { certificate: CERTIFICATE },
    { certificate: btoa(`${atob(CERTIFICATE)}\n`) },
  ],
  patches: {
    merge: { metadata: { labels: { a: "1" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { a: "2" } }],
    strategic: { metadata: { annotations: { a: "3" } } },
  },
  otherContent: { spec: { ...spec, usages: ["any"] } },
};

const created: Step = post(
  collection,
  { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name: "$ns-a" }, spec },
  captureVersion,
);
const decide = (...conditions: readonly object[]): Step => patch(`${one}/approval`, merge, { status: { conditions } });
const approved = { type: "Approved", status: "True", reason: "R", message: "m", lastTransitionTime: null };
const denied = { type: "Denied", status: "True", reason: "R" };

const approval: readonly JudgeCase[] = [
  {
    name: "CertificateSigningRequest: an approval stays",
    steps: [
      created,
      decide({ ...approved, status: "False" }),
      decide(approved, denied),
      decide({ type: "", status: "True" }),
      decide(approved),
      decide(),
      decide({ ...approved, reason: "other", lastUpdateTime: null }),
      patch(`${one}/status`, merge, { status: { conditions: [] } }),
      patch(`${one}/status`, merge, { status: { conditions: [denied] } }),
      patch(`${one}/approval`, merge, { status: { certificate: CERTIFICATE } }),
      get(`${one}/approval`),
      get(one),
      del(one),
    ],
  },
  {
    name: "CertificateSigningRequest: a PUT of the approval changes conditions alone",
    steps: [
      created,
      put(`${one}/approval`, {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name: "$ns-a", resourceVersion: "$rv", labels: { a: "b" } },
        spec: { ...spec, usages: ["any"] },
        status: { certificate: CERTIFICATE, conditions: [denied] },
      }),
      del(one),
    ],
  },
];

export const certificateSigningRequests: readonly JudgeCase[] = [...casesOf(row), ...approval];
