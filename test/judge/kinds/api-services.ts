// API services, as the real server judges them. The server's controller changes remote ones at any time, so those are
// judged by upstream's strategy alone. The controller requires this condition of local ones.

import type { KindRow } from "../kind-row.ts";

const GROUP = "$ns.local";
const spec = { group: GROUP, version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 };
const service = { namespace: "default", name: "api" };

const available = {
  type: "Available",
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
  lastTransitionTime: "2026-01-02T03:04:05Z",
};
const other = { ...available, type: "example.com/Other", status: "False" };

export const apiServices: KindRow = {
  label: "APIService",
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  resource: "apiservices",
  isClusterScoped: true,
  name: `v1.${GROUP}`,
  minimal: { spec },
  invalid: [
    {},
    { spec: { ...spec, version: "v2" } },
    { spec: { ...spec, group: "", version: "v2" } },
    { spec: { ...spec, group: "Bad_Group", version: "1" } },
    { spec: { ...spec, groupPriorityMinimum: 0, versionPriority: 1001 } },
    { spec: { ...spec, groupPriorityMinimum: 20001, versionPriority: -1 } },
    { spec: { ...spec, insecureSkipTLSVerify: true, caBundle: "Y2E=" } },
    { spec: { ...spec, service: {} } },
    { spec: { ...spec, service: { ...service, port: 0 } } },
    { spec: { ...spec, service: { ...service, port: 70000 } } },
    { spec: { ...spec, service, insecureSkipTLSVerify: true, caBundle: "Y2E=" } },
  ],
  updates: [
    { spec: { versionPriority: 15 } },
    { spec: { groupPriorityMinimum: 0 } },
    { spec: { group: "other.local" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [available, other] },
    { conditions: [available, { ...other, status: "Some" }] },
    { conditions: [available, other, other] },
    { conditions: "text" },
  ],
  patches: {
    merge: { spec: { versionPriority: 20 } },
    json: [{ op: "replace", path: "/spec/groupPriorityMinimum", value: 2000 }],
    strategic: { spec: { versionPriority: 30 } },
  },
  otherContent: { spec: { ...spec, versionPriority: 50 } },
};
