// Faults in evictions by taints.

import type { FaultPlan } from "./fault.ts";

const evictions = "src/controllers/taint-eviction";

export const plan: FaultPlan = {
  suites: [`./${evictions}`, "./src/kit/timed-work.test.ts", "./test/scenarios/taint-eviction"],
  faults: [
    {
      name: "the longest tolerated time counts",
      file: `${evictions}/tolerated-time.ts`,
      find: "seconds < shortest",
      replace: "seconds > shortest",
      noticedBy: "evicts after the shortest of the times that a pod tolerates two taints",
    },
    {
      name: "evictions go on when the taints are gone",
      file: `${evictions}/sync.ts`,
      find: "if (taints.length === 0) cancel(objectKey(pod), deps);",
      replace: "if (taints.length === 0) continue;",
      noticedBy: "cancels evictions when the taint is removed",
    },
    {
      name: "pods are deleted without the condition",
      file: `${evictions}/evict.ts`,
      find: "await patchPodStatus(deps.podsApi, pod, updatePodCondition(pod.status ?? {}, condition, deps.clock.now()), signal);",
      replace: "void condition;",
      noticedBy: "marks and deletes a pod that does not tolerate a new taint, and no other",
    },
    {
      name: "a scheduled eviction follows new taints",
      file: `${evictions}/sync.ts`,
      find: "    deps.evictions.add(key, afterMs);\n  }",
      replace: "    deps.evictions.cancel(key);\n    deps.evictions.add(key, afterMs);\n  }",
      noticedBy: "keeps the time of a scheduled eviction when another taint is tolerated for less",
    },
    {
      name: "pods that are bound later are not looked at",
      file: `${evictions}/triggers.ts`,
      find: '(old.spec?.nodeName ?? "") !== nodeName || ',
      replace: "",
      noticedBy: "evicts a pod that is bound to a node with a taint",
    },
    {
      name: "the numbers of taints are compared although the gate is off",
      file: `${evictions}/controller.ts`,
      find: 'gates.isEnabled("TaintTolerationComparisonOperators")',
      replace: '!gates.isEnabled("TaintTolerationComparisonOperators")',
      noticedBy: "compares the numbers of taints and tolerations where the gate is on",
    },
  ],
};
