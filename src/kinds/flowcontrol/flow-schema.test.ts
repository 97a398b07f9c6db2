import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/flowschemas.flowcontrol.apiserver.k8s.io.json" with { type: "json" };
import { flowSchema } from "./flow-schema.ts";

judgeStrategy(flowSchema, vectors);
