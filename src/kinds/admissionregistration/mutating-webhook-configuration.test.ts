import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/mutatingwebhookconfigurations.admissionregistration.k8s.io.json" with {
  type: "json",
};
import { mutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";

judgeStrategy(mutatingWebhookConfiguration, vectors);
