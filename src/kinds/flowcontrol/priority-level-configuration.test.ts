import { judgeStrategy } from "#kinds/strategy.contract.ts";
import vectors from "#test/vectors/validation/prioritylevelconfigurations.flowcontrol.apiserver.k8s.io.json" with {
  type: "json",
};
import { priorityLevelConfiguration } from "./priority-level-configuration.ts";

judgeStrategy(priorityLevelConfiguration, vectors);
