// References to pod fields and container resources, in env and in volumes.
// Upstream: pkg/apis/core/validation, validateObjectFieldSelector, validateContainerResourceFieldSelector

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type Errors, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import { amount } from "#kinds/parts/quantities.ts";

const FIELD_LABELS = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

const SUBSCRIPTED = /^(.+?)\['(.*)'\]$/s;

type Converted = { readonly label: string; readonly subscript?: string } | { readonly error: string };

// Upstream: pkg/apis/core/pods, ConvertDownwardAPIFieldLabel
function convert(apiVersion: string, label: string): Converted {
  if (apiVersion !== "v1") return { error: `unsupported pod version: ${apiVersion}` };
  const [, path = "", subscript] = SUBSCRIPTED.exec(label) ?? [];
  if (subscript !== undefined) {
    if (path === "metadata.annotations" || path === "metadata.labels") return { label: path, subscript };
    return { error: `field label does not support subscript: ${label}` };
  }
  if (label === "spec.host") return { label: "spec.nodeName" };
  return FIELD_LABELS.has(label) ? { label } : { error: `field label not supported: ${label}` };
}

export function objectFieldRef(
  errors: Errors,
  ref: core.ObjectFieldSelector,
  supported: readonly string[],
  path: Path,
): void {
  if (!ref.apiVersion) errors.push(field.required(path.child("apiVersion"), ""));
  else if (!ref.fieldPath) errors.push(field.required(path.child("fieldPath"), ""));
  else {
    const converted = convert(ref.apiVersion, ref.fieldPath);
    if ("error" in converted) {
      const detail = `error converting fieldPath: ${converted.error}`;
      errors.push(field.invalid(path.child("fieldPath"), ref.fieldPath, detail));
    } else if (converted.subscript !== undefined) {
      const isAnnotation = converted.label === "metadata.annotations";
      qualifiedName(errors, isAnnotation ? converted.subscript.toLowerCase() : converted.subscript, path);
    } else if (!supported.includes(converted.label)) {
      errors.push(field.notSupported(path.child("fieldPath"), converted.label, supported));
    }
  }
}

const RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const HUGE_PAGES = /^(requests|limits)\.hugepages-/;

export function containerResourceRef(
  errors: Errors,
  ref: core.ResourceFieldSelector,
  path: Path,
  isVolume: boolean,
): void {
  const resource = ref.resource ?? "";
  if (isVolume && !ref.containerName) errors.push(field.required(path.child("containerName"), ""));
  else if (resource === "") errors.push(field.required(path.child("resource"), ""));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(field.notSupported(path.child("resource"), resource, RESOURCES));
  }
  if (ref.divisor !== undefined) divisor(errors, resource, ref.divisor, path.child("divisor"));
}

const BYTE_DIVISOR = /^1([kMGTPE]|[KMGTPE]i)?$/;
const BYTE_DIVISORS = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

function divisor(errors: Errors, resource: string, text: string, path: Path): void {
  const quantity = amount(text);
  if (quantity.isZero) return;
  const printed = quantity.toString();
  const [, name = ""] = resource.split(".");
  if (name === "cpu") {
    if (printed === "1" || printed === "1m") return;
    errors.push(field.invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  const words: Readonly<Record<string, string>> = { memory: "memory", "ephemeral-storage": "local ephemeral storage" };
  const word = HUGE_PAGES.test(resource) ? "hugepages" : RESOURCES.includes(resource) ? words[name] : undefined;
  if (word === undefined || BYTE_DIVISOR.test(printed)) return;
  errors.push(
    field.invalid(path, resource, `only divisor's values ${BYTE_DIVISORS} are supported with the ${word} resource`),
  );
}
