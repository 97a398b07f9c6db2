import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/poddisruptionbudgets.policy.json" with { type: "json" };
import { podDisruptionBudget } from "./pod-disruption-budget.ts";

judgeStrategy(podDisruptionBudget, vectors);
