import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/deployments.apps.json" with { type: "json" };
import { deployment } from "./deployment.ts";

judgeStrategy(deployment, vectors);
