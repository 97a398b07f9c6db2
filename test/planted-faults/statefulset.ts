// Faults in the StatefulSet controller. Each would harm a user; the scenarios and unit tests must notice all of them.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/statefulset";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/statefulset"],
  faults: [
    {
      name: "an ordinal beyond an int32 counts",
      file: `${folder}/ordinals.ts`,
      find: "ordinal > INT32_MAX ? -1 : ordinal",
      replace: "ordinal",
      noticedBy: "reads the ordinal of web-2147483648 as upstream does",
    },
    {
      name: "an ordered set does not wait for the pod before",
      file: `${folder}/replicas.ts`,
      find: "if (isOrdered && (isTerminating(pod) || !isHealthy)) {",
      replace: "if (isOrdered && isTerminating(pod)) {",
      noticedBy: "creates one pod after the other, each when the one before is ready",
    },
    {
      name: "the lowest ordinal is deleted first",
      file: `${folder}/ordinals.ts`,
      find: ".toSorted((a, b) => ordinalOf(b) - ordinalOf(a));",
      replace: ".toSorted((a, b) => ordinalOf(a) - ordinalOf(b));",
      noticedBy: "deletes the pod of the highest ordinal first",
    },
    {
      name: "the partition is ignored",
      file: `${folder}/replicas.ts`,
      find: "const first = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;",
      replace: "const first = 0;",
      noticedBy: "updates no pod below the partition",
    },
    {
      name: "a pod below the partition comes back at the new revision",
      file: `${folder}/identity.ts`,
      find: "return index < (rollingUpdate.partition ?? 0);",
      replace: "return index < 0;",
      noticedBy: "updates no pod below the partition, and recreates it at the current revision",
    },
    {
      name: "the pod is created before its claims",
      file: `${folder}/stateful-pods.ts`,
      find: "else if (cached.metadata.deletionTimestamp !== undefined) errors.push",
      replace: 'else if (cached.metadata.deletionTimestamp === "") errors.push',
      noticedBy: "creates no pod while its claim is being deleted",
    },
    {
      name: "claims of a pod that is scaled away are kept",
      file: `${folder}/retention.ts`,
      find: 'const byPod = whenScaled === "Delete" && !isInRange(set, pod);',
      replace: 'const byPod = whenScaled === "Delete" && isInRange(set, pod);',
      noticedBy: "makes a pod that is scaled away the owner of its claims",
    },
    {
      name: "the update never ends in the status",
      file: `${folder}/status.ts`,
      find: "return isComplete ? { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision } : status;",
      replace: "return isComplete ? { ...status, currentReplicas: updatedReplicas } : status;",
      noticedBy: "replaces pods from the highest ordinal down",
    },
    {
      name: "a set that is being deleted goes on creating pods",
      file: `${folder}/replicas.ts`,
      find: "if (set.metadata.deletionTimestamp !== undefined) return",
      replace: 'if (set.metadata.deletionTimestamp === "") return',
      noticedBy: "does nothing but count while it is being deleted",
    },
  ],
};
