import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/replicationcontrollers.json" with { type: "json" };
import { replicationController } from "./replication-controller.ts";

judgeStrategy(replicationController, vectors);
