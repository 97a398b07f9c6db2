// Faults in the protection of volumes, claims and attribute classes, and in ephemeral claims.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: [
    "./src/families/protection",
    "./test/scenarios/persistentvolumeclaim-protection",
    "./test/scenarios/persistentvolume-protection",
    "./test/scenarios/volumeattributesclass-protection",
    "./test/scenarios/ephemeral-volume",
  ],
  faults: [
    {
      name: "a used object is let go",
      file: "src/families/protection/protection.ts",
      find: "else if (!(await isUsed(object, signal))) {",
      replace: "else {",
      noticedBy: "keeps a claim until the pod on a node is gone",
    },
    {
      name: "the finalizers of others are removed, too",
      file: "src/families/protection/protection.ts",
      find: "finalizers.filter((other) => other !== finalizer)",
      replace: "finalizers.filter(() => false)",
      noticedBy: "leaves the finalizers of others on a deleted volume",
    },
    {
      name: "a pod without a node holds its claims",
      file: "src/controllers/persistentvolumeclaim-protection/usage.ts",
      find: 'if ((pod.spec?.nodeName ?? "") === "") return false;',
      replace: "",
      noticedBy: "does not keep a claim for a pod without a node",
    },
    {
      name: "any pod with an ephemeral volume of that name holds the claim",
      file: "src/controllers/persistentvolumeclaim-protection/usage.ts",
      find: "(countsEphemeral && isClaimOfPod(claim, pod))",
      replace: "countsEphemeral",
      noticedBy: "for the pod that controls it, and no other",
    },
    {
      name: "a claim is told to be unused although a pod waits for it",
      file: "src/controllers/persistentvolumeclaim-protection/sync.ts",
      find: "!(await isUsed(claim, keepsInUse))",
      replace: "!(await isUsed(claim, blocksDeletion))",
      noticedBy: "tells since when no pod refers to a claim, behind its gate",
    },
    {
      name: "a released volume stays",
      file: "src/controllers/persistentvolume-protection/controller.ts",
      find: 'volume.status?.phase === "Bound"',
      replace: 'volume.status?.phase !== "Available"',
      noticedBy: "persistentvolume-protection/2 keeps a volume until it is not bound any more",
    },
    {
      name: "the class that a claim is changing to is not held",
      file: "src/controllers/volumeattributesclass-protection/class-names.ts",
      find: "    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,\n",
      replace: "",
      noticedBy: "keeps the class that a claim has now, or is changing to",
    },
    {
      name: "a claim of that name is taken for the pod's, whoever owns it",
      file: "src/controllers/ephemeral-volume/sync.ts",
      find: "if (isClaimOfPod(known, pod)) return;",
      replace: "return;",
      noticedBy: "refuses a claim of that name that is not the pod's",
    },
  ],
};
