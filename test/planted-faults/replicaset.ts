// Faults in the replica engine. Each would hurt a user; none may pass the scenarios and unit tests.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/replicaset";

export const plan: FaultPlan = {
  suites: [
    `./${folder}`,
    "./src/kit",
    "./test/scenarios/replicaset.test.ts",
    "./test/scenarios/replicaset-lag.test.ts",
    "./test/scenarios/replicaset-requests.test.ts",
  ],
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
    {
      name: "a status write that meets a conflict is not repeated",
      file: `${folder}/status.ts`,
      find: "const STATUS_WRITE_TRIES_MAX = 2;",
      replace: "const STATUS_WRITE_TRIES_MAX = 1;",
    },
    {
      name: "a repeated status claims to have seen the newest spec",
      file: `${folder}/status.ts`,
      find: "object: { ...target, apiVersion, kind, status: wanted }",
      replace:
        "object: { ...target, apiVersion, kind, status: { ...wanted, observedGeneration: target.metadata?.generation ?? 0 } }",
    },
    {
      name: "creates that were refused stay expected",
      file: `${folder}/scale.ts`,
      find: "deps.expectations.creationObserved(key, skipped);",
      replace: "",
    },
    {
      name: "deletions that were refused stay expected",
      file: `${folder}/scale.ts`,
      find: "deps.expectations.deletionObserved(key, objectKey(pod)); // no event will come for it",
      replace: "",
    },
    {
      name: "a namespace that is going away is insisted on",
      file: `${folder}/scale.ts`,
      find: "if (isNamespaceTerminating(error)) return;",
      replace: "",
    },
    {
      name: "pods of sibling sets are no company",
      file: `${folder}/scale.ts`,
      find: "const siblingPods = controller === undefined ? [] : podsOfSiblings(controller.uid, deps);",
      replace: "const siblingPods: readonly Pod[] = controller === undefined ? [] : podsOfSiblings('', deps);",
    },
    {
      name: "a successor inherits its predecessor's expectations",
      file: `${folder}/triggers.ts`,
      find: "      forgetOwner(objectKey(owner), deps, owner.metadata?.uid);\n",
      replace: "",
    },
    {
      name: "own writes of pods are not remembered",
      file: `${folder}/controller.ts`,
      find: "if (controller === undefined) return;\n        const { namespace",
      replace: "if (controller !== undefined) return;\n        const { namespace",
    },
    {
      name: "an owner that is dying on the server goes on adopting",
      file: "src/kit/claim.ts",
      find: "if (deletedAt !== undefined) throw",
      replace: "if (deletedAt === null) throw",
    },
    {
      name: "all pods are asked for at once",
      file: "src/kit/slow-start.ts",
      find: "let batch = options.firstBatch ?? 1;",
      replace: "let batch = options.firstBatch ?? 512;",
    },
    {
      name: "finished pods are taken for terminating ones",
      file: `${folder}/pods.ts`,
      find: "isPodTerminating(pod) && isControlledBy",
      replace: "pod.metadata?.deletionTimestamp !== undefined && isControlledBy",
    },
    {
      name: "orphans that are going away are counted as terminating",
      file: `${folder}/pods.ts`,
      find: "isPodTerminating(pod) && isControlledBy(pod, owner) &&",
      replace: "isPodTerminating(pod) &&",
    },
  ],
};
