// Faults in the node lifecycle controller: heartbeats, taints, zones.

import type { FaultPlan } from "./fault.ts";

const lifecycle = "src/controllers/node-lifecycle";

export const plan: FaultPlan = {
  suites: [`./${lifecycle}`, "./test/scenarios/node-lifecycle/scenarios.test.ts"],
  faults: [
    {
      name: "the time of a lease counts, not when it was seen to change",
      file: `${lifecycle}/node-health.ts`,
      find: "? { ...status, lease, heardAtMs: nowMs }",
      replace: "? { ...status, lease, heardAtMs: timeOrUndefined(lease.spec?.renewTime) ?? 0 }",
      noticedBy: "when its lease was renewed, whatever time the lease says",
    },
    {
      name: "a silent node keeps its conditions",
      file: `${lifecycle}/monitor.ts`,
      find: "await deps.nodesApi.updateStatus({ object: silent }, signal);",
      replace: "",
      noticedBy: "makes the conditions of a silent node unknown, and marks its pods",
    },
    {
      name: "NetworkUnavailable becomes unknown, too",
      file: `${lifecycle}/node-health.ts`,
      find: "if (!KUBELET_CONDITIONS.includes(condition.type) || condition.status",
      replace: "if (condition.status",
      noticedBy: "leaves NetworkUnavailable of a silent node alone",
    },
    {
      name: "taints go on when no node is ready",
      file: `${lifecycle}/disruption.ts`,
      find: "rates: new Map([...zones.keys()].map((zone) => [zone, 0])),",
      replace: "rates: new Map(),",
      noticedBy: "stops all zones when all are fully disrupted, also on the first look",
    },
    {
      name: "taints stay when no node is ready",
      file: `${lifecycle}/monitor.ts`,
      find: "for (const node of nodes) await markReachable(node, deps, signal);",
      replace: "",
      noticedBy: "takes NoExecute taints away when no node is ready, and sets them again when one is",
    },
    {
      name: "a small zone that is partially disrupted is tainted at the reduced rate",
      file: `${lifecycle}/disruption.ts`,
      find: "return size > rates.largeZoneSize ? rates.reducedPerSecond : 0;",
      replace: "return rates.reducedPerSecond;",
      noticedBy: "changes the rates of the zones that changed, alone",
    },
    {
      name: "a new limiter is full",
      file: `${lifecycle}/taint-queue.ts`,
      find: "if (this.#bucket !== undefined && old?.tryTake() !== true) this.#bucket.tryTake();",
      replace: "old?.tryTake();",
      noticedBy: "begins with an empty bucket after one that was empty, and with a full one after a full one",
    },
    {
      name: "a node that lost its taint is not tainted again",
      file: `${lifecycle}/no-execute-taints.ts`,
      find: "if (!hasTaint(node.spec?.taints, add)) queue.remove(node.metadata.name);",
      replace: "",
      noticedBy: "taints a node again from which a user took the taint",
    },
    {
      name: "a node that is ready again keeps its NoExecute taints",
      file: `${lifecycle}/no-execute-taints.ts`,
      find: 'if (ready.status === "True") await markReachable(node, deps, signal);',
      replace: "",
      noticedBy: "taints a silent node unreachable, and clears it when its kubelet is back",
    },
    {
      name: "taints are patched without a resource version",
      file: `${lifecycle}/taint-writes.ts`,
      find: "const patch = { metadata: { resourceVersion }, ...strategicPatch",
      replace: "const patch = { metadata: {}, ...strategicPatch",
      noticedBy: "removes the taint of a new node, and gives each condition its NoSchedule taint",
    },
    {
      name: "a node that is excluded counts for its zone",
      file: `${lifecycle}/monitor.ts`,
      find: "if (!isExcludedFromDisruption(node)) {",
      replace: "if (!isExcludedFromDisruption({ ...node, metadata: {} })) {",
      noticedBy: "does not count nodes for their zone that are excluded",
    },
  ],
};
