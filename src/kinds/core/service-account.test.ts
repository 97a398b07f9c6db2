import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/serviceaccounts.json" with { type: "json" };
import { serviceAccount } from "./service-account.ts";

judgeStrategy(serviceAccount, vectors);
