// Who may approve, sign and attest. The authorizer allows everything except what a test names.

import { describe, expect, it } from "vitest";
import { startTestServer, type TestClient } from "../testing.ts";
import { defaultPlugins } from "./default-plugins.ts";

const ROOT = "/apis/certificates.k8s.io";
const REQUESTS = `${ROOT}/v1/certificatesigningrequests`;
const BUNDLES = `${ROOT}/v1beta1/clustertrustbundles`;
/** A request for CN=root with O=system:masters. */
const MASTERS_REQUEST =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHbk1Gc0NBUUF3S0RFWE1CVUdBMVVFQ2d3T2MzbHpkR1Z0T20xaGMzUmxjbk14RFRBTEJnTlZCQU1NQkhKdgpiM1F3S2pBRkJnTXJaWEFESVFDbHFaOElINXJRVTYrdnlFcGtkWEttVkRhSnBXbVhYMFZkRjNYbUpFMmlhYUFBCk1BVUdBeXRsY0FOQkFFT1pneERTQzltMjFpZEFKOHRrVnNLRXREMXFub2wxSktHeW1xRE04a3dLS2Y2NlBwNHQKQjNNazV1NUhDU2FMeDViQ0tnMWdBUlIyZ2VWUDhCTGFVd289Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

/** allowed: permissions on signers, such as "sign example.com/*". */
function start(allowed: readonly string[]): TestClient {
  return startTestServer({
    admission: defaultPlugins,
    runtimeConfig: { "certificates.k8s.io/v1beta1": "true" },
    gates: { isEnabled: (gate) => gate === "ClusterTrustBundle" },
    authorizer: {
      authorize({ info }) {
        if (!info.isResourceRequest || info.resource !== "signers") return { isAllowed: true };
        const isAllowed = allowed.includes(`${info.verb} ${info.name}`);
        return isAllowed ? { isAllowed } : { isAllowed, reason: "" };
      },
    },
  }).bytes;
}

const create = (client: TestClient, signerName = "example.com/signer") =>
  client.post(REQUESTS, {
    metadata: { name: "a" },
    spec: { request: MASTERS_REQUEST, signerName, usages: ["client auth"] },
  });
const approval = { status: { conditions: [{ type: "Approved", status: "True" }] } };
const failure = { status: { conditions: [{ type: "Failed", status: "True" }] } };

describe("machinery/7.3.r11 the admission of certificates", () => {
  it.each([
    { allowed: [], status: 403 },
    { allowed: ["sign example.com/signer"], status: 403 },
    { allowed: ["approve example.com/signer"], status: 200 },
    { allowed: ["approve example.com/*"], status: 200 },
  ])("CertificateApproval: with $allowed an approval answers $status", async ({ allowed, status }) => {
    const client = start(allowed);
    await create(client);
    const answer = await client.patch(`${REQUESTS}/a/approval`, "merge", approval);
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to approve requests with signerName "example.com/signer"',
    );
  });

  it("CertificateSigning: a status change needs the permission to sign", async () => {
    const client = start([]);
    await create(client);
    const labels = { metadata: { labels: { a: "b" } } };
    expect((await client.patch(`${REQUESTS}/a/status`, "merge", labels)).status).toBe(200);
    const refused = await client.patch(`${REQUESTS}/a/status`, "merge", failure);
    expect(refused.body.message).toContain('user not permitted to sign requests with signerName "example.com/signer"');
    const signer = start(["sign example.com/signer"]);
    await create(signer);
    expect((await signer.patch(`${REQUESTS}/a/status`, "merge", failure)).status).toBe(200);
  });

  it("CertificateSubjectRestriction: no client certificate may be requested for system:masters", async () => {
    const client = start([]);
    const refused = await create(client, "kubernetes.io/kube-apiserver-client");
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    ]);
    expect((await create(client)).status).toBe(201);
  });

  it("ClusterTrustBundleAttest: a bundle of a signer needs the permission to attest", async () => {
    const bundle = { metadata: { name: "example.com:signer:a" }, spec: { signerName: "example.com/signer" } };
    const refused = await start([]).post(BUNDLES, { ...bundle, spec: { ...bundle.spec, trustBundle: CA } });
    expect(refused.body.message).toContain('user not permitted to attest for signerName "example.com/signer"');
    const client = start(["attest example.com/*"]);
    expect((await client.post(BUNDLES, { ...bundle, spec: { ...bundle.spec, trustBundle: CA } })).status).toBe(201);
    expect((await start([]).post(BUNDLES, { metadata: { name: "b" }, spec: { trustBundle: CA } })).status).toBe(201);
  });
});

const CA = atob(
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJNRENCNDZBREFnRUNBaFFmMWU1VHlQUVdTQlROdmFRSkFOK0JOODZocERBRkJnTXJaWEF3RGpFTU1Bb0cKQTFVRUF3d0RkMlZpTUI0WERUSTJNVEV4TmpFeE1EQTBOMW9YRFRRMk1URXhNVEV4TURBME4xb3dEakVNTUFvRwpBMVVFQXd3RGQyVmlNQ293QlFZREsyVndBeUVBcGFtZkNCK2EwRk92cjhoS1pIVnlwbFEyaWFWcGwxOUZYUmQxCjVpUk5vbW1qVXpCUk1CMEdBMVVkRGdRV0JCVFRhWFJhWUhXaCs5ZWRKTHlPaG15ajZQeUxXREFmQmdOVkhTTUUKR0RBV2dCVFRhWFJhWUhXaCs5ZWRKTHlPaG15ajZQeUxXREFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQVVHQXl0bApjQU5CQU9jRFFQSlU5Y2JqK3ZTend5THc2b0s3d29BVk5ZZHA0NjB0MGJTZ2dNMjFaMVl4RVY5eGJsamY2NSt2CmRvZklCd3FyQzY4aDZDZkordVhEbk9pby9BYz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=",
);
