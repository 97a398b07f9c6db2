import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/namespaces.json" with { type: "json" };
import { namespace } from "./namespace.ts";

judgeStrategy(namespace, vectors);
