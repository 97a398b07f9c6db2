// Service accounts. Upstream: pkg/registry/core/serviceaccount/strategy.go; pkg/apis/core/validation

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { accountHooks } from "./service-account-token.ts";

const METADATA = field.newPath("metadata");

function validateServiceAccount(account: core.ServiceAccount): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, account.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  return errors;
}

function validateServiceAccountUpdate(account: core.ServiceAccount, old: core.ServiceAccount): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, account.metadata ?? {}, old.metadata ?? {}, METADATA);
  return [...errors, ...validateServiceAccount(account)];
}

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

const strategy = kindStrategy<core.ServiceAccount>({
  prepareForCreate: namesOfSecrets,
  validate: validateServiceAccount,
  warningsOnCreate: (account) => mountableSecretsWarning(account),
  prepareForUpdate: (account) => namesOfSecrets(account),
  validateUpdate: validateServiceAccountUpdate,
  warningsOnUpdate: (account, old) => mountableSecretsWarning(account, old),
});

export const serviceAccount: Kind<core.ServiceAccount> = {
  key: "serviceaccounts",
  strategy,
  printer: nameAndAge,
  returnsDeletedObject: true,
  hooks: accountHooks,
};
