// Faults in the CIDR ranges of nodes and of Services.

import type { FaultPlan } from "./fault.ts";

const ipam = "src/controllers/node-ipam";
const cidrs = "src/controllers/service-cidr";

export const plan: FaultPlan = {
  suites: [
    `./${ipam}`,
    `./${cidrs}`,
    "./src/rules/cidr.test.ts",
    "./test/scenarios/node-ipam",
    "./test/scenarios/service-cidr",
  ],
  faults: [
    {
      name: "the ranges of services are given away",
      file: `${ipam}/controller.ts`,
      find: "for (const service of settings.services) ranges.keepOut(service, settings.ranges);",
      replace: "",
      noticedBy: "keeps the range of services and the ranges that nodes came with",
    },
    {
      name: "a deleted node keeps its range",
      file: `${ipam}/controller.ts`,
      find: "ranges.releaseOf(node);",
      replace: "ref(node);",
      noticedBy: "says when there is no range left, gives one when a node goes",
    },
    {
      name: "a node that is being deleted gets a range",
      file: `${ipam}/sync.ts`,
      find: "if (node === undefined || node.metadata.deletionTimestamp !== undefined) return done;",
      replace: "if (node === undefined) return done;",
      noticedBy: "and none to a node that is being deleted",
    },
    {
      name: "the first free range is given away, be it just released",
      file: `${ipam}/cidr-set.ts`,
      find: "this.#next = (index + 1) % this.#size;",
      replace: "",
      noticedBy: "does not give the range of a deleted node away at once",
    },
    {
      name: "the ranges that nodes came with are given away",
      file: `${ipam}/sync.ts`,
      find: "deps.ranges.occupy(node);",
      replace: "void 0;",
      noticedBy: "keeps the range of services and the ranges that nodes came with",
    },
    {
      name: "a ServiceCIDR goes at once",
      file: `${cidrs}/sync.ts`,
      find: "const GRACE_MS = 10_000;",
      replace: "const GRACE_MS = 0;",
      noticedBy: "lets a ServiceCIDR without addresses go 10 seconds after its deletion",
    },
    {
      name: "a ServiceCIDR does not hear that its last address is gone",
      file: `${cidrs}/controller.ts`,
      find: 'onDelete: (address) => enqueueContaining("delete", address),',
      replace: "",
      noticedBy: "keeps a ServiceCIDR with the address of a Service until the address is gone",
    },
    {
      name: "a new ServiceCIDR does not free the ones that it contains",
      file: `${cidrs}/controller.ts`,
      find: "for (const cidr of cidrs.lister.list()) if (isOverlapping(cidr, added)) queue.add(cidr.metadata.name, cause);",
      replace: "void isOverlapping;",
      noticedBy: "lets a ServiceCIDR go when a new one contains its addresses",
    },
    {
      name: "one family within another ServiceCIDR is enough",
      file: `${cidrs}/containment.ts`,
      find: "prefixesOf(cidr).every((prefix) =>",
      replace: "prefixesOf(cidr).some((prefix) =>",
      noticedBy: "keeps a ServiceCIDR of two families with an address of the second",
    },
  ],
};
