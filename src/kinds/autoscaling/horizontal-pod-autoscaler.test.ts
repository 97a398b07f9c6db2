import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/horizontalpodautoscalers.autoscaling.json" with { type: "json" };
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

judgeStrategy(horizontalPodAutoscaler, vectors);
