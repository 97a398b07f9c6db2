import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/resourceclaims.resource.k8s.io.json" with { type: "json" };
import { resourceClaim } from "./resource-claim.ts";

judgeStrategy(resourceClaim, vectors);
