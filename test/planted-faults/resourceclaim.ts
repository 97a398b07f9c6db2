// Faults in the creation, reservation and release of resource claims.

import type { FaultPlan } from "./fault.ts";

export const plan: FaultPlan = {
  suites: ["./src/controllers/resourceclaim", "./src/families/devices", "./test/scenarios/resourceclaim"],
  faults: [
    {
      name: "claims of other entries are taken",
      file: "src/controllers/resourceclaim/sync-users.ts",
      find: "return metadata.annotations?.[ENTRY_ANNOTATION] === name;",
      replace: "return metadata.annotations?.[ENTRY_ANNOTATION] !== name;",
      noticedBy: "takes a claim of the pod that the status does not name yet",
    },
    {
      name: "the reservation of a pod that has ended stays",
      file: "src/controllers/resourceclaim/sync-claim.ts",
      find: "return pod.metadata.uid === consumer.uid && !isPodDone(pod);",
      replace: "return pod.metadata.uid === consumer.uid;",
      noticedBy: "deallocates a claim when its last user has ended",
    },
    {
      name: "a reservation drops those of others",
      file: "src/controllers/resourceclaim/sync-users.ts",
      find: "[...(claim.status.reservedFor ?? []), consumerOf(pod, group, entry)]",
      replace: "[consumerOf(pod, group, entry)]",
      noticedBy: "adds its pod to the reservations of others",
    },
    {
      name: "reservations of unknown consumers are dropped",
      file: "src/controllers/resourceclaim/sync-claim.ts",
      find: "    return group.metadata.uid === consumer.uid;\n  }\n  return true;",
      replace: "    return group.metadata.uid === consumer.uid;\n  }\n  return false;",
      noticedBy: "keeps reservations of consumers that it does not know",
    },
    {
      name: "a pod that the cache does not show counts as gone",
      file: "src/controllers/resourceclaim/sync-claim.ts",
      find: "return await isOnServer(claim, consumer, deps.podsApi, signal);",
      replace: "return false;",
      noticedBy: "keeps the reservation of a pod that the cache does not show yet",
    },
    {
      name: "the allocation goes with the first reservation",
      file: "src/controllers/resourceclaim/sync-claim.ts",
      find: "const isFreed = remaining.length === 0 && isProtected(claim);",
      replace: "const isFreed = isProtected(claim);",
      noticedBy: "deallocates a claim when its last user has ended",
    },
    {
      name: "a living unused claim loses its allocation",
      file: "src/controllers/resourceclaim/sync-claim.ts",
      find: " && claim.metadata.deletionTimestamp !== undefined) {",
      replace: ") {",
      noticedBy: "keeps the allocation of an unused claim until the claim is deleted",
    },
    {
      name: "claims for extended resources are forgotten",
      file: "src/controllers/resourceclaim/triggers.ts",
      find: "if (extended !== undefined) {",
      replace: "if (extended !== undefined && (pod.spec?.resourceClaims ?? []).length > 0) {",
      noticedBy: "releases the claim that the scheduler made for extended resources",
    },
    {
      name: "a pod makes the claim that it shares with its group",
      file: "src/controllers/resourceclaim/sync-users.ts",
      find: "if (group !== undefined && isPodGroupReference(consumerOf(pod, group, entry))) {",
      replace: "if (group !== undefined && consumerOf(pod, group, entry).uid === pod.metadata.uid) {",
      noticedBy: "makes one claim for a group, and its pods copy the name",
    },
    {
      name: "claims that were just made are not remembered",
      file: "src/controllers/resourceclaim/created-claims.ts",
      find: "return [...cached, ...created];",
      replace: "return cached;",
      noticedBy: "are found by their pod, after those of the cache",
    },
    {
      name: "both parts of a long name are cut by the longer one's share",
      file: "src/controllers/resourceclaim/generated-claim.ts",
      find: "(part.length * BASE_LENGTH_MAX) / whole.length",
      replace: "(owner.length * BASE_LENGTH_MAX) / whole.length",
      noticedBy: "cuts long names of pods and entries in proportion",
    },
    {
      name: "a template with alternatives is taken although the gate is off",
      file: "src/controllers/resourceclaim/controller.ts",
      find: 'prioritizedList: gates.isEnabled("DRAPrioritizedList")',
      replace: "prioritizedList: true",
      noticedBy: "refuses a template with alternatives while the manager's gate is off",
    },
  ],
};
