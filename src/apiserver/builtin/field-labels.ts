// Which fields of a built-in kind a field selector may name, under which label, and how upstream
// words the refusal of others. Values are read from the stored form by path.
// Upstream: pkg/apis/*/v1/conversion.go, AddFieldLabelConversionFunc

import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { apiVersionOf } from "#api/object.ts";

export interface FieldLabels {
  /** The selectable field that a label of this version means; undefined for none. */
  fieldOf(label: string): string | undefined;
  unsupported(label: string): string;
}

const INVOLVED = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

const names = (...labels: string[]): Record<string, string> =>
  Object.fromEntries(labels.map((label): [string, string] => [label, label]));

const META = names("metadata.name", "metadata.namespace");
const NAME = names("metadata.name");

const POD = [
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.nominatedNodeName",
];

const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "v1/Pod": { ...META, ...names(...POD), "spec.host": "spec.nodeName" },
  "v1/Node": { ...NAME, ...names("spec.unschedulable") },
  "v1/ReplicationController": { ...META, ...names("status.replicas") },
  "v1/Namespace": { ...NAME, ...names("status.phase") },
  "v1/Secret": { ...META, ...names("type") },
  "v1/Service": { ...META, ...names("spec.clusterIP", "spec.type") },
  "v1/Event": {
    ...META,
    ...names(...INVOLVED.map((field) => `involvedObject.${field}`), "reason", "reportingComponent", "source", "type"),
  },
  "events.k8s.io/v1/Event": {
    ...META,
    ...names("reason", "type"),
    ...Object.fromEntries(INVOLVED.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
    reportingController: "reportingComponent",
  },
  "batch/v1/Job": { ...META, ...names("status.successful") },
  "certificates.k8s.io/v1/CertificateSigningRequest": { ...NAME, ...names("spec.signerName") },
  "certificates.k8s.io/v1beta1/ClusterTrustBundle": { ...NAME, ...names("spec.signerName") },
  "certificates.k8s.io/v1beta1/PodCertificateRequest": {
    ...NAME,
    ...names("spec.signerName", "spec.podName", "spec.nodeName"),
  },
  "resource.k8s.io/v1/ResourceSlice": { ...NAME, ...names("spec.nodeName", "spec.driver") },
};

export function fieldLabelsOf(gvk: GroupVersionKind): FieldLabels {
  const own = LABELS[`${apiVersionOf(gvk)}/${gvk.kind}`];
  const labels = new Map(Object.entries(own ?? META));
  return {
    fieldOf: (label) => labels.get(label),
    unsupported: own === undefined ? onlyMetadata : (label) => worded(gvk, label),
  };
}

export const metadataLabels: FieldLabels = {
  fieldOf: (label) => (label === "metadata.name" || label === "metadata.namespace" ? label : undefined),
  unsupported: onlyMetadata,
};

function onlyMetadata(label: string): string {
  return `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function worded(gvk: GroupVersionKind, label: string): string {
  if (gvk.kind === "Job") return `field label "${label}" not supported for Job`;
  if (gvk.kind !== "ResourceSlice") return `field label not supported: ${label}`;
  return `field label not supported for ${gvk.group}/${gvk.version}, Kind=${gvk.kind}: ${label}`;
}

/** The values of a kind's selectable fields, for kinds whose strategy does not give them itself. */
export function fieldReaderOf(gvk: GroupVersionKind): ((object: KubeObject) => Record<string, string>) | undefined {
  const own = LABELS[`${apiVersionOf(gvk)}/${gvk.kind}`];
  if (own === undefined) return undefined;
  const fields = [...new Set(Object.values(own))].filter((field) => !field.startsWith("metadata."));
  const paths = fields.map((field): [string, string[]] => [field, pathOf(field)]);
  return (object) =>
    Object.fromEntries(paths.map(([field, path]) => [field, textAt(object, path, ZEROES[field] ?? "")]));
}

const ZEROES: Readonly<Record<string, string>> = {
  "spec.hostNetwork": "false",
  "spec.unschedulable": "false",
  "status.replicas": "0",
  "status.successful": "0",
};

/** Fields whose label is not their path. */
function pathOf(field: string): string[] {
  if (field === "source") return ["source", "component"];
  if (field === "status.successful") return ["status", "succeeded"];
  if (field === "status.podIPs") return ["status", "podIP"];
  return field.split(".");
}

function textAt(object: KubeObject, path: readonly string[], zero: string): string {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return zero;
    value = (value as Record<string, unknown>)[key];
  }
  return value === undefined || value === null ? zero : String(value);
}
