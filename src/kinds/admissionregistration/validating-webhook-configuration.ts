// Validating webhook configurations. Upstream: pkg/registry/admissionregistration/validatingwebhookconfiguration/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { each } from "#kinds/parts/defaulting.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { webhookDefaults, webhookPrinter } from "./webhook-parts.ts";

export const validatingWebhookConfiguration: SchemaOnlyKind = {
  key: "validatingwebhookconfigurations.admissionregistration.k8s.io",
  strategy: schemaOnly({ countsGeneration: true, allowUnconditionalUpdate: false }),
  defaults: each("webhooks", webhookDefaults),
  printer: webhookPrinter,
};
