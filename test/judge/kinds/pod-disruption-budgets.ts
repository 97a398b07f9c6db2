// Pod disruption budgets, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const selector = { matchLabels: { app: "a" } };
const condition = { type: "DisruptionAllowed", status: "True", reason: "SufficientPods", message: "" };

export const podDisruptionBudgets: KindRow = {
  label: "PodDisruptionBudget",
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  minimal: { spec: { minAvailable: 1, selector } },
  full: { spec: { maxUnavailable: "20%", selector, unhealthyPodEvictionPolicy: "AlwaysAllow" } },
  invalid: [
    { spec: { minAvailable: -1, selector } },
    { spec: { minAvailable: "101%", selector } },
    { spec: { maxUnavailable: "many", selector } },
    { spec: { minAvailable: 1, maxUnavailable: 1, selector } },
    { spec: { minAvailable: 1, selector: { matchLabels: { "bad key": "x" } } } },
    { spec: { minAvailable: 1, selector: { matchExpressions: [{ key: "a", operator: "Is" }] } } },
    { spec: { minAvailable: 1, selector, unhealthyPodEvictionPolicy: "Never" } },
  ],
  updates: [
    { spec: { minAvailable: 2 } },
    { spec: { minAvailable: null, maxUnavailable: 1 } },
    { spec: { selector: { matchLabels: { app: "b" } } } },
    { spec: { minAvailable: 1 } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1, observedGeneration: 1 },
    { currentHealthy: -1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 },
    {
      currentHealthy: 2,
      desiredHealthy: 1,
      disruptionsAllowed: 1,
      expectedPods: 2,
      conditions: [{ ...condition, lastTransitionTime: "2026-01-02T03:04:05Z" }],
    },
    { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1, expectedPods: 2, conditions: [condition] },
  ],
  patches: {
    merge: { spec: { minAvailable: "50%" } },
    json: [{ op: "replace", path: "/spec/minAvailable", value: 3 }],
    strategic: { spec: { selector: { matchLabels: { tier: "x" } } } },
  },
  otherContent: { spec: { minAvailable: 2, selector } },
};
