import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/resourcequotas.json" with { type: "json" };
import { resourceQuota } from "./resource-quota.ts";

judgeStrategy(resourceQuota, vectors);
