/**
 * Approves the requests of kubelets for client certificates, if their user is authorized.
 *
 * Keeps true:  an undecided request of a kubelet for a client certificate is approved as soon as a SubjectAccessReview
 *              says that its user may create the subresource selfnodeclient or nodeclient.
 * Requeues:    a request whose user is not authorized, with back-off from 200 ms to 1000 s, because roles may change.
 * Deviations:  none.
 * Upstream:    pkg/controller/certificates/approver/sarapprove.go.
 */

import { SubjectAccessReviews } from "#api/generated/resources/authorization-v1.ts";
import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import { workOnRequests } from "#families/certificates/request-workers.ts";
import { create, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { approve } from "./sync.ts";

export const requestApprover: ControllerDescriptor = keyedController({
  name: "certificatesigningrequest-approving-controller",
  contract: {
    watches: [CertificateSigningRequests],
    reads: [],
    writes: [create(SubjectAccessReviews), update(CertificateSigningRequests, "approval")],
  },
  build(parts) {
    const { client } = parts;
    const deps = { client, requestsApi: client.resource(CertificateSigningRequests) };
    workOnRequests(parts, (request, signal) => approve(request, deps, signal));
  },
});
