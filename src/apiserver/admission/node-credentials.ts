// The tokens and certificates that a kubelet may request: those of pods on its node.
// Upstream: plugin/pkg/admission/noderestriction, admitServiceAccount, admitPodCertificateRequest

import type { TokenRequest } from "#api/generated/types/authentication-v1.ts";
import type { PodCertificateRequest } from "#api/generated/types/certificates-v1beta1.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from "#api/generated/types/core-v1.ts";
import type { CSIDriver } from "#api/generated/types/storage-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { bareFailure } from "#api/status-error.ts";
import { aggregateText, errorMessage } from "#base/errors.ts";
import { type AdmissionAttributes, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { fromLister } from "./lister.ts";

export async function checkNodeToken(
  core: ServerCore,
  attributes: AdmissionAttributes,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  if (attributes.operation !== "CREATE" || attributes.subresource !== "token") return;
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  const { spec = { audiences: [] } } = attributes.object as unknown as TokenRequest;
  const { apiVersion, kind, name = "", uid = "" } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") refuse("node requested token not bound to a pod");
  if (uid === "") refuse("node requested token with a pod binding without a uid");
  const pod = fromLister(core, "pods", attributes.namespace, name) as Pod;
  if (uid !== pod.metadata?.uid) {
    const mismatch = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    refuse(`${mismatch}. The object might have been deleted and then recreated`);
  }
  if (pod.spec?.nodeName !== node) refuse("node requested token bound to a pod scheduled on a different node");
  if (!core.gates.isEnabled("ServiceAccountNodeAudienceRestriction")) return;
  const audiences = spec.audiences ?? [];
  if (audiences.length > 1) refuse("node may only request 0 or 1 audiences");
  const [audience = ""] = audiences;
  const { isFound, problems } = audienceInPod(core, pod, audience);
  if (isFound) return;
  if (problems.length > 0) refuse(`error validating audience ${goQuote(audience)}: ${aggregateText(problems)}`);
  const verb = "request-serviceaccounts-token-audience";
  const { user, namespace, name: account } = attributes;
  const place = { group: "", version: "v1", resource: audience, subresource: "", namespace, name: account };
  if ((await core.kindServer.authorize(user, { verb, ...place }, signal)).isAllowed) return;
  const who = `${user.name} is not authorized to request tokens for this audience`;
  refuse(`audience ${goQuote(audience)} not found in pod spec volume, ${who}`);
}

interface AudienceSearch {
  readonly isFound: boolean;
  readonly problems: readonly string[];
}

/** Searches the projected tokens of the pod, and the token requests of its volumes' CSI drivers. */
function audienceInPod(core: ServerCore, pod: Pod, audience: string): AudienceSearch {
  const problems: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    const tokens = (volume.projected?.sources ?? []).map(({ serviceAccountToken }) => serviceAccountToken);
    if (tokens.some((token) => token !== undefined && (token.audience ?? "") === audience)) {
      return { isFound: true, problems };
    }
    try {
      const driver = driverOf(core, pod, volume);
      const requests = driver === "" ? [] : requestsOf(core, driver);
      if (requests.some((request) => (request.audience ?? "") === audience)) return { isFound: true, problems };
    } catch (error) {
      problems.push(errorMessage(error));
    }
  }
  return { isFound: false, problems };
}

const requestsOf = (core: ServerCore, driver: string) =>
  (fromLister(core, "csidrivers.storage.k8s.io", "", driver) as CSIDriver).spec.tokenRequests ?? [];

/** Deviation: volumes of in-tree plugins have no driver; upstream translates them to CSI. */
function driverOf(core: ServerCore, pod: Pod, { name, csi, ephemeral, persistentVolumeClaim }: Volume): string {
  if (csi) return csi.driver;
  const claimName = ephemeral?.volumeClaimTemplate ? `${pod.metadata?.name}-${name}` : persistentVolumeClaim?.claimName;
  if (claimName === undefined) return "";
  const namespace = pod.metadata?.namespace ?? "";
  const claim = fromLister(core, "persistentvolumeclaims", namespace, claimName) as PersistentVolumeClaim;
  const volume = fromLister(core, "persistentvolumes", "", claim.spec?.volumeName ?? "") as PersistentVolume;
  return volume.spec?.csi?.driver ?? "";
}

export function checkNodeCertificateRequest(core: ServerCore, attributes: AdmissionAttributes, node: string): void {
  const { operation, subresource, namespace } = attributes;
  const refuse = (why: string): never => {
    throw admissionForbidden(attributes, why);
  };
  // These return a 500, so that the client retries: upstream's cache may lag.
  const retry = (why: string): never => {
    throw bareFailure(500, "", why);
  };
  if (!core.gates.isEnabled("PodCertificateRequest")) refuse("PodCertificateRequest feature gate is disabled");
  if (operation !== "CREATE") refuse(`unexpected operation ${operation}`);
  if (subresource !== "") refuse(`unexpected subresource ${subresource}`);
  const { spec } = attributes.object as PodCertificateRequest;
  if (spec.nodeName !== node) {
    const given = `PodCertificateRequest.Spec.NodeName=${goQuote(spec.nodeName)}`;
    refuse(`${given}, which is not the requesting node ${goQuote(node)}`);
  }
  const find = (key: string, inNamespace: string, name: string, what: string): KubeObject => {
    try {
      return fromLister(core, key, inNamespace, name);
    } catch (error) {
      const shown = goQuote(inNamespace === "" ? name : `${inNamespace}/${name}`);
      return retry(`while retrieving ${what} ${shown} named in the PodCertificateRequest: ${errorMessage(error)}`);
    }
  };
  const podName = goQuote(`${namespace}/${spec.podName}`);
  const nodeUid = find("nodes", "", spec.nodeName, "node").metadata?.uid ?? "";
  if (nodeUid !== spec.nodeUID) {
    const names = `names node UID ${goQuote(spec.nodeUID)}, inconsistent with the running node (${goQuote(nodeUid)})`;
    retry(`PodCertificateRequest for pod ${podName} ${names}`);
  }
  const pod = find("pods", namespace, spec.podName, "pod") as Pod;
  const podUid = pod.metadata?.uid ?? "";
  if (spec.podUID !== podUid) {
    const differs = `contains pod UID (${goQuote(spec.podUID)}) which differs from running pod ${goQuote(podUid)}`;
    retry(`PodCertificateRequest for pod ${podName} ${differs}`);
  }
  if (pod.spec?.nodeName !== spec.nodeName) {
    refuse(`pod ${podName} is not running on node ${goQuote(spec.nodeName)} named in the PodCertificateRequest`);
  }
  if (pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined)
    refuse(`pod ${podName} is a mirror pod`);
  const account = pod.spec?.serviceAccountName ?? "";
  if (spec.serviceAccountName !== account) {
    const given = `contains serviceAccountName (${goQuote(spec.serviceAccountName)})`;
    refuse(`PodCertificateRequest for pod ${podName} ${given} that differs from running pod (${goQuote(account)})`);
  }
  const accountUid = find("serviceaccounts", namespace, account, "service account").metadata?.uid ?? "";
  if (spec.serviceAccountUID !== accountUid) {
    const names = `names service account UID ${goQuote(spec.serviceAccountUID)}`;
    retry(
      `PodCertificateRequest for pod ${podName} ${names}, which differs from the running service account (${goQuote(accountUid)})`,
    );
  }
}
