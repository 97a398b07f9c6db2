// Faults in the scheduler. Each would put a pod on a node that cannot run it, leave it pending for ever, or report a
// wrong reason.

import type { FaultPlan } from "./fault.ts";

const folder = "src/scheduler";
const vectors = "agrees with Go's scheduler on fit, messages and scores in 500 clusters";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/scheduler.test.ts"],
  faults: [
    {
      name: "a node takes one pod more than it may",
      file: `${folder}/filters/resource-fit.ts`,
      find: "pods.size < allocatable.pods &&",
      replace: "pods.size <= allocatable.pods &&",
      noticedBy: vectors,
    },
    {
      name: "a taint of NoExecute keeps no pod away",
      file: `${folder}/filters/node-constraints.ts`,
      find: '(taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") ||',
      replace: 'taint.effect !== "NoSchedule" ||',
      noticedBy: vectors,
    },
    {
      name: "the first pod of a group that wants to be together fits nowhere",
      file: `${folder}/filters/pod-affinity.ts`,
      find: "const isFirst = nearCounts.isEmpty && allTermsMatch(near, subject);",
      replace: "const isFirst = false;",
      noticedBy: vectors,
    },
    {
      name: "anti-affinity of pods on nodes is not looked at",
      file: `${folder}/filters/pod-affinity.ts`,
      find: "return existing.hasAny(labels) ? EXISTING : undefined;",
      replace: "return undefined;",
      noticedBy: vectors,
    },
    {
      name: "pods that are being deleted count for spreading",
      file: `${folder}/spread-constraints.ts`,
      find: "if (isTerminating || !selector.matches(labels)) continue;",
      replace: "if (!selector.matches(labels)) continue;",
      noticedBy: vectors,
    },
    {
      name: "too few domains are as good as enough",
      file: `${folder}/filters/topology-spread.ts`,
      find: "if (countByDomain.size < minDomains) min = 0;",
      replace: "",
      noticedBy: vectors,
    },
    {
      name: "a node that is full is scored as an empty one",
      file: `${folder}/scores/resource-balance.ts`,
      find: "nonZero.milliCpu + wanted.milliCpu, allocatable.milliCpu",
      replace: "wanted.milliCpu, allocatable.milliCpu",
      noticedBy: vectors,
    },
    {
      name: "a chosen pod takes its room only when it is bound",
      file: `${folder}/scheduling.ts`,
      find: "this.#deps.state.setPod(facts, nodeName);",
      replace: "",
      noticedBy: "never gives the same room twice",
    },
    {
      name: "a failed binding keeps its room",
      file: `${folder}/scheduling.ts`,
      find: "    this.#forget(pod, reservation);\n",
      replace: "",
      noticedBy: "frees the node when the binding fails",
    },
    {
      name: "two pods get the same volume",
      file: `${folder}/volume-reservations.ts`,
      find: "for (const volume of volumes) this.#volumes.assume(volume);",
      replace: "",
      noticedBy: "gives two pods that want the same volume at once only one of them",
    },
    {
      name: "a pod is bound before its claim",
      file: `${folder}/volume-reservations.ts`,
      find: "if (!claim.spec?.volumeName) return false;",
      replace: "if (!claim.spec?.volumeName) return true;",
      noticedBy: "waits until the claim is bound",
    },
    {
      name: "pods of low priority come first",
      file: `${folder}/scheduling-queue.ts`,
      find: "return a.priority > b.priority;",
      replace: "return a.priority < b.priority;",
      noticedBy: "orders by priority, then by age",
    },
    {
      name: "labels of a node help no pod",
      file: `${folder}/cluster-event.ts`,
      find: '"node labels changed": ["NodeAffinity", ',
      replace: '"node labels changed": [',
      noticedBy: "tries again after an event that may help",
    },
    {
      name: "a pod with gates is scheduled",
      file: `${folder}/pod-handler.ts`,
      find: "if (!isOurs || isGated || deletionTimestamp !== undefined) {",
      replace: "if (!isOurs || deletionTimestamp !== undefined) {",
      noticedBy: "waits for the last scheduling gate to go",
    },
    {
      name: "an ended pod keeps its room",
      file: `${folder}/pod-handler.ts`,
      find: "if (isPodTerminal(pod)) drop(pod, deps);\n  else if",
      replace: "if",
      noticedBy: "gives it again when a pod has gone or has ended",
    },
  ],
};
