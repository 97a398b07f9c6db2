import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/endpoints.json" with { type: "json" };
import { endpoints } from "./endpoints.ts";

judgeStrategy(endpoints, vectors);
