// The cleaners of certificate requests when a connection to the server fails. Their loops are not workers: an error that
// left one would end the program.

import { expect, it } from "vitest";
import { encodeBase64 } from "#api/base64.ts";
import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import { PodCertificateRequests } from "#api/generated/resources/certificates-v1beta1.ts";
import { pemBlocks } from "#api/pem.ts";
import { TransportError } from "#base/http.ts";
import { requestPem } from "#test/stage/certificate-requests.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

const HOUR_MS = 3_600_000;
const gates = { PodCertificateRequest: true };

async function open(controller: string): Promise<WireStage> {
  const server = { serverGates: gates, runtimeConfig: { "certificates.k8s.io/v1beta1": "true" } };
  const stage = await new WireStage({ controllers: [controller], ...server }).opened();
  return await stage.started({ gates });
}

/** The next deletion finds no server. */
function disconnect({ network }: WireStage, resource: string): void {
  network.before(`DELETE ${resource}`, () => {
    throw new TransportError("refused", "dial tcp: connect: connection refused");
  });
}

it("certificatesigningrequest-cleaner/3 continues when it cannot connect, and tries again in an hour", async () => {
  await using stage = await open("certificatesigningrequest-cleaner-controller");
  const requests = stage.of(CertificateSigningRequests);
  for (const name of ["one", "two"]) {
    const request = btoa(requestPem({ commonName: name }));
    await requests.create({
      metadata: { name },
      spec: { signerName: "example.com/signer", usages: ["client auth"], request },
    });
  }
  disconnect(stage, "certificatesigningrequests");
  await stage.pass(25 * HOUR_MS);
  expect((await requests.list()).map(({ metadata }) => metadata.name)).toEqual(["one"]);
  expect(stage.log()).toContain('unable to delete CSR \\"one\\": dial tcp: connect: connection refused');
  await stage.pass(HOUR_MS);
  expect(await requests.list()).toEqual([]);
});

it("podcertificaterequest-cleaner/2 continues when it cannot connect, and tries again in five minutes", async () => {
  await using stage = await open("podcertificaterequest-cleaner-controller");
  const requests = stage.of(PodCertificateRequests);
  const [block] = pemBlocks(requestPem({}));
  for (const name of ["one", "two"]) {
    await requests.create({
      metadata: { name },
      spec: {
        signerName: "example.com/signer",
        podName: "web",
        podUID: "pod-uid",
        serviceAccountName: "default",
        serviceAccountUID: "account-uid",
        nodeName: "node-a",
        nodeUID: "node-uid",
        stubPKCS10Request: encodeBase64(block?.bytes ?? new Uint8Array()),
      },
    });
  }
  disconnect(stage, "podcertificaterequests");
  await stage.pass(HOUR_MS / 3);
  expect((await requests.list()).map(({ metadata }) => metadata.name)).toEqual(["one"]);
  expect(stage.log()).toContain("Error while attempting to clean PodCertificateRequest");
  await stage.pass(HOUR_MS / 12);
  expect(await requests.list()).toEqual([]);
});
