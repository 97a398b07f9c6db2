import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/events.json" with { type: "json" };
import { event } from "./event.ts";

judgeStrategy(event, vectors);
