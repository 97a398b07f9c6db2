// Strategies of namespaces, service accounts, secrets, config maps, quotas and limit ranges.
// Upstream: pkg/registry/core/{namespace,serviceaccount,secret,configmap,resourcequota,limitrange}/strategy.go

import type * as core from "#api/generated/types/core-v1.ts";
import { put, putMeta } from "#kinds/parts/preparing.ts";
import { amount } from "#kinds/parts/quantities.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import {
  validateLimitRange,
  validateResourceQuota,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from "./limit-range.ts";
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateNamespace,
  validateNamespaceFinalize,
  validateNamespaceStatusUpdate,
  validateNamespaceUpdate,
  validateSecret,
  validateSecretUpdate,
  validateServiceAccount,
  validateServiceAccountUpdate,
} from "./secret.ts";
import { tlsSecretWarnings } from "./tls-secret.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";

export const namespaceStrategy: KindStrategy<core.Namespace> = {
  namespaced: false,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    const complete = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
    return { ...namespace, spec: { ...namespace.spec, finalizers: complete }, status: { phase: "Active" } };
  },
  validate: validateNamespace,
  canonicalize(namespace) {
    const { name = "", labels } = namespace.metadata ?? {};
    return labels?.[NAME_LABEL] === name
      ? namespace
      : putMeta(namespace, { labels: { ...labels, [NAME_LABEL]: name } });
  },
  prepareForUpdate(namespace, old) {
    const spec = put(namespace.spec ?? {}, "finalizers", old.spec?.finalizers);
    return put(put(namespace, "spec", spec), "status", old.status);
  },
  validateUpdate: validateNamespaceUpdate,
  selectableFields: ({ metadata, status }) => ({ "status.phase": status?.phase ?? "", name: metadata?.name ?? "" }),
  subresources: {
    status: {
      prepareForUpdate: (namespace, old) => put(namespace, "spec", old.spec),
      validateUpdate: validateNamespaceStatusUpdate,
      resetFields: [["spec"]],
    },
    finalize: {
      prepareForUpdate: (namespace, old) => put(namespace, "status", old.status),
      validateUpdate: validateNamespaceFinalize,
      resetFields: [["status"]],
    },
  },
};

const namesOfSecrets = (account: core.ServiceAccount): core.ServiceAccount =>
  account.secrets === undefined
    ? account
    : put(
        account,
        "secrets",
        account.secrets.map(({ name }) => (name === undefined ? {} : { name })),
      );

const MOUNTABLE_SECRETS = "kubernetes.io/enforce-mountable-secrets";

function mountableSecretsWarning(account: core.ServiceAccount, old?: core.ServiceAccount): string[] {
  const has = (object?: core.ServiceAccount): boolean =>
    object?.metadata?.annotations?.[MOUNTABLE_SECRETS] !== undefined;
  if (has(old) || !has(account)) return [];
  const advice = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${MOUNTABLE_SECRETS}]: ${advice}`];
}

export const serviceAccountStrategy: KindStrategy<core.ServiceAccount> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: namesOfSecrets,
  validate: validateServiceAccount,
  warningsOnCreate: (account) => mountableSecretsWarning(account),
  prepareForUpdate: (account) => namesOfSecrets(account),
  validateUpdate: validateServiceAccountUpdate,
  warningsOnUpdate: (account, old) => mountableSecretsWarning(account, old),
  subresources: {},
};

export const secretStrategy: KindStrategy<core.Secret> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: (secret) => secret,
  validate: validateSecret,
  warningsOnCreate: (secret, { keyReader }) => tlsSecretWarnings(secret, keyReader),
  prepareForUpdate: (secret, old) => (secret.type ? secret : put(secret, "type", old.type)),
  validateUpdate: validateSecretUpdate,
  warningsOnUpdate: (secret, _, { keyReader }) => tlsSecretWarnings(secret, keyReader),
  selectableFields: ({ type = "" }) => ({ type }),
  subresources: {},
};

export const configMapStrategy: KindStrategy<core.ConfigMap> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: (map) => map,
  validate: validateConfigMap,
  prepareForUpdate: (map) => map,
  validateUpdate: validateConfigMapUpdate,
  subresources: {},
};

/** Requests above the limits of the same resource can never be used up. */
function quotaWarnings({ spec }: core.ResourceQuota): string[] {
  const hard: Readonly<Record<string, string>> = spec?.hard ?? {};
  const warnings: string[] = [];
  for (const resource of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const isShort = resource === "cpu" || resource === "memory";
    const names = isShort ? [`requests.${resource}`, resource] : [`requests.${resource}`];
    const request = names.find((name) => Object.hasOwn(hard, name));
    const limit = `limits.${resource}`;
    if (request === undefined || !Object.hasOwn(hard, limit)) continue;
    const [asked, allowed] = [amount(hard[request] ?? "0"), amount(hard[limit] ?? "0")];
    if (asked.cmp(allowed) > 0) {
      warnings.push(`ResourceQuota ${request} (${asked}) should be less than ${limit} (${allowed})`);
    }
  }
  return warnings;
}

export const resourceQuotaStrategy: KindStrategy<core.ResourceQuota> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate: (quota) => ({ ...quota, status: {} }),
  validate: validateResourceQuota,
  warningsOnCreate: quotaWarnings,
  prepareForUpdate: (quota, old) => put(quota, "status", old.status),
  validateUpdate: validateResourceQuotaUpdate,
  subresources: {
    status: {
      prepareForUpdate: (quota, old) => put(quota, "spec", old.spec),
      validateUpdate: validateResourceQuotaStatusUpdate,
      resetFields: [["spec"]],
    },
  },
};

export const limitRangeStrategy: KindStrategy<core.LimitRange> = {
  namespaced: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: (range, { rng }) => (range.metadata?.name ? range : putMeta(range, { name: rng.uuid() })),
  validate: validateLimitRange,
  prepareForUpdate: (range) => range,
  validateUpdate: (range) => validateLimitRange(range),
  subresources: {},
};
