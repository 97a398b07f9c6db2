// Limits the writes of a kubelet to its node, the pods there, and their related objects. Off by default.
// Upstream: plugin/pkg/admission/noderestriction

import { semanticEqual } from "#api/equality.ts";
import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import type { Node, PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceSlice } from "#api/generated/types/resource-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import type { UserInfo } from "#api/user-info.ts";
import { parseRequest } from "#api/x509/certificate-request.ts";
import { errorMessage } from "#base/errors.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { fromLister } from "./lister.ts";
import { checkNodeCertificateRequest, checkNodeToken } from "./node-credentials.ts";
import { forbiddenNodeLabels, referenceOf } from "./node-restriction-rules.ts";

const PREFIX = "system:node:";
const MIRROR = "kubernetes.io/config.mirror";
const KUBELET_SIGNERS = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];

/** Undefined if the user is not a node. */
function nodeOfUser({ name, groups = [] }: UserInfo): string | undefined {
  return name.startsWith(PREFIX) && groups.includes("system:nodes") ? name.slice(PREFIX.length) : undefined;
}

type Check = (
  core: ServerCore,
  attributes: AdmissionAttributes,
  node: string,
  signal: AbortSignal,
) => void | Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  "/pods": checkPod,
  "/nodes": checkNode,
  "/persistentvolumeclaims": checkClaim,
  "/serviceaccounts": checkNodeToken,
  "certificates.k8s.io/podcertificaterequests": checkNodeCertificateRequest,
  "coordination.k8s.io/leases": checkLease,
  "storage.k8s.io/csinodes": (_, attributes, node) => ownName(attributes, node, "CSINode"),
  "resource.k8s.io/resourceslices": checkSlice,
  "certificates.k8s.io/certificatesigningrequests": checkSigningRequest,
};

export function nodeRestriction(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    handles: ({ operation, user }) => operation !== "CONNECT" && nodeOfUser(user) !== undefined,
    async admit(attributes, signal) {
      const node = nodeOfUser(attributes.user) ?? "";
      if (node === "") {
        throw admissionForbidden(attributes, `could not determine node from user ${goQuote(attributes.user.name)}`);
      }
      const key = `${attributes.resource.group}/${attributes.resource.resource}`;
      if (Object.hasOwn(CHECKS, key)) await CHECKS[key]?.(core(), attributes, node, signal);
    },
  };
}

const storedPod = (core: ServerCore, { namespace }: AdmissionAttributes, name: string): Pod =>
  fromLister(core, "pods", namespace, name) as Pod;

function checkPod(core: ServerCore, attributes: AdmissionAttributes, node: string): void {
  const { operation, subresource, name } = attributes;
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  if (subresource === "status") {
    if (operation !== "UPDATE") refuse(`unexpected operation ${goQuote(operation)}`);
    checkPodStatus(attributes, node);
  } else if (subresource === "eviction") {
    if (operation !== "CREATE") refuse(`unexpected operation ${operation}`);
    const evicted = name || (attributes.object?.metadata?.name ?? "");
    if (evicted === "") refuse("could not determine pod from request data");
    if (storedPod(core, attributes, evicted).spec?.nodeName !== node) {
      refuse(`node ${node} can only evict pods with spec.nodeName set to itself`);
    }
  } else if (subresource !== "") {
    refuse(`unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`);
  } else if (operation === "CREATE") checkMirrorPod(core, attributes, node);
  else if (operation !== "DELETE") {
    const who = `node ${goQuote(node)} can only create and delete mirror pods`;
    refuse(`unexpected operation ${goQuote(operation)}, ${who}`);
  } else if (storedPod(core, attributes, name).spec?.nodeName !== node) {
    refuse(`node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`);
  }
}

function checkMirrorPod(core: ServerCore, attributes: AdmissionAttributes, node: string): void {
  const pod = attributes.object as Pod;
  const { annotations, ownerReferences: owners = [] } = pod.metadata ?? {};
  const who = `node ${goQuote(node)}`;
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  if (annotations?.[MIRROR] === undefined) {
    refuse(`pod does not have ${goQuote(MIRROR)} annotation, ${who} can only create mirror pods`);
  }
  if (pod.spec?.nodeName !== node) refuse(`${who} can only create pods with spec.nodeName set to itself`);
  if (owners.length > 1) refuse(`${who} can only create pods with a single owner reference set to itself`);
  const [owner] = owners;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    refuse(`${who} can only create pods with an owner reference set to itself`);
  }
  if (!owner?.controller) refuse(`${who} can only create pods with a controller owner reference set to itself`);
  if (owner?.blockOwnerDeletion) refuse(`${who} must not set blockOwnerDeletion on an owner reference`);
  const uid = fromLister(core, "nodes", "", node).metadata?.uid ?? "";
  if (owner?.uid !== uid) refuse(`node ${node} UID mismatch: expected ${owner?.uid} got ${uid}`);
  const reference = referenceOf(pod);
  if (reference === undefined) return;
  if ("problem" in reference) refuse(`error checking mirror pod for API references: ${reference.problem}`);
  else refuse(`${who} can not create pods that reference ${reference.resource}`);
}

