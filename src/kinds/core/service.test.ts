import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/services.json" with { type: "json" };
import { service } from "./service.ts";

judgeStrategy(service, vectors);
