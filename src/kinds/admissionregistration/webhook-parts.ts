// What both kinds of webhook configurations share. Upstream: pkg/apis/admissionregistration/v1/defaults.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import { all, at, each, nil, type Rule } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, type Printer, printer } from "#kinds/parts/printer.ts";

export const servicePort443: Rule = at("service", nil({ port: 443 }));

export const anyScope: Rule = nil({ scope: "*" });

export const webhookDefaults: Rule = all(
  nil({
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  }),
  at("clientConfig", servicePort443),
  each("rules", anyScope),
);

export const webhookPrinter: Printer = printer<admission.ValidatingWebhookConfiguration>(
  "Name|Webhooks:integer|Age",
  (object, now) => [nameOf(object), (object.webhooks ?? []).length, ageOf(object, now)],
);