function checkPodStatus(attributes: AdmissionAttributes, node: string): void {
  const [pod, old] = [attributes.object as Pod, attributes.oldObject as Pod];
  const who = `node ${goQuote(node)}`;
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, `${who} ${why}`);
  };
  if (old.spec?.nodeName !== node) refuse("can only update pod status for pods with spec.nodeName set to itself");
  if (!semanticEqual(pod.metadata?.labels ?? {}, old.metadata?.labels ?? {})) {
    refuse("cannot update labels through pod status");
  }
  if (!semanticEqual(pod.status?.resourceClaimStatuses, old.status?.resourceClaimStatuses)) {
    refuse("cannot update resource claim statues");
  }
  if (!semanticEqual(pod.status?.extendedResourceClaimStatus, old.status?.extendedResourceClaimStatus)) {
    refuse("cannot update extended resource claim status");
  }
}

function checkNode(_: ServerCore, attributes: AdmissionAttributes, node: string): void {
  const { operation, name } = attributes;
  const who = `node ${goQuote(node)}`;
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  if (name !== node) refuse(`${who} is not allowed to modify node ${goQuote(name)}`);
  if (operation !== "CREATE" && operation !== "UPDATE") return;
  const [given, old] = [attributes.object as Node, attributes.oldObject as Node | undefined];
  const source = given.spec?.configSource;
  const labels = forbiddenNodeLabels(given.metadata?.labels ?? {}, old?.metadata?.labels ?? {}).join(", ");
  if (old === undefined) {
    if (source) refuse(`${who} is not allowed to create pods with a non-nil configSource`);
    if (labels !== "") refuse(`${who} is not allowed to set the following labels: ${labels}`);
    return;
  }
  if (source && !semanticEqual(source, old.spec?.configSource)) {
    refuse(`${who} is not allowed to update configSource to a new non-nil configSource`);
  }
  if (!semanticEqual(given.spec?.taints, old.spec?.taints)) refuse(`${who} is not allowed to modify taints`);
  if (!semanticEqual(given.metadata?.ownerReferences, old.metadata?.ownerReferences)) {
    refuse(`${who} is not allowed to modify ownerReferences`);
  }
  if (labels !== "") refuse(`is not allowed to modify labels: ${labels}`);
}

/** The claim without the fields that the kubelet may write. */
function unmeasured(claim: PersistentVolumeClaim, isRecoveryOn: boolean): object {
  const { metadata = {}, status = {}, ...rest } = claim;
  const { resourceVersion: _, managedFields: __, ...meta } = metadata;
  const { capacity: ___, conditions: ____, allocatedResources, allocatedResourceStatuses, ...others } = status;
  const sizes = isRecoveryOn ? {} : { allocatedResources, allocatedResourceStatuses };
  return { ...rest, metadata: meta, status: { ...others, ...sizes } };
}

function checkClaim({ gates }: ServerCore, attributes: AdmissionAttributes, node: string): void {
  const { operation, subresource, object, oldObject } = attributes;
  if (subresource !== "status") throw admissionForbidden(attributes, "may only update PVC status");
  if (operation !== "UPDATE") throw admissionForbidden(attributes, `unexpected operation ${goQuote(operation)}`);
  const isRecoveryOn = gates.isEnabled("RecoverVolumeExpansionFailure");
  const [given, old] = [object as PersistentVolumeClaim, oldObject as PersistentVolumeClaim];
  if (semanticEqual(unmeasured(given, isRecoveryOn), unmeasured(old, isRecoveryOn))) return;
  // Deviation: upstream appends the difference.
  const why = "is not allowed to update fields other than status.quantity and status.conditions";
  throw admissionForbidden(attributes, `node ${goQuote(node)} ${why}`);
}

function ownName({ operation, object, name, ...rest }: AdmissionAttributes, node: string, what: string): void {
  const given = operation === "CREATE" ? object?.metadata?.name : name;
  if (given === node) return;
  const attributes = { operation, object, name, ...rest };
  throw admissionForbidden(attributes, `can only access ${what} with the same name as the requesting node`);
}

function checkLease(_: ServerCore, attributes: AdmissionAttributes, node: string): void {
  if (attributes.namespace !== "kube-node-lease") {
    throw admissionForbidden(attributes, 'can only access leases in the "kube-node-lease" system namespace');
  }
  ownName(attributes, node, "node lease");
}

function checkSlice(_: ServerCore, attributes: AdmissionAttributes, node: string): void {
  const { operation, object, oldObject } = attributes;
  if (operation !== "CREATE" && operation !== "DELETE") return;
  const slice = (operation === "CREATE" ? object : oldObject) as (KubeObject & ResourceSlice) | undefined;
  if (slice?.spec.nodeName === node) return;
  const why = `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
  throw admissionForbidden(attributes, why);
}

function checkSigningRequest({ gates }: ServerCore, attributes: AdmissionAttributes, node: string): void {
  if (attributes.operation !== "CREATE" || gates.isEnabled("AllowInsecureKubeletCertificateSigningRequests")) return;
  const { signerName, request } = (attributes.object as CertificateSigningRequest).spec;
  if (!KUBELET_SIGNERS.includes(signerName)) return;
  let commonName: string;
  try {
    commonName = parseRequest(request).subject.commonName;
  } catch (error) {
    throw admissionForbidden(attributes, `unable to parse csr: ${errorMessage(error)}`);
  }
  if (commonName === PREFIX + node) return;
  throw admissionForbidden(attributes, `can only create a node CSR with CN=${PREFIX}${node}`);
}
