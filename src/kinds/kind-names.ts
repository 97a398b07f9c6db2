// What a kind accepts as a name. Most ask for a DNS subdomain; here stand the others.
// Upstream: the name functions that pkg/apis/*/validation hand to ValidateObjectMeta

import type { CustomResourceDefinition } from "#api/generated/types/apiextensions-v1.ts";
import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import type { ClusterTrustBundle } from "#api/generated/types/certificates-v1beta1.ts";
import { byteLength, goQuote } from "#api/go-text.ts";
import {
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  type NameCheck,
} from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import { type GroupKind, groupKindText } from "#api/status-error.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { formatIp, isIpAddress, parseSloppyIp } from "#rules/ip.ts";

type CheckFor = (object: KubeObject, gates: FeatureGateReader) => NameCheck;

const always =
  (check: NameCheck): CheckFor =>
  () =>
    check;

// The server asks every name to be a path segment anyway.
const anything: CheckFor = always(() => []);
const pathSegment: CheckFor = always((value) => isPathSegmentName(value));

const CHECKS: ReadonlyMap<string, CheckFor> = new Map([
  ["Namespace", always(isDns1123Label)],
  ["Service", (_, gates) => (gates.isEnabled("RelaxedServiceNameValidation") ? isDns1123Label : isDns1035Label)],
  ["StatefulSet.apps", always(isDns1123Label)],
  ["CronJob.batch", always(cronJobName)],
  ["Role.rbac.authorization.k8s.io", pathSegment],
  ["RoleBinding.rbac.authorization.k8s.io", pathSegment],
  ["ClusterRole.rbac.authorization.k8s.io", pathSegment],
  ["ClusterRoleBinding.rbac.authorization.k8s.io", pathSegment],
  ["CertificateSigningRequest.certificates.k8s.io", anything],
  [
    "ClusterTrustBundle.certificates.k8s.io",
    (object) => trustBundleName((object as ClusterTrustBundle).spec?.signerName ?? ""),
  ],
  ["PodDisruptionBudget.policy", anything],
  ["IPAddress.networking.k8s.io", always(ipAddressName)],
  ["LeaseCandidate.coordination.k8s.io", always(isConfigMapKey)],
  ["StorageVersion.internal.apiserver.k8s.io", always(storageVersionName)],
  ["CustomResourceDefinition.apiextensions.k8s.io", customResourceName],
  ["APIService.apiregistration.k8s.io", apiServiceName],
]);

/** The check of this kind's names; where a name must agree with the rest of the object, of this object's. */
export function kindNameCheck(kind: GroupKind, object: KubeObject, gates: FeatureGateReader): NameCheck {
  return CHECKS.get(groupKindText(kind))?.(object, gates) ?? isDns1123Subdomain;
}

/** Jobs add eleven characters, and their pods' hostnames are cut at 63. */
function cronJobName(value: string): string[] {
  const errors = isDns1123Subdomain(value);
  return byteLength(value) > 52 ? [...errors, "must be no more than 52 characters"] : errors;
}

function trustBundleName(signerName: string): NameCheck {
  if (signerName === "") {
    return (value) =>
      value.includes(":")
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : isDns1123Subdomain(value);
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  return (value) =>
    value.startsWith(prefix)
      ? isDns1123Subdomain(value.slice(prefix.length))
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

export function ipAddressName(value: string): string[] {
  const ip = parseSloppyIp(value);
  if (ip === undefined) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  if (!isIpAddress(value)) return ["must not have leading 0s"];
  if (ip.isMapped) return ["must not be an IPv4-mapped IPv6 address"];
  const canonical = formatIp(ip.bytes);
  return value === canonical ? [] : [`must be in canonical form (${goQuote(canonical)})`];
}

function storageVersionName(value: string): string[] {
  const dot = value.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...isDns1123Subdomain(value.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...isDns1035Label(value.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

function customResourceName(object: KubeObject): NameCheck {
  const { names, group } = (object as CustomResourceDefinition).spec ?? {};
  return (value) =>
    value === `${names?.plural ?? ""}.${group ?? ""}`
      ? isDns1123Subdomain(value)
      : [...isDns1123Subdomain(value), 'must be spec.names.plural+"."+spec.group'];
}

function apiServiceName(object: KubeObject): NameCheck {
  const { version = "", group = "" } = (object as APIService).spec ?? {};
  const required = `${version}.${group}`;
  return (value) => {
    const errors = isPathSegmentName(value);
    if (errors.length > 0 || value === required) return errors;
    return [`must be \`spec.version+"."+spec.group\`: ${goQuote(required)}`];
  };
}
