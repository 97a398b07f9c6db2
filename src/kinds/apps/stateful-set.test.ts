import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/statefulsets.apps.json" with { type: "json" };
import { statefulSet } from "./stateful-set.ts";

judgeStrategy(statefulSet, vectors);
