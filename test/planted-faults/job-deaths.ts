// Faults in the Job controller that show when it dies between two writes: a pod is lost, or is never counted.

import type { FaultPlan } from "./fault.ts";

const tracking = "src/controllers/job/tracking.ts";

export const plan: FaultPlan = {
  plays: ["job/13, job/20 keeps", "job/1, job/7, job/9, job/20 runs"],
  faults: [
    {
      name: "a pod whose finalizer went before the status named it is never counted",
      file: tracking,
      find: "  if (isChanged) {",
      replace: "  if (isChanged && batch.pods.length === 0) {",
      noticedBy: "keeps no more pods active than its parallelism and its missing completions want: killed",
    },
    {
      name: "a pod that the status names already is named again",
      file: tracking,
      find: "if (!uncounted.succeeded.has(uid)) succeeded.push(uid);",
      replace: "if (uid) succeeded.push(uid);",
      noticedBy: "runs a pod, counts its success and is complete: killed",
    },
  ],
};
