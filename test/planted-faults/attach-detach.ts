// Faults in attaching and detaching volumes.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/persistentvolume-attach-detach";

export const plan: FaultPlan = {
  suites: ["./src/families/volumes", `./${folder}`, "./test/scenarios/persistentvolume-attach-detach"],
  faults: [
    {
      name: "an exclusive volume goes to a second node",
      file: `${folder}/decisions.ts`,
      find: "isShareable || holders.length === 0",
      replace: "isShareable || holders.length >= 0",
      noticedBy: "gives an exclusive volume to another node only after the first has lost it",
    },
    {
      name: "an attachment that the driver reported keeps nobody from the volume after a restart",
      file: `${folder}/actual-state.ts`,
      find: 'doubt === undefined || doubt === "found-attached"',
      replace: "doubt === undefined",
      noticedBy: "gives no exclusive volume to two nodes, whichever write the manager dies after (28)",
    },
    {
      name: "a mounted volume is detached",
      file: `${folder}/decisions.ts`,
      find: "if (isInUse && !isOutOfService",
      replace: "if (isInUse && isOutOfService",
      noticedBy: "waits until the node has unmounted the volume",
    },
    {
      name: "the volume is detached before the node's status says so",
      file: `${folder}/reconcile.ts`,
      find: "  actual.retract(volume, node);\n",
      replace: "",
      noticedBy: "takes a volume off the node's status, then detaches it",
    },
    {
      name: "a ready node loses its mounted volumes after six minutes",
      file: `${folder}/decisions.ts`,
      find: "!(isTimeOver && !isReady(node))",
      replace: "!isTimeOver",
      noticedBy: "detaches by force after six minutes from a node that is not ready",
    },
    {
      name: "a driver that needs no attach gets VolumeAttachments",
      file: `${folder}/wanted-volumes.ts`,
      find: "?.spec?.attachRequired !== false",
      replace: "?.spec?.attachRequired !== null",
      noticedBy: "does not attach for a driver that needs no attach",
    },
    {
      name: "an ephemeral volume is attached for any pod of that name",
      file: "src/families/volumes/pod-volumes.ts",
      find: "volume.ephemeral !== undefined && !isClaimOfPod(claim, pod)",
      replace: "volume.ephemeral !== undefined && claim === undefined",
      noticedBy: "attaches an ephemeral volume only if the pod controls its claim",
    },
    {
      name: "a volume in a pod is attached as if it were a PersistentVolume",
      file: `${folder}/attacher.ts`,
      find: "if (isInline) return",
      replace: "if (isInline && persistentVolume === undefined) return",
      noticedBy: "attaches an in-tree volume of a pod through its CSI driver",
    },
    {
      name: "what the driver says of a failed detach is not heard",
      file: `${folder}/attacher.ts`,
      find: "if (attachment?.status?.detachError !== undefined)",
      replace: "if (attachment?.status?.detachError === null)",
      noticedBy: "tries again to detach what the driver could not",
    },
    {
      name: "volumes that lost their VolumeAttachment stay attached",
      file: `${folder}/reconcile.ts`,
      find: "    deps.actual.markDetached(volume, node);\n",
      replace: "",
      noticedBy: "attaches again what it finds detached",
    },
    {
      name: "a node that was made anew reports nothing",
      file: `${folder}/controller.ts`,
      find: "        actual.markStale(node.metadata.name);\n",
      replace: "",
      noticedBy: "reports the volumes of a node that was made anew",
    },
  ],
};
