// Faults in the volume binder. Each would cost a user data or a volume; the scenarios and unit tests must notice all of
// them.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/persistentvolume-binder";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./src/families/volumes", "./test/scenarios/persistentvolume-binder/scenarios.test.ts"],
  faults: [
    {
      name: "the volume with the most access modes is taken first",
      file: "src/families/volumes/claim-matching.ts",
      find: '(a, b) => a.split(",").length - b.split(",").length ||',
      replace: '(a, b) => b.split(",").length - a.split(",").length ||',
      noticedBy: "prefers the volume with the fewest access modes",
    },
    {
      name: "a volume that is being deleted is given to a claim",
      file: "src/families/volumes/claim-matching.ts",
      find: "volume.metadata.deletionTimestamp === undefined\n  );",
      replace: "volume.metadata.name !== undefined\n  );",
      noticedBy: "is one that upstream may choose, in 3,000 sets of volumes",
    },
    {
      name: "a volume that a user reserved counts as the binder's choice",
      file: "src/families/volumes/bound-volume.ts",
      find: "!isReservedFor(volume, claim) && !hasAnnotation(volume, BOUND_BY_CONTROLLER)",
      replace: "!hasAnnotation(volume, BOUND_BY_CONTROLLER)",
      noticedBy: "a reserved volume gets the whole reference and no mark",
    },
    {
      name: "the claim is bound before its volume says so",
      file: `${folder}/writes.ts`,
      find: 'const bound = await setVolumePhase(spoken, "Bound", "", deps, signal);',
      replace: "const bound = spoken;",
      noticedBy: "binds the smallest volume that is large enough, the volume before the claim",
    },
    {
      name: "an old event undoes what the binder has written",
      file: `${folder}/known-objects.ts`,
      find: "object.metadata.resourceVersion) > 0",
      replace: "object.metadata.resourceVersion) > 1",
      noticedBy: "the memory ignores older versions, compared as numbers, and takes equal ones",
    },
    {
      name: "a volume is not retained",
      file: `${folder}/reclaim.ts`,
      find: 'case "Retain":',
      replace: 'case "Keep":',
      noticedBy: "releases and retains the volume of a claim that is deleted",
    },
    {
      name: "the program deletes what belongs to a CSI driver",
      file: `${folder}/reclaim.ts`,
      find: "if (isMigrated(volume)) return;",
      replace: "",
      noticedBy: "leaves a migrated volume to its CSI driver",
    },
    {
      name: "a volume is recycled under the pods that use it",
      file: `${folder}/recycling.ts`,
      find: "users.length > 0 &&",
      replace: "users.length > 99 &&",
      noticedBy: "does not recycle a volume that pods use",
    },
    {
      name: "any directory of the machine is deleted",
      file: `${folder}/host-path.ts`,
      find: ".test(path)) {",
      replace: '.test(path) && path === "") {',
      noticedBy: "does not delete a host path that is no temporary one",
    },
    {
      name: "volumes are made before the scheduler has chosen a node",
      file: `${folder}/sync-claim.ts`,
      find: "if (isDelayed && !hasAnnotation(claim, SELECTED_NODE)) reportWaiting(claim, deps);",
      replace: "if (isDelayed && claim.metadata.uid === SELECTED_NODE) reportWaiting(claim, deps);",
      noticedBy: "waits for a pod to be scheduled before a volume is made",
    },
    {
      name: "a claim that wants no class gets the default one",
      file: "src/rules/storage-classes.ts",
      find: "spec?.storageClassName !== undefined",
      replace: "Boolean(spec?.storageClassName)",
      noticedBy: "gives claims without a class the default class, even late",
    },
  ],
};
