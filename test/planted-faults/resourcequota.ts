// Faults in the resource quota controller. Each would make a quota wrong, or cause useless requests.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/resourcequota";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/resourcequota"],
  faults: [
    {
      name: "a deletion frees nothing",
      file: `${folder}/monitors.ts`,
      find: 'onDelete: (object) => report("delete", object),',
      replace: "",
      noticedBy: "counts again when an object is deleted, in its namespace alone",
    },
    {
      name: "an update frees nothing",
      file: `${folder}/monitors.ts`,
      find: "if (mayFreeQuota(resource, old, object, context.clock.now()))",
      replace: "if (!mayFreeQuota(resource, old, object, context.clock.now()) && old === object)",
      noticedBy: "frees node ports when a service changes its type",
    },
    {
      name: "new kinds are watched, but not counted",
      file: `${folder}/monitors.ts`,
      find: "      registry.getOrCount(resource);\n",
      replace: "",
      noticedBy: "counts custom resources that came after the controller started",
    },
    {
      name: "new limits are not followed",
      file: `${folder}/triggers.ts`,
      find: 'if (!hasSameLimits(old.spec?.hard, quota.spec?.hard)) enqueue(quota, "update");',
      replace: "if (!hasSameLimits(old.spec?.hard, quota.spec?.hard)) return;",
      noticedBy: "follows new limits, and those alone",
    },
    {
      name: "the status is written with every count",
      file: `${folder}/status.ts`,
      find: "if (isComplete && ",
      replace: "if (isComplete && spec === undefined && ",
      noticedBy: "is written when limits, or usage, are missing or differ, and only then",
    },
    {
      name: "usage stays when its limit is gone",
      file: `${folder}/status.ts`,
      find: "maskUsage(new Map([...before, ...counted]), hard.keys())",
      replace: "maskUsage(new Map([...before, ...counted]), [...hard.keys(), ...before.keys()])",
      noticedBy: "keeps a usage that could not be counted, and none without a limit",
    },
    {
      name: "new quotas wait behind all others",
      file: `${folder}/status.ts`,
      find: "if (!hasSameLimits(spec?.hard, status?.hard)) return true;",
      replace: "",
      noticedBy: "that shows other limits",
    },
    {
      name: "a refused status is given up",
      file: `${folder}/sync.ts`,
      find: "      failures.push(error);\n",
      replace: "",
      noticedBy: "tries again after a conflict",
    },
    {
      name: "quotas are counted before the caches are filled",
      file: `${folder}/controller.ts`,
      find: "  parts.waitFor({ synced: (signal) => waitForMonitors(resourceDeps, signal) });\n",
      replace: "",
      noticedBy: "counts nothing before all caches are filled",
    },
    {
      name: "a failed discovery takes all monitors away",
      file: `${folder}/resource-sync.ts`,
      find: "if (found.size === 0) return before;",
      replace: "",
      noticedBy: "keeps counting while nothing can be discovered later",
    },
    {
      name: "nothing is counted now and then",
      file: `${folder}/controller.ts`,
      find: "if (resyncPeriodMs > 0) parts.loop(",
      replace: "if (resyncPeriodMs < 0) parts.loop(",
      noticedBy: "counts all anew after --resource-quota-sync-period",
    },
  ],
};
