// Faults in the EndpointSlice controller and in the code that it shares with the mirroring controller.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/endpointslice";
const family = "src/families/slices";

export const plan: FaultPlan = {
  suites: [`./${folder}`, `./${family}`, "./test/scenarios/endpointslice"],
  faults: [
    {
      name: "a pod that is being deleted still counts as ready",
      file: `${folder}/wanted-endpoints.ts`,
      find: "(serving && !terminating)",
      replace: "serving",
      noticedBy: "follows a pod from unready to ready, terminating and gone",
    },
    {
      name: "a slice takes one endpoint more than it may",
      file: `${family}/packing.ts`,
      find: "if (roomy === undefined) create.push(newSlice(wanted.takeSome(endpointsMax)));",
      replace: "if (roomy === undefined) create.push(newSlice(wanted.takeSome(endpointsMax + 1)));",
      noticedBy: "makes as many slices as it takes at once",
    },
    {
      name: "a new endpoint goes to the slice with the most room",
      file: `${family}/packing.ts`,
      find: "if (room < 0 || room >= bestRoom) continue;",
      replace: "if (room < 0 || (best !== undefined && room <= bestRoom)) continue;",
      noticedBy: "keeps endpoints where they are, and never rebalances",
    },
    {
      name: "slices of an earlier Service are taken over",
      file: `${folder}/slice-form.ts`,
      find: 'uid === service.metadata.uid && kind === "Service"',
      replace: 'kind === "Service"',
      noticedBy: "leaves slices of a deleted Service, and replaces them for its successor",
    },
    {
      name: "a cache that lags is believed",
      file: `${folder}/sync.ts`,
      find: "  deps.tracker.refuseStale(key, living);\n",
      replace: "",
      noticedBy: "waits for its own writes to come back, and writes nothing twice",
    },
    {
      name: "the empty slice is written again with every sync",
      file: `${folder}/planning.ts`,
      find: "if (only !== undefined && others.length === 0 && isPlaceholder(only, service)) remove.length = 0;",
      replace: "if (only !== undefined && others.length > 0 && isPlaceholder(only, service)) remove.length = 0;",
      noticedBy: "makes an empty slice for a Service without pods",
    },
    {
      name: "hints stay when the Service no longer asks for them",
      file: `${folder}/hinting.ts`,
      find: "? withoutAnyHints(slices)",
      replace: "? slices",
      noticedBy: "hints by zones in the mode Auto, and stops when they go",
    },
    {
      name: "a pod whose Node is unknown is never tried again",
      file: `${folder}/sync.ts`,
      find: "const errors: unknown[] = plan.withoutNode.map((pod) => nodeMissing(pod, service, deps));",
      replace: "const errors: unknown[] = [];\n  for (const pod of plan.withoutNode) nodeMissing(pod, service, deps);",
      noticedBy: "leaves a pod out until its Node is known, and says so",
    },
    {
      name: "the time of the change is that of the last sync",
      file: "src/families/service-pods/trigger-times.ts",
      find: "if (before !== undefined && time <= before) return;",
      replace: "if (before !== undefined && time < before) return;",
      noticedBy: "says when the change happened that it wrote",
    },
  ],
};
