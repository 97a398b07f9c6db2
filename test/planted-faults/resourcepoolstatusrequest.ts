// Faults in the answers to resource pool status requests.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: ["./src/controllers/resourcepoolstatusrequest", "./test/scenarios/resourcepoolstatusrequest"],
  faults: [
    {
      name: "slices of older generations count",
      file: "src/controllers/resourcepoolstatusrequest/pool-status.ts",
      find: "const slices = newestSlices(ofPool);",
      replace: "const slices = newestSlices(ofPool.slice(0, 1)).concat(ofPool.slice(1));",
      noticedBy: "counts the newest slices, and names a node that all share",
    },
    {
      name: "the count is that of the pools that are returned",
      file: "src/controllers/resourcepoolstatusrequest/pool-status.ts",
      find: "poolCount: all.length",
      replace: "poolCount: pools.length",
      noticedBy: "answers with as many pools as asked for",
    },
    {
      name: "a pool that lacks slices is answered",
      file: "src/controllers/resourcepoolstatusrequest/controller.ts",
      find: 'throw new Error("incomplete pools detected, requeueing");',
      replace: 'parts.log.info("incomplete pools detected");',
      noticedBy: "does not answer for a pool that lacks slices",
    },
    {
      name: "requests are tried for ever",
      file: "src/controllers/resourcepoolstatusrequest/controller.ts",
      find: "const RETRIES_MAX = 5;",
      replace: "const RETRIES_MAX = 500;",
      noticedBy: "does not answer for a pool that lacks slices",
    },
    {
      name: "pools of all names are answered",
      file: "src/controllers/resourcepoolstatusrequest/pool-status.ts",
      find: "spec.pool.name === poolName),",
      replace: 'spec.pool.name !== ""),',
      noticedBy: "answers for the pool that is asked for",
    },
    {
      name: "answered requests stay for a day",
      file: "src/controllers/resourcepoolstatusrequest/expiry.ts",
      find: "const ANSWERED_MS = HOUR_MS;",
      replace: "const ANSWERED_MS = 24 * HOUR_MS;",
      noticedBy: "deletes an answered request after an hour",
    },
  ],
};
