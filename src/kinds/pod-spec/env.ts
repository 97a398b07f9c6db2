// Environment variables. Upstream: pkg/apis/core/validation, ValidateEnv, ValidateEnvFrom

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isConfigMapKey, isDns1123Label, isDns1123Subdomain, isRelaxedEnvVarName, type NameCheck } from "#api/names.ts";
import { type Errors, name, type Path, requiredName } from "#kinds/parts/checks.ts";
import { containerResourceRef, objectFieldRef } from "./downward-api.ts";
import { noBacksteps } from "./file-paths.ts";
import type { PodOptions } from "./pod-options.ts";

const ENV_FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** A name prefix: its trailing dash is allowed. Upstream: apimachinery pkg/api/validation, maskTrailingDash */
const isSubdomainPrefix: NameCheck = (value) => isDns1123Subdomain(value.replace(/.-$/s, "a"));

export function env(errors: Errors, vars: readonly core.EnvVar[], path: Path, opts: PodOptions): void {
  vars.forEach((variable, i) => {
    const at = path.index(i);
    requiredName(errors, variable.name, at.child("name"), isRelaxedEnvVarName);
    if (variable.valueFrom) valueFrom(errors, variable.valueFrom, variable.value, at.child("valueFrom"), opts);
  });
}

function valueFrom(
  errors: Errors,
  source: core.EnvVarSource,
  value: string | undefined,
  path: Path,
  opts: PodOptions,
): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) objectFieldRef(errors, fieldRef, ENV_FIELDS, path.child("fieldRef"));
  if (resourceFieldRef) containerResourceRef(errors, resourceFieldRef, path.child("resourceFieldRef"), false);
  if (configMapKeyRef) keyRef(errors, configMapKeyRef, path.child("configMapKeyRef"));
  if (secretKeyRef) keyRef(errors, secretKeyRef, path.child("secretKeyRef"));
  if (fileKeyRef) fileRef(errors, fileKeyRef, path.child("fileKeyRef"));
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length;
  if (count === 0) {
    const last = opts.allowEnvFiles ? ", `secretKeyRef` or `fileKeyRef`" : " or `secretKeyRef`";
    const detail = `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`;
    errors.push(field.invalid(path, "", detail));
  } else if (value) {
    errors.push(field.invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (count > 1) {
    errors.push(field.invalid(path, "", "may not have more than one field specified at a time"));
  }
}

function keyRef(errors: Errors, ref: core.SecretKeySelector | core.ConfigMapKeySelector, path: Path): void {
  name(errors, ref.name ?? "", path.child("name"), isDns1123Subdomain);
  requiredName(errors, ref.key, path.child("key"), isConfigMapKey);
}

function fileRef(errors: Errors, ref: core.FileKeySelector, path: Path): void {
  requiredName(errors, ref.key, path.child("key"), isRelaxedEnvVarName);
  requiredName(errors, ref.volumeName, path.child("volumeName"), isDns1123Label);
  if (!ref.path) errors.push(field.required(path.child("path"), ""));
  else noBacksteps(errors, ref.path, path.child("path"));
}

export function envFrom(errors: Errors, sources: readonly core.EnvFromSource[], path: Path): void {
  sources.forEach((source, i) => {
    const at = path.index(i);
    if (source.prefix) name(errors, source.prefix, at.child("prefix"), isRelaxedEnvVarName);
    for (const part of ["configMapRef", "secretRef"] as const) {
      const ref = source[part];
      if (ref) requiredName(errors, ref.name, at.child(part, "name"), isSubdomainPrefix);
    }
    const count = [source.configMapRef, source.secretRef].filter(Boolean).length;
    if (count === 0) errors.push(field.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (count > 1) errors.push(field.invalid(path, "", "may not have more than one field specified at a time"));
  });
}
