import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/priorityclasses.scheduling.k8s.io.json" with { type: "json" };
import { priorityClass } from "./priority-class.ts";

judgeStrategy(priorityClass, vectors);
