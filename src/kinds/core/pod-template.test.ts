import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/podtemplates.json" with { type: "json" };
import { podTemplate } from "./pod-template.ts";

judgeStrategy(podTemplate, vectors);
