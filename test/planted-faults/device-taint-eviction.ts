// Faults in the eviction of pods by device taints.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: ["./src/controllers/device-taint-eviction", "./test/scenarios/device-taint-eviction"],
  faults: [
    {
      name: "the longest toleration counts",
      file: "src/controllers/device-taint-eviction/taints.ts",
      find: ".sort(compareInt64);",
      replace: ".sort((a, b) => compareInt64(b, a));",
      noticedBy: "evicts a pod when its toleration ends, the shortest one of several",
    },
    {
      name: "slices of older generations count",
      file: "src/controllers/device-taint-eviction/pools.ts",
      find: "return newestSlices([...pool.values()]);",
      replace: "return newestSlices([]).concat([...pool.values()]);",
      noticedBy: "counts the newest slices of a pool alone",
    },
    {
      name: "a rule selects devices of any name",
      file: "src/controllers/device-taint-eviction/taints.ts",
      find: "matches(deviceSelector.device, device)",
      replace: "matches(undefined, device)",
      noticedBy: "evicts nothing for a rule of other devices",
    },
    {
      name: "an eviction is not cancelled",
      file: "src/controllers/device-taint-eviction/triggers.ts",
      find: "if (deps.evictions.delete(itemText(item))) recordEviction",
      replace: "if (deps.evictions.get(itemText(item)) === undefined) recordEviction",
      noticedBy: "cancels the eviction when the taint is gone",
    },
    {
      name: "pods that get a node are not looked at",
      file: "src/controllers/device-taint-eviction/triggers.ts",
      find: '    (old.spec?.nodeName ?? "") === (pod.spec?.nodeName ?? "") &&\n',
      replace: "",
      noticedBy: "evicts a pod that gets a node, or a reservation",
    },
    {
      name: "the rule without effect is not simulated",
      file: "src/controllers/device-taint-eviction/rule-status.ts",
      find: "pendingPods(rule, deps.tainted.simulate(rule), deps)",
      replace: "pendingPods(rule, deps.tainted, deps)",
      noticedBy: "tells what a rule without effect would evict",
    },
  ],
};
