import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/controllerrevisions.apps.json" with { type: "json" };
import { controllerRevision } from "./controller-revision.ts";

judgeStrategy(controllerRevision, vectors);
