import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/limitranges.json" with { type: "json" };
import { limitRange } from "./limit-range.ts";

judgeStrategy(limitRange, vectors);
