import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/configmaps.json" with { type: "json" };
import { configMap } from "./config-map.ts";

judgeStrategy(configMap, vectors);
