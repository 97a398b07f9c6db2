// Namespaces, service accounts, secrets and config maps. Upstream: pkg/apis/core/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isConfigMapKey, isDns1123Label, isDns1123Subdomain, isQualifiedName } from "#api/names.ts";
import { type Errors, IMMUTABLE, name } from "#kinds/parts/checks.ts";
import { goJsonObjectError } from "#kinds/parts/go-json-error.ts";
import { kubeFinalizer, objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";

const METADATA = field.newPath("metadata");
const DATA = field.newPath("data");
const DATA_BYTES_MAX = 1024 * 1024;

export function validateNamespace(namespace: core.Namespace): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, namespace.metadata ?? {}, false, isDns1123Label, METADATA);
  for (const finalizer of namespace.spec?.finalizers ?? []) {
    finalizerName(errors, finalizer, field.newPath("spec", "finalizers"));
  }
  return errors;
}

function finalizerName(errors: Errors, finalizer: string, path: field.FieldPath): void {
  name(errors, finalizer, path, isQualifiedName);
  kubeFinalizer(errors, finalizer, path);
}

export function validateNamespaceUpdate(namespace: core.Namespace, old: core.Namespace): field.FieldError[] {
  const errors = validateNamespace(namespace);
  objectMetaUpdate(errors, namespace.metadata ?? {}, old.metadata ?? {}, METADATA);
  return errors;
}

export function validateNamespaceStatusUpdate(namespace: core.Namespace, old: core.Namespace): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, namespace.metadata ?? {}, old.metadata ?? {}, METADATA);
  const isDeleting = Boolean(namespace.metadata?.deletionTimestamp);
  const phase = namespace.status?.phase ?? "";
  const expected = isDeleting ? "Terminating" : "Active";
  if (phase !== expected) {
    const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleting ? "not empty" : "empty"}`;
    errors.push(field.invalid(field.newPath("status", "Phase"), phase, detail));
  }
  return errors;
}

export function validateNamespaceFinalize(namespace: core.Namespace, old: core.Namespace): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, namespace.metadata ?? {}, old.metadata ?? {}, METADATA);
  namespace.spec?.finalizers?.forEach((finalizer, i) => {
    finalizerName(errors, finalizer, field.newPath("spec", "finalizers").index(i));
  });
  return errors;
}

export function validateServiceAccount(account: core.ServiceAccount): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, account.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  return errors;
}

export function validateServiceAccountUpdate(
  account: core.ServiceAccount,
  old: core.ServiceAccount,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, account.metadata ?? {}, old.metadata ?? {}, METADATA);
  return [...errors, ...validateServiceAccount(account)];
}

/** The number of bytes that base64 text stands for. */
function decodedLength(base64: string): number {
  const text = base64.replace(/[\r\n]/g, "");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

export function validateSecret(secret: core.Secret): field.FieldError[] {
  const errors: Errors = [];
  const data: Readonly<Record<string, string>> = secret.data ?? {};
  objectMeta(errors, secret.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  let size = 0;
  for (const key in data) {
    name(errors, key, DATA.key(key), isConfigMapKey);
    size += decodedLength(data[key] ?? "");
  }
  if (size > DATA_BYTES_MAX) errors.push(field.tooLong(DATA, DATA_BYTES_MAX));
  secretOfType(errors, secret, data);
  return errors;
}

const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

function secretOfType(errors: Errors, secret: core.Secret, data: Readonly<Record<string, string>>): void {
  const has = (key: string): boolean => Object.hasOwn(data, key);
  const requireKeys = (...keys: readonly string[]): void => {
    for (const key of keys) if (!has(key)) errors.push(field.required(DATA.key(key), ""));
  };
  switch (secret.type) {
    case "kubernetes.io/service-account-token":
      if (!secret.metadata?.annotations?.[SERVICE_ACCOUNT_NAME]) {
        errors.push(field.required(field.newPath("metadata", "annotations").key(SERVICE_ACCOUNT_NAME), ""));
      }
      break;
    case "kubernetes.io/dockercfg":
      jsonKey(errors, data, ".dockercfg");
      break;
    case "kubernetes.io/dockerconfigjson":
      jsonKey(errors, data, ".dockerconfigjson");
      break;
    case "kubernetes.io/basic-auth":
      if (!has("username") && !has("password")) requireKeys("username", "password");
      break;
    case "kubernetes.io/ssh-auth":
      if (!data["ssh-privatekey"]) errors.push(field.required(DATA.key("ssh-privatekey"), ""));
      break;
    case "kubernetes.io/tls":
      requireKeys("tls.crt", "tls.key");
      break;
    default:
  }
}

function jsonKey(errors: Errors, data: Readonly<Record<string, string>>, key: string): void {
  if (!Object.hasOwn(data, key)) {
    errors.push(field.required(DATA.key(key), ""));
    return;
  }
  const problem = goJsonObjectError(atob(data[key] ?? ""));
  if (problem !== undefined) errors.push(field.invalid(DATA.key(key), "<secret contents redacted>", problem));
}

const FROZEN = "field is immutable when `immutable` is set";

export function validateSecretUpdate(secret: core.Secret, old: core.Secret): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, secret.metadata ?? {}, old.metadata ?? {}, METADATA);
  if ((secret.type ?? "") !== (old.type ?? "")) {
    errors.push(field.invalid(field.newPath("type"), secret.type ?? "", IMMUTABLE));
  }
  if (old.immutable) frozen(errors, secret, old, ["data"]);
  return [...errors, ...validateSecret(secret)];
}

type Frozen = { readonly immutable?: boolean } & {
  readonly [K in "data" | "binaryData"]?: Readonly<Record<string, string>>;
};

function frozen(errors: Errors, object: Frozen, old: Frozen, parts: readonly ("data" | "binaryData")[]): void {
  if (!object.immutable) errors.push(field.forbidden(field.newPath("immutable"), FROZEN));
  for (const part of parts) {
    if (!semanticEqual(object[part] ?? {}, old[part] ?? {})) errors.push(field.forbidden(field.newPath(part), FROZEN));
  }
}

export function validateConfigMap(map: core.ConfigMap): field.FieldError[] {
  const errors: Errors = [];
  const { data = {}, binaryData = {} } = map;
  objectMeta(errors, map.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    name(errors, key, DATA.key(key), isConfigMapKey);
    if (Object.hasOwn(binaryData, key)) {
      errors.push(field.invalid(DATA.key(key), key, "duplicate of key present in binaryData"));
    }
    size += byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    name(errors, key, field.newPath("binaryData").key(key), isConfigMapKey);
    size += decodedLength(value);
  }
  if (size > DATA_BYTES_MAX) errors.push(field.tooLong(field.newPath("[]"), DATA_BYTES_MAX));
  return errors;
}

export function validateConfigMapUpdate(map: core.ConfigMap, old: core.ConfigMap): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, map.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (old.immutable) frozen(errors, map, old, ["data", "binaryData"]);
  return [...errors, ...validateConfigMap(map)];
}
