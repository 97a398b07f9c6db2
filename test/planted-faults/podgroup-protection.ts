// Faults in the protection of pod groups.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: ["./src/controllers/podgroup-protection", "./test/scenarios/podgroup-protection"],
  faults: [
    {
      name: "pods that have ended hold their group",
      file: "src/controllers/podgroup-protection/pod-groups.ts",
      find: "return isPodTerminal(pod) ? [] : groupOf(pod);",
      replace: "return groupOf(pod);",
      noticedBy: "keeps a group until its last pod succeeds",
    },
    {
      name: "the pod that another one replaced is forgotten",
      file: "src/controllers/podgroup-protection/pod-groups.ts",
      find: "old.metadata.uid !== pod?.metadata.uid",
      replace: "pod === undefined",
      noticedBy: "checks the group of the pod that another one replaced",
    },
    {
      name: "pods in use do not hold their group",
      file: "src/controllers/podgroup-protection/controller.ts",
      find: "pods.store.byIndex(BY_GROUP, objectKey(group)).length > 0",
      replace: "pods.store.byIndex(BY_GROUP, objectKey(group)).length > 1",
      noticedBy: "keeps a group until its pod fails",
    },
    {
      name: "a living group gets the finalizer back",
      file: "src/controllers/podgroup-protection/controller.ts",
      find: "if (group === undefined || !isDeletionCandidate(group, finalizer)) return done;",
      replace: "if (group === undefined) return done;",
      noticedBy: "never gives a living group the finalizer",
    },
  ],
};
