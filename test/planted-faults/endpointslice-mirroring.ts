// Faults in the controller that mirrors Endpoints.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/endpointslice-mirroring";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/endpointslice-mirroring"],
  faults: [
    {
      name: "mirrors stay when their Service gets a selector",
      file: `${folder}/sync.ts`,
      find: "service === undefined || hasSelector(service)",
      replace: "service === undefined",
      noticedBy: "takes mirrors away when the Service gets a selector",
    },
    {
      name: "mirrors keep an owner that is gone",
      file: `${folder}/planning.ts`,
      find: "!isOutlived &&",
      replace: "(!isOutlived || uid !== undefined) &&",
      noticedBy: "change with the owner",
    },
    {
      name: "the label that forbids mirroring is ignored",
      file: `${folder}/model.ts`,
      find: 'return labels?.[SKIP] !== "true" && annotations?.[LEADER] === undefined;',
      replace: 'return labels?.[SKIP] !== "yes" && annotations?.[LEADER] === undefined;',
      noticedBy: "mirrors no Endpoints that say so, are locks, or have no Service",
    },
    {
      name: "addresses that are not ready are mirrored as ready",
      file: `${folder}/wanted-mirrors.ts`,
      find: "for (const address of notReadyAddresses) add(address, false);",
      replace: "for (const address of notReadyAddresses) add(address, true);",
      noticedBy: "mirrors Endpoints that come, change and go",
    },
    {
      name: "addresses beyond the maximum are lost silently",
      file: `${folder}/sync.ts`,
      find: "if (skipped > invalid.length) {",
      replace: "if (skipped < invalid.length) {",
      noticedBy: "mirrors at most --mirroring-max-endpoints-per-subset addresses of a subset",
    },
  ],
};
