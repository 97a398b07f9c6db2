// Faults in the controller of Endpoints.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/endpoints";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./src/families/service-pods", "./test/scenarios/endpoints"],
  faults: [
    {
      name: "a pod that is being deleted keeps its address",
      file: `${folder}/wanted-subsets.ts`,
      find: "return hasEndpoint(pod) && (publishesAll || pod.metadata.deletionTimestamp === undefined);",
      replace: "return hasEndpoint(pod);",
      noticedBy: "follows a pod from unready to ready and terminating",
    },
    {
      name: "an address that is ready once counts as ready",
      file: "src/families/service-pods/subsets.ts",
      find: "else state.isReady &&= isReady;",
      replace: "else state.isReady ||= isReady;",
      noticedBy: "not ready counts more than ready",
    },
    {
      name: "a cache that lags is believed",
      file: `${folder}/sync.ts`,
      find: "  if (current !== undefined) refuseStale(key, current, deps);\n",
      replace: "",
      noticedBy: "waits for its own writes to come back, and writes nothing twice",
    },
    {
      name: "unready addresses are kept before ready ones",
      file: `${folder}/truncation.ts`,
      find: "const cutsReady = ready > ADDRESSES_MAX;",
      replace: "const cutsReady = unready === 0 || ready > unready;",
      noticedBy: "900/200 becomes 900/100",
    },
    {
      name: "a pod that leaves a Service is forgotten there",
      file: "src/families/service-pods/pod-triggers.ts",
      find: "isChanged ? before.union(after) : before.symmetricDifference(after)",
      replace: "after",
      noticedBy: "moves pods between Services as their labels change",
    },
    {
      name: "Endpoints outlive their Service",
      file: `${folder}/sync.ts`,
      find: "    await tolerate(deps.endpointsApi.delete(splitKey(key), signal), isNotFound);\n",
      replace: "",
      noticedBy: "deletes Endpoints with their Service, and makes deleted ones again",
    },
  ],
};
