// Mutating webhook configurations. Upstream: pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, each, nil } from "#kinds/parts/defaulting.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { webhookDefaults, webhookPrinter } from "./webhook-parts.ts";

export const mutatingWebhookConfiguration: SchemaOnlyKind = {
  key: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  strategy: schemaOnly({ countsGeneration: true, allowUnconditionalUpdate: false }),
  defaults: each("webhooks", all(webhookDefaults, nil({ reinvocationPolicy: "Never" }))),
  printer: webhookPrinter,
};
