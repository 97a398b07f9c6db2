import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/daemonsets.apps.json" with { type: "json" };
import { daemonSet } from "./daemon-set.ts";

judgeStrategy(daemonSet, vectors);
