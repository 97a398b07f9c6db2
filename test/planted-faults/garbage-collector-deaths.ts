// Faults in the garbage collector that show only when it dies, when its caches lag, or in its contract: plays with
// faults compare neither requests with a recording nor counts.

import type { FaultPlan } from "./fault.ts";

const collector = "src/controllers/garbage-collector";

export const plan: FaultPlan = {
  plays: ["garbage-collector"],
  faults: [
    {
      name: "an object is deleted whatever became of it since it was read",
      file: `${collector}/object-api.ts`,
      find: "await remove({ uid, resourceVersion });",
      replace: "await remove({});",
      noticedBy: "without a contract that allows it",
    },
    {
      name: "an owner whose deletion began before the start waits for ever",
      file: `${collector}/graph.ts`,
      find: "isDeletedWith(metadata, finalizer) && (old === undefined || !isDeletedWith(old, finalizer));",
      replace: "isDeletedWith(metadata, finalizer) && old !== undefined && !isDeletedWith(old, finalizer);",
      noticedBy: "keeps an owner until the dependents that block it are gone: killed",
    },
    {
      name: "objects that were there before the start are nobody's garbage",
      file: `${collector}/monitors.ts`,
      find: 'onAdd: (object) => report("add", object),',
      replace: 'onAdd: (object, isInInitialList) => isInInitialList || report("add", object),',
      noticedBy: "deletes what an owner leaves behind, down to the last dependent, and nothing else: killed",
    },
  ],
};
