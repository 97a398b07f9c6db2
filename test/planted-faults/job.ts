// Faults in the Job controller. Each would harm a user; the scenarios and unit tests must notice all of them.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/job";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/job"],
  faults: [
    {
      name: "finalizers go before the status names the pods",
      file: `${folder}/tracking.ts`,
      find: "  if (isChanged) {",
      replace: "  if (isChanged && batch.pods.length === 0) {",
      noticedBy: "runs a pod, counts its success and is complete",
    },
    {
      name: "two neighbouring indexes are a range",
      file: `${folder}/indexes.ts`,
      find: 'last === first + 1 ? "," : "-"',
      replace: 'last === first ? "," : "-"',
      noticedBy: "reads and writes sets of indexes as upstream does",
    },
    {
      name: "the first back-off is doubled already",
      file: `${folder}/backoff.ts`,
      find: "2 ** (failures - 1)",
      replace: "2 ** failures",
      noticedBy: "backs off as long as upstream does",
    },
    {
      name: "pods that a successful Job deletes count as failed",
      file: `${folder}/tracking.ts`,
      find: 'end !== undefined && end.type !== "SuccessCriteriaMet"',
      replace: "end !== undefined",
      noticedBy: "is complete when its success policy is met, and does not count the pods that it deletes",
    },
    {
      name: "surplus pods keep the finalizer",
      file: `${folder}/pods.ts`,
      find: "if (hasFinalizer(pod)) await removeFinalizer",
      replace: "if (!hasFinalizer(pod)) await removeFinalizer",
      noticedBy: "suspends: pods go, the start time is cleared",
    },
    {
      name: "a terminating pod is replaced although only failed pods should be",
      file: `${folder}/manage.ts`,
      find: "replacesOnlyFailed(job) ? state.terminating : 0",
      replace: "replacesOnlyFailed(job) ? 0 : 0",
      noticedBy: "replaces only failed pods where its policy says so",
    },
    {
      name: "a Job is finished while pods terminate",
      file: `${folder}/tracking.ts`,
      find: "if (end === undefined || state.terminating > 0) return false;",
      replace: "if (end === undefined) return false;",
      noticedBy: "a Job that ends waits for a pod that is stuck with a foreign finalizer",
    },
    {
      name: "the last failed pod of an index loses its finalizer at once",
      file: `${folder}/tracking.ts`,
      find: "return index === undefined || lastFailed.get(index)?.metadata.uid !== pod.metadata.uid;",
      replace: "return index !== -1;",
      noticedBy: "the last failed pod of an index keeps its finalizer until its replacement is there",
    },
    {
      name: "scheduled pods are deleted first",
      file: `${folder}/removal-order.ts`,
      find: "Number(isAssigned(a)) - Number(isAssigned(b)) ||",
      replace: "Number(isAssigned(b)) - Number(isAssigned(a)) ||",
      noticedBy: "deletes the pods whose loss costs least, and does not count them",
    },
    {
      name: "a Job of another controller is synced",
      file: `${folder}/sync.ts`,
      find: "if (otherManager(job) !== undefined) return done;",
      replace: "if (otherManager(job) === undefined && isFinished(job)) return done;",
      noticedBy: "leaves a Job that another controller manages alone, and its pods",
    },
  ],
};
