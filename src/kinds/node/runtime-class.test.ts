import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/runtimeclasses.node.k8s.io.json" with { type: "json" };
import { runtimeClass } from "./runtime-class.ts";

judgeStrategy(runtimeClass, vectors);
