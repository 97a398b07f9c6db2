// Component statuses, as the real server judges them. The components and their health differ between the servers.

import type { JudgeCase } from "../case.ts";
import { asTable, del, get, merge, patch, post } from "../steps.ts";

const STATUSES = "/api/v1/componentstatuses";
const nothing = `${STATUSES}?labelSelector=a%3Db`;

export const componentStatusCases: readonly JudgeCase[] = [
  {
    name: "ComponentStatus: reads of what is not there",
    steps: [
      get(`${STATUSES}/nobody`),
      get(nothing),
      get(nothing, asTable),
      get(`${STATUSES}?fieldSelector=metadata.name%3Dnobody`),
      get(`${STATUSES}?fieldSelector=metadata.name%3Dnobody&limit=1`),
      get(`${STATUSES}?fieldSelector=status%3Dok`),
      get(`${STATUSES}?labelSelector=a%20b`),
      get(`${STATUSES}/nobody?resourceVersion=x`),
    ],
  },
  {
    name: "ComponentStatus: nobody writes or watches them",
    steps: [
      post(STATUSES, { metadata: { name: "a" } }),
      patch(`${STATUSES}/nobody`, merge, { metadata: { labels: { a: "b" } } }),
      del(`${STATUSES}/nobody`),
      del(STATUSES),
      get(`${STATUSES}?watch=true&labelSelector=a%3Db`),
    ],
  },
];
