// Secrets. Upstream: pkg/registry/core/secret/strategy.go; pkg/apis/core/validation, ValidateSecret

import { encodeBase64 } from "#api/base64.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isConfigMapKey, isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, name } from "#kinds/parts/checks.ts";
import { zero } from "#kinds/parts/defaulting.ts";
import { goJsonObjectError } from "#kinds/parts/go-json-error.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { count, DATA, DATA_BYTES_MAX, decodedLength, frozen } from "./data-maps.ts";
import { tlsSecretWarnings } from "./tls-secret.ts";

const METADATA = field.newPath("metadata");

function validateSecret(secret: core.Secret): field.FieldError[] {
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

function validateSecretUpdate(secret: core.Secret, old: core.Secret): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, secret.metadata ?? {}, old.metadata ?? {}, METADATA);
  if ((secret.type ?? "") !== (old.type ?? "")) {
    errors.push(field.invalid(field.newPath("type"), secret.type ?? "", IMMUTABLE));
  }
  if (old.immutable) frozen(errors, secret, old, ["data"]);
  return [...errors, ...validateSecret(secret)];
}

/** stringData is converted to data, and wins. Upstream: Convert_v1_Secret_To_core_Secret */
function withTextAsData(secret: core.Secret): core.Secret {
  if (secret.stringData === undefined) return secret;
  const { stringData, ...rest } = secret;
  const entries = Object.entries(stringData).map(([key, text]) => [key, encodeBase64(new TextEncoder().encode(text))]);
  return entries.length === 0 ? rest : { ...rest, data: { ...rest.data, ...Object.fromEntries(entries) } };
}

const strategy = kindStrategy<core.Secret>({
  validate: validateSecret,
  warningsOnCreate: (secret, { keyReader }) => tlsSecretWarnings(secret, keyReader),
  prepareForUpdate: (secret, old) => (secret.type ? secret : put(secret, "type", old.type)),
  validateUpdate: validateSecretUpdate,
  warningsOnUpdate: (secret, _, { keyReader }) => tlsSecretWarnings(secret, keyReader),
});

export const secret: Kind<core.Secret> = {
  key: "secrets",
  strategy,
  defaults: zero({ type: "Opaque" }),
  fillAliases: withTextAsData,
  selectableFields: { type: ({ type }) => type ?? "" },
  printer: printer<core.Secret>("Name|Type|Data|Age", (secret, now) => [
    nameOf(secret),
    secret.type ?? "",
    count(secret.data),
    ageOf(secret, now),
  ]),
};
