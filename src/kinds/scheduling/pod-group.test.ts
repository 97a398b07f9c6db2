import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/podgroups.scheduling.k8s.io.json" with { type: "json" };
import { podGroup } from "./pod-group.ts";

judgeStrategy(podGroup, vectors);
