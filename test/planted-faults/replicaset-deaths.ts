// A fault in the replica engine that shows only when caches lag: it waits neither for the events of its own writes nor
// for the resource versions that it wrote.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  plays: ["replicaset/6 scales 0"],
  faults: [
    {
      name: "neither expectations nor written versions hold a sync back",
      file: "src/families/replicas/sync.ts",
      find: `  deps.consistency.requireFresh(key);
  const owner = deps.owners.lister.get(key);
  if (owner === undefined) {
    forgetOwner(key, deps);
    deps.podMarks.forget(key);
    return done;
  }

  // Check before reading the pods: later events can only make the cache fresher than this result.
  const mayScale = deps.expectations.areMet(key) && `,
      replace: `  const owner = deps.owners.lister.get(key);
  if (owner === undefined) {
    forgetOwner(key, deps);
    deps.podMarks.forget(key);
    return done;
  }

  const mayScale = `,
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod: caches 3000 ms behind",
    },
  ],
};
