import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/replicasets.apps.json" with { type: "json" };
import { replicaSet } from "./replica-set.ts";

judgeStrategy(replicaSet, vectors);
