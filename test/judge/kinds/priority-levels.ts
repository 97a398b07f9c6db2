// Priority levels of requests, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const limited = (more: object): object => ({
  spec: { type: "Limited", limited: { limitResponse: { type: "Reject" }, ...more } },
});
const queued = (queuing: object): object => limited({ limitResponse: { type: "Queue", queuing } });
const condition = { type: "Busy", status: "True", reason: "Many", message: "" };

export const priorityLevels: KindRow = {
  label: "PriorityLevelConfiguration",
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  resource: "prioritylevelconfigurations",
  isClusterScoped: true,
  minimal: limited({}),
  full: limited({
    nominalConcurrencyShares: 5,
    lendablePercent: 10,
    borrowingLimitPercent: 20,
    limitResponse: { type: "Queue", queuing: {} },
  }),
  invalid: [
    { spec: {} },
    { spec: { type: "Exempt", limited: {}, exempt: { lendablePercent: 101, nominalConcurrencyShares: -1 } } },
    { spec: { type: "Odd" } },
    { spec: { type: "Limited", exempt: {} } },
    limited({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 }),
    limited({ limitResponse: {} }),
    limited({ limitResponse: { type: "Drop" } }),
    limited({ limitResponse: { type: "Queue" } }),
    limited({ limitResponse: { type: "Reject", queuing: {} } }),
    queued({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
    queued({ queues: 10_000_001, handSize: 2 }),
    queued({ queues: 4, handSize: 5 }),
    queued({ queues: 512, handSize: 8 }),
    { metadata: { name: "exempt" }, ...limited({}) },
    { metadata: { name: "catch-all" }, ...limited({ nominalConcurrencyShares: 6 }) },
    {
      metadata: {
        name: "$ns-a",
        annotations: { "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "" },
      },
      ...limited({}),
    },
  ],
  updates: [
    { spec: { limited: { nominalConcurrencyShares: 0 } } },
    { spec: { limited: { limitResponse: { type: "Queue", queuing: { queues: 16 } } } } },
    { spec: { type: "Exempt" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [{ ...condition, lastTransitionTime: "2026-01-02T03:04:05Z" }] },
    { conditions: [{ status: "True" }] },
    { conditions: [condition, condition] },
  ],
  patches: {
    merge: { spec: { limited: { lendablePercent: 8 } } },
    json: [{ op: "replace", path: "/spec/limited/nominalConcurrencyShares", value: 9 }],
    strategic: { spec: { limited: { borrowingLimitPercent: 1 } } },
  },
  otherContent: limited({ nominalConcurrencyShares: 7 }),
};
