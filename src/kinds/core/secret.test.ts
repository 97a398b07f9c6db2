import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/secrets.json" with { type: "json" };
import { secret } from "./secret.ts";

judgeStrategy(secret, vectors);
