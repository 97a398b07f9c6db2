// Faults in the replica engine. Each would hurt a user; none may pass the scenarios and unit tests.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/replicaset";

export const plan: FaultPlan = {
  suites: ["./test/scenarios/replicaset.test.ts", `./${folder}`, "./src/kit"],
  faults: [
    {
      name: "a set that is being deleted goes on creating pods",
      file: `${folder}/sync.ts`,
      find: "deps.expectations.areMet(key) && owner.metadata?.deletionTimestamp === undefined",
      replace: "deps.expectations.areMet(key)",
    },
    {
      name: "failed pods count as replicas",
      file: `${folder}/pods.ts`,
      find: "claim(candidates.filter(isPodActive), {",
      replace: "claim(candidates, {",
    },
    {
      name: "the status is written on every sync",
      file: `${folder}/status.ts`,
      find: "isSameStatus(owner.status, status)) return owner;",
      replace: "false) return owner;",
    },
    {
      name: "a failure is never removed from the status",
      file: `${folder}/status.ts`,
      find: 'conditions.filter((condition) => condition.type !== "ReplicaFailure")',
      replace: "conditions",
    },
    {
      name: "the scale error is swallowed, so nothing is retried",
      file: `${folder}/sync.ts`,
      find: "if (scaleError !== undefined) throw scaleError;",
      replace: "",
    },
    {
      name: "the oldest pods are deleted first",
      file: `${folder}/deletion-order.ts`,
      find: "const difference = ageRank(now - a) - ageRank(now - b);",
      replace: "const difference = ageRank(now - b) - ageRank(now - a);",
    },
    {
      name: "the pod deletion cost is read the wrong way round",
      file: `${folder}/deletion-order.ts`,
      find: "a.deletionCost - b.deletionCost",
      replace: "b.deletionCost - a.deletionCost",
    },
    {
      name: "a pod with a deletionTimestamp is not yet counted as gone",
      file: `${folder}/triggers.ts`,
      find: "observeDeletion(pod);\n        if (labelsChanged)",
      replace: "if (labelsChanged)",
    },
    {
      name: "nobody looks again when minReadySeconds have passed",
      file: `${folder}/sync.ts`,
      find: 'return requeueAfter(nextMs ?? minReadySeconds * 1000, "minReadySeconds");',
      replace: "return done;",
    },
    {
      name: "orphans wake nobody",
      file: `${folder}/triggers.ts`,
      find: "for (const owner of adopters) enqueue(owner, event, pod);",
      replace: "",
    },
    {
      name: "pods of other controllers are claimed",
      file: "src/kit/claim.ts",
      find: 'if (controller.uid !== owner.metadata?.uid) return "leave";',
      replace: "",
    },
    {
      name: "what no longer matches is not released",
      file: "src/kit/claim.ts",
      find: 'return ownerIsDeleting ? "leave" : "release";',
      replace: 'return "leave";',
    },
  ],
};
