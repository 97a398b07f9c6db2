// Faults that show only when the API server dies in the middle of work. The outage scenarios must notice each.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: ["./test/scenarios/outages.test.ts"],
  faults: [
    {
      name: "a create whose answer was lost counts as one that failed",
      file: "src/families/replicas/scale.ts",
      find: "      deps.doubts.note(key, error);\n",
      replace: "",
      noticedBy: "an API server killed in the middle of a scale-up: converges, no surplus pod, no error loop",
    },
    {
      name: "what came of lost answers is looked at, and the cache not waited for",
      file: "src/kit/doubtful-creates.ts",
      find: "    this.#versions.requireFresh(ownerKey);\n",
      replace: "",
      noticedBy: "an API server killed in the middle of a scale-up: converges, no surplus pod, no error loop",
    },
    {
      name: "a reset connection counts as refused",
      file: "src/kit/doubtful-creates.ts",
      find: '["refused", "dns", "tls"]',
      replace: '["refused", "reset", "dns", "tls"]',
      noticedBy: "an API server that is gone for less than the back-off of anybody: no surplus pod",
    },
    {
      name: "each failure is logged, however often it comes",
      file: "src/manager/log-repeats.ts",
      find: "nowMs - before.atMs < QUIET_MS) {",
      replace: "nowMs - before.atMs < 0) {",
      noticedBy: "an API server killed in the middle of a scale-up: converges, no surplus pod, no error loop",
    },
    {
      name: "a forgotten version is asked for again and again",
      file: "src/informers/reflector.ts",
      find: '    else log?.info("Warning: watch ended with error", { type: name, err: errorMessage(failure) });\n    return { at: "pause", next: BEGIN };',
      replace: '    return { at: "pause", next: OPEN_WATCH };',
      noticedBy: "that remembers no older version: a relist, no surplus pod",
    },
    {
      name: "a restarted server forgets what it had acknowledged",
      file: "src/sim/memory-journal.ts",
      find: "this.#entries.set(entry.revision, stringifyJson(entry));",
      replace: "if (entry.revision % 7 > 0) this.#entries.set(entry.revision, stringifyJson(entry));",
      noticedBy: "an API server killed in the middle of a scale-up: converges, no surplus pod, no error loop",
    },
  ],
};
