// The node lifecycle controller: taints and labels of nodes, nodes without heartbeats, and their pods.

import { withLeavingNodes } from "#test/stage/nodes.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { conditionScenarios } from "./condition-scenarios.ts";
import { heartbeatScenarios } from "./heartbeat-scenarios.ts";
import { zoneScenarios } from "./zone-scenarios.ts";

export const scenarios: readonly Scenario[] = scenariosOf(
  "node-lifecycle-controller",
  { cast: "nodes", profile: "node-rates" },
  withLeavingNodes([...conditionScenarios, ...heartbeatScenarios, ...zoneScenarios]),
);
