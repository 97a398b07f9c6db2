import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/validatingwebhookconfigurations.admissionregistration.k8s.io.json" with {
  type: "json",
};
import { validatingWebhookConfiguration } from "./validating-webhook-configuration.ts";

judgeStrategy(validatingWebhookConfiguration, vectors);
