// Live reads that are replaced by the cache. The final objects are the same while the cache does not lag, so the
// contract check must notice: the contract allows a read that no scenario needs any more.

import type { FaultPlan } from "./fault.ts";

const noticedBy = "needs every live read that its contract allows";

export const plan: FaultPlan = {
  suites: [
    "./test/scenarios/pod-garbage-collector/scenarios.test.ts",
    "./test/scenarios/persistentvolumeclaim-protection/scenarios.test.ts",
    "./test/scenarios/replicationcontroller/scenarios.test.ts",
  ],
  areWhole: true,
  faults: [
    {
      name: "the cache says whether an owner may adopt",
      file: "src/kit/claim.ts",
      find: "    fresh = await options.readOwnerLive();\n",
      replace: "    fresh = options.owner;\n",
      noticedBy: `replicationcontroller-controller on the embedded server > ${noticedBy}`,
    },
    {
      name: "the cache says that a node is gone",
      file: "src/controllers/pod-garbage-collector/collect.ts",
      find: "await deps.nodesApi.get({ name }, signal);",
      replace: "deleted.add(name);",
      noticedBy: `pod-garbage-collector-controller on the embedded server > ${noticedBy}`,
    },
    {
      name: "the cache says that no pod uses a claim",
      file: "src/controllers/persistentvolumeclaim-protection/sync.ts",
      find: " ||\n    (await live.list(signal)).some((pod) => uses(pod, claim));",
      replace: " && live !== undefined;",
      noticedBy: `persistentvolumeclaim-protection-controller on the embedded server > ${noticedBy}`,
    },
  ],
};
