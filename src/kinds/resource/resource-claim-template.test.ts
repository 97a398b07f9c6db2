import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/resourceclaimtemplates.resource.k8s.io.json" with { type: "json" };
import { resourceClaimTemplate } from "./resource-claim-template.ts";

judgeStrategy(resourceClaimTemplate, vectors);
