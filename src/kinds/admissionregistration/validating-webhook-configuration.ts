// Validating webhook configurations. Upstream: pkg/registry/admissionregistration/validatingwebhookconfiguration/strategy.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import type { Kind } from "#kinds/kind.ts";
import { each } from "#kinds/parts/defaulting.ts";
import { NOT_ENFORCED, registrationStrategy } from "./registration-strategy.ts";
import { webhookDefaults, webhookPrinter } from "./webhook-parts.ts";
import { validateWebhooks } from "./webhook-validation.ts";

export const validatingWebhookConfiguration: Kind<admission.ValidatingWebhookConfiguration> = {
  key: "validatingwebhookconfigurations.admissionregistration.k8s.io",
  strategy: registrationStrategy<admission.ValidatingWebhookConfiguration>({
    counted: "webhooks",
    validate: validateWebhooks,
  }),
  writeWarning: NOT_ENFORCED,
  defaults: each("webhooks", webhookDefaults),
  printer: webhookPrinter,
};
