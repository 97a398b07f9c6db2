// Faults in the DaemonSet controller. Each would harm a user; the scenarios and unit tests must notice all of them.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/daemonset";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/daemonset"],
  faults: [
    {
      name: "pods are deleted before others are created",
      file: `${folder}/daemon-pods.ts`,
      find: "const createErrors = await createPods(set, hash, creates, deps, signal);\n  const deleteErrors = await deletePods(set, deletes, deps, signal);",
      replace:
        "const deleteErrors = await deletePods(set, deletes, deps, signal);\n  const createErrors = await createPods(set, hash, creates, deps, signal);",
      noticedBy: "creates pods where they are missing before it deletes those on other nodes",
    },
    {
      name: "a share of the nodes is rounded down",
      file: `${folder}/rolling-update.ts`,
      find: "scaledValue(maxUnavailable, desired, true)",
      replace: "scaledValue(maxUnavailable, desired, false)",
      noticedBy: "goes as far in a rolling update as upstream",
    },
    {
      name: "NoSchedule drives pods away that run already",
      file: `${folder}/placement.ts`,
      find: 'mayStay: !isRepelledBy("NoExecute") };',
      replace: 'mayStay: !isRepelledBy("NoExecute", "NoSchedule") };',
      noticedBy: "follows the node's name and taints",
    },
    {
      name: "required node affinity is ignored",
      file: `${folder}/placement.ts`,
      find: "if (!allowsNode(spec, node))",
      replace: "if (!allowsNode({ ...spec, affinity: {} }, node))",
      noticedBy: "obeys the required node affinity of its template",
    },
    {
      name: "broken old pods wait for maxUnavailable",
      file: `${folder}/rolling-update.ts`,
      find: "deletes: [...broken, ...candidates.slice(0, allowed)]",
      replace: "deletes: [...broken, ...candidates].slice(0, allowed)",
      noticedBy: "replace broken old pods, and available ones as far as maxUnavailable allows",
    },
    {
      name: "the old pod goes before the new one is available",
      file: `${folder}/node-plan.ts`,
      find: "const isReplaced = !isPodReady(old) || isPodAvailable(newest, minReadySecondsOf(set), now);",
      replace: "const isReplaced = isPodReady(old) || isPodAvailable(newest, minReadySecondsOf(set), now);",
      noticedBy: "keeps one pod on a node, or an old one beside the new one while it surges",
    },
    {
      name: "succeeded pods stay",
      file: `${folder}/node-plan.ts`,
      find: 'const succeeded = living.filter(({ status }) => status?.phase === "Succeeded");',
      replace: 'const succeeded = living.filter(({ status }) => status?.phase === "Ended");',
      noticedBy: "replaces failed pods with growing delays, and succeeded ones at once",
    },
    {
      name: "the newest old revisions are deleted",
      file: `${folder}/revisions.ts`,
      find: ".slice(0, count);",
      replace: ".slice(-count);",
      noticedBy: "keeps as many old revisions as the limit says, the newest ones",
    },
    {
      name: "a collision is never counted",
      file: `${folder}/revisions.ts`,
      find: "await raiseCollisionCount(set, deps, signal);",
      replace: 'if (hash === "") await raiseCollisionCount(set, deps, signal);',
      noticedBy: "takes another name when a stranger's revision has the name of its template",
    },
    {
      name: "a set that is being deleted goes on creating pods",
      file: `${folder}/sync.ts`,
      find: "if (set.metadata.deletionTimestamp !== undefined) return done;",
      replace: "",
      noticedBy: "does nothing more while it is being deleted",
    },
  ],
};
