// Faults in the aggregation of cluster roles. Each would grant users rights that they should not have, or remove
// others.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/clusterrole-aggregation";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/clusterrole-aggregation"],
  faults: [
    {
      name: "the first selector alone counts",
      file: `${folder}/rules.ts`,
      find: "aggregated.aggregationRule?.clusterRoleSelectors ?? []) {",
      replace: "aggregated.aggregationRule?.clusterRoleSelectors?.slice(0, 1) ?? []) {",
      noticedBy: "gathers selector by selector, each rule once",
    },
    {
      name: "a role keeps its own rules",
      file: `${folder}/rules.ts`,
      find: ".filter(({ metadata }) => metadata.name !== aggregated.metadata.name)",
      replace: '.filter(({ metadata }) => metadata.name !== "")',
      noticedBy: "does not gather its own rules",
    },
    {
      name: "roles are gathered in the order of the cache",
      file: `${folder}/rules.ts`,
      find: ".toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));",
      replace: ".toSorted((a, b) => compareText(b.metadata.name, a.metadata.name));",
      noticedBy: "gathers the rules of the roles that it selects, in the order of their names",
    },
    {
      name: "another role's end is not noticed",
      file: `${folder}/controller.ts`,
      find: 'onDelete: (role) => enqueueAll("delete", role),',
      replace: "onDelete: () => undefined,",
      noticedBy: "gives up its rules when it selects no role any more",
    },
    {
      name: "rules of users stay beside those that are applied",
      file: `${folder}/controller.ts`,
      find: "fieldManager: FIELD_MANAGER, force: true",
      replace: "fieldManager: FIELD_MANAGER, force: false",
      noticedBy: "takes back what a user writes into it",
    },
  ],
};
