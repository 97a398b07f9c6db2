// Who may approve, sign and attest for a signer, and which client certificates are refused.
// Upstream: plugin/pkg/admission/certificates; pkg/certauthorization; pkg/registry/certificates/podcertificaterequest

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import type { ClusterTrustBundle, PodCertificateRequest } from "#api/generated/types/certificates-v1beta1.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { newInvalid } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import { parseRequest } from "#api/x509/certificate-request.ts";
import { errorMessage } from "#base/errors.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const GROUP = "certificates.k8s.io";
const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";

const isAbout = ({ resource }: AdmissionAttributes, name: string): boolean =>
  resource.group === GROUP && resource.resource === name;

/** Permission for this signer, or for all signers of its domain. */
async function mayActFor(
  core: ServerCore,
  user: UserInfo,
  verb: "approve" | "sign" | "attest",
  signerName: string,
  signal: AbortSignal,
): Promise<boolean> {
  const place = { group: GROUP, version: "*", resource: "signers", subresource: "", namespace: "" };
  for (const name of [signerName, `${signerName.split("/")[0]}/*`]) {
    const { isAllowed } = await core.kindServer.authorize(user, { verb, ...place, name }, signal);
    if (isAllowed) return true;
  }
  return false;
}

export function certificateApproval(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    handles: (attributes) =>
      attributes.operation === "UPDATE" &&
      attributes.subresource === "approval" &&
      isAbout(attributes, "certificatesigningrequests"),
    async validate(attributes, signal) {
      const { signerName } = (attributes.oldObject as CertificateSigningRequest).spec;
      if (await mayActFor(core(), attributes.user, "approve", signerName, signal)) return;
      throw admissionForbidden(
        attributes,
        `user not permitted to approve requests with signerName ${goQuote(signerName)}`,
      );
    },
  };
}

export function certificateSigning(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    handles: (attributes) =>
      attributes.operation === "UPDATE" &&
      attributes.subresource === "status" &&
      isAbout(attributes, "certificatesigningrequests"),
    async validate(attributes, signal) {
      const { status } = attributes.object as CertificateSigningRequest;
      const { status: old, spec } = attributes.oldObject as CertificateSigningRequest;
      if (semanticEqual(status ?? {}, old ?? {})) return;
      if (await mayActFor(core(), attributes.user, "sign", spec.signerName, signal)) return;
      const why = `user not permitted to sign requests with signerName ${goQuote(spec.signerName)}`;
      throw admissionForbidden(attributes, why);
    },
  };
}

/** Upstream makes this check in the strategy, immediately before admission. */
export function podCertificateSigning(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "PodCertificateSigning",
    handles: (attributes) =>
      attributes.operation === "UPDATE" &&
      attributes.subresource === "status" &&
      isAbout(attributes, "podcertificaterequests"),
    async validate(attributes, signal) {
      const { status } = attributes.object as PodCertificateRequest;
      const { status: old, spec } = attributes.oldObject as PodCertificateRequest;
      if (semanticEqual(status ?? {}, old ?? {})) return;
      const { user, name } = attributes;
      if (await mayActFor(core(), user, "sign", spec.signerName, signal)) return;
      const why = `User ${goQuote(user.name)} is not permitted to "sign" for signer ${goQuote(spec.signerName)}`;
      const kind = { group: GROUP, kind: "PodCertificateRequest" };
      throw newInvalid(kind, name, [field.forbidden(field.newPath("spec", "signerName"), why)]);
    },
  };
}

export function clusterTrustBundleAttest(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "ClusterTrustBundleAttest",
    handles: (attributes) =>
      (attributes.operation === "CREATE" || attributes.operation === "UPDATE") &&
      isAbout(attributes, "clustertrustbundles") &&
      core().gates.isEnabled("ClusterTrustBundle"),
    async validate(attributes, signal) {
      const bundle = attributes.object as ClusterTrustBundle;
      const signerName = bundle.spec.signerName ?? "";
      // Storage migrations and the garbage collector need no permission.
      if (signerName === "" || isOnlyHousekeeping(bundle as KubeObject, attributes.oldObject)) return;
      if (await mayActFor(core(), attributes.user, "attest", signerName, signal)) return;
      throw admissionForbidden(attributes, `user not permitted to attest for signerName ${goQuote(signerName)}`);
    },
  };
}

function isOnlyHousekeeping(object: KubeObject, old: KubeObject | undefined): boolean {
  const without = ({ metadata, ...rest }: KubeObject): object => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...meta } = metadata ?? {};
    return { ...rest, metadata: meta };
  };
  return old !== undefined && semanticEqual(without(object), without(old));
}

export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    name: "CertificateSubjectRestriction",
    handles: (attributes) =>
      attributes.operation === "CREATE" &&
      attributes.subresource === "" &&
      isAbout(attributes, "certificatesigningrequests"),
    validate(attributes) {
      const { signerName, request } = (attributes.object as CertificateSigningRequest).spec;
      if (signerName !== CLIENT_SIGNER || !organizationsOf(attributes, request).includes("system:masters")) return;
      const why = `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`;
      throw admissionForbidden(attributes, why);
    },
  };
}

function organizationsOf(attributes: AdmissionAttributes, request: string): readonly string[] {
  try {
    return parseRequest(request).subject.organization;
  } catch (error) {
    throw admissionForbidden(attributes, `failed to parse CSR: ${errorMessage(error)}`);
  }
}
