// Faults in the volume expander. Each would leave a claim unexpanded, or its user without an event.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/persistentvolume-expander";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/persistentvolume-expander/scenarios.test.ts"],
  faults: [
    {
      name: "a claim that has what it wants is expanded",
      file: `${folder}/sync.ts`,
      find: "quantityFromWire(status?.capacity?.storage)) > 0",
      replace: "quantityFromWire(status?.capacity?.storage)) >= 0",
      noticedBy: "does nothing for a claim that has what it wants",
    },
    {
      name: "the nodes are disturbed while they grow a volume",
      file: `${folder}/expansion.ts`,
      find: 'return isExpanded ? { kind: "wait" }',
      replace: 'return isExpanded ? { kind: "request-node-expansion" }',
      noticedBy: "leaves a FlexVolume alone that a node is growing",
    },
    {
      name: "the mark of an expansion stays on the volume",
      file: `${folder}/sync.ts`,
      find: "isMarked && isExpandedOnNode(claim, volume)",
      replace: 'isMarked && volume.metadata.name === ""',
      noticedBy: "prepares a FlexVolume for the node that has to grow its file system",
    },
    {
      name: "the resizer is called by the name of the old plugin",
      file: `${folder}/sync.ts`,
      find: 'driverOfPlugin(plugin) ?? ""',
      replace: 'driverOfPlugin("") ?? plugin',
      noticedBy: "names the resizer of a migrated volume",
    },
    {
      name: "a block device waits for a file system",
      file: `${folder}/sync.ts`,
      find: '(volume.spec?.volumeMode ?? "Filesystem") === "Filesystem"',
      replace: '(volume.spec?.volumeMode ?? "Filesystem") !== ""',
      noticedBy: "finishes the expansion of a FlexVolume without a file system",
    },
    {
      name: "a claim that has grown is not looked at",
      file: `${folder}/controller.ts`,
      find: "isMore(claim.status?.capacity?.storage, old.status?.capacity?.storage)",
      replace: 'isMore(claim.status?.capacity?.storage, "1Ei")',
      noticedBy: "speaks of a volume whose growth is not finished",
    },
  ],
};
