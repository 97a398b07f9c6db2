// Mutating webhook configurations. Upstream: pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, each, nil } from "#kinds/parts/defaulting.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";
import { webhookDefaults, webhookPrinter } from "./webhook-parts.ts";
import { validateWebhooks } from "./webhook-validation.ts";

export const mutatingWebhookConfiguration: Kind<admission.MutatingWebhookConfiguration> = {
  key: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  strategy: registrationStrategy<admission.MutatingWebhookConfiguration>({
    counted: "webhooks",
    validate: validateWebhooks,
  }),
  writeWarning: NOT_ENFORCED,
  defaults: each("webhooks", all(webhookDefaults, nil({ reinvocationPolicy: "Never" }))),
  printer: webhookPrinter,
};
