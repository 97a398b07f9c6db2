import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/devicetaintrules.resource.k8s.io.json" with { type: "json" };
import { deviceTaintRule } from "./device-taint-rule.ts";

judgeStrategy(deviceTaintRule, vectors);
