// Runtime classes, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const toleration = { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" };

export const runtimeClasses: KindRow = {
  label: "RuntimeClass",
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  isClusterScoped: true,
  minimal: { handler: "runc" },
  full: {
    handler: "runsc",
    overhead: { podFixed: { cpu: "0.1", memory: "64Mi" } },
    scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux" }, tolerations: [toleration] },
  },
  invalid: [
    {},
    { handler: "Bad_Handler" },
    { handler: "runc", overhead: { podFixed: { cpu: "-1", nonsense: "1" } } },
    { handler: "runc", overhead: { podFixed: { "hugepages-2Mi": "3Mi" } } },
    { handler: "runc", scheduling: { nodeSelector: { "bad key": "x", a: "bad value" } } },
    { handler: "runc", scheduling: { tolerations: [toleration, { ...toleration, tolerationSeconds: 1 }] } },
    { handler: "runc", scheduling: { tolerations: [{ key: "a", operator: "Gt", value: "1" }, { operator: "Equal" }] } },
    { handler: "runc", metadata: { name: "Bad" } },
  ],
  updates: [
    { handler: "runsc" },
    { overhead: { podFixed: { cpu: "1" } } },
    { scheduling: { nodeSelector: { a: "b" } } },
    { overhead: null },
    { metadata: { labels: { a: "b" }, generation: 9, finalizers: ["plain"] } },
  ],
  patches: {
    merge: { overhead: { podFixed: { memory: "1Gi" } } },
    json: [{ op: "add", path: "/scheduling", value: { nodeSelector: { x: "y" } } }],
    strategic: { scheduling: { nodeSelector: { z: "1" } } },
  },
  otherContent: { handler: "runc", overhead: { podFixed: { cpu: "2" } } },
};
