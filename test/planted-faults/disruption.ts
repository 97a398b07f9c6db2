// Faults in the disruption controller. Each would allow disruptions that a budget forbids, or forbid allowed ones.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/disruption";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/disruption"],
  faults: [
    {
      name: "the share is rounded down",
      file: `${folder}/budget.ts`,
      find: "return { expected: scale, desiredHealthy: scaledValue(minAvailable, scale, true) };",
      replace: "return { expected: scale, desiredHealthy: scaledValue(minAvailable, scale, false) };",
      noticedBy: "takes a share of what a Deployment should have, rounded up",
    },
    {
      name: "an evicted pod counts as healthy until it is deleted",
      file: `${folder}/budget.ts`,
      find: "pod.metadata.deletionTimestamp === undefined && !isEvicted && isPodReady(pod);",
      replace: "pod.metadata.deletionTimestamp === undefined && isPodReady(pod);",
      noticedBy: "does not count an evicted pod as healthy",
    },
    {
      name: "an eviction is believed for ever",
      file: `${folder}/sync.ts`,
      find: "if (recheckAt !== undefined) {",
      replace: "if (recheckAt === undefined && disrupted.overdue.length > 0) {",
      noticedBy: "until two minutes have passed without its deletion",
    },
    {
      name: "a budget without pods allows what it will have",
      file: `${folder}/budget.ts`,
      find: "const isExpectingPods = expected > 0;",
      replace: "const isExpectingPods = true;",
      noticedBy: "come to the status that upstream comes to",
    },
    {
      name: "a failure leaves the old number of disruptions",
      file: `${folder}/sync.ts`,
      find: "return { ...status, disruptionsAllowed: 0, conditions:",
      replace: "return { ...status, disruptionsAllowed: 1, conditions:",
      noticedBy: "allows nothing while a controller of its pods has no scale",
    },
    {
      name: "a successor with the same name counts as the controller",
      file: `${folder}/expected-scale.ts`,
      find: "return found?.metadata.uid === uid ? found : undefined;",
      replace: "return found;",
      noticedBy: "does not take a successor of the same name for the controller",
    },
    {
      name: "the announcement of a kubelet is taken back",
      file: `${folder}/stale-targets.ts`,
      find: 'if (condition.reason === "TerminationByKubelet") return undefined;',
      replace: "",
      noticedBy: "leaves announcements of kubelets",
    },
  ],
};
