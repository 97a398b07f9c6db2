// Faults that leave the objects the same, or nearly so, but differ from the Go manager in the requests. The comparison
// with its recordings must notice each.

import type { FaultPlan } from "./fault.ts";

const replicaset = "src/families/replicas";

export const plan: FaultPlan = {
  suites: ["./test/scenarios/replicaset/scenarios.test.ts", "./test/scenarios/replicationcontroller/scenarios.test.ts"],
  faults: [
    {
      name: "adoption trusts the cached owner",
      file: "src/kit/claim.ts",
      find: "    await canAdopt();\n",
      replace: "",
      noticedBy: "adopts two matching orphans and creates the third pod",
    },
    {
      name: "every status write reads the object first",
      file: "src/kit/status-write.ts",
      find: "  let target = object;\n",
      replace: "  let target = await api.get({ namespace, name }, signal);\n",
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
    {
      name: "informers ask for no bookmarks",
      file: "src/informers/reflector.ts",
      find: "timeoutSeconds, allowWatchBookmarks: true }",
      replace: "timeoutSeconds }",
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
    {
      name: "informers list instead of streaming the list",
      file: "src/informers/shared-informer.ts",
      find: "usesWatchList: gates.WatchListClient,",
      replace: "usesWatchList: false,",
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
    {
      name: "watches give no timeout",
      file: "src/client/resource-client.ts",
      find: "    timeout: timeoutSeconds === undefined ? undefined : formatDuration(durationOfMs(timeoutSeconds * 1000)),\n",
      replace: "",
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
    {
      name: "informers go by another name",
      file: "src/manager/controller-context.ts",
      find: 'rootClients.client("shared-informers",',
      replace: 'rootClients.client("informers",',
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
    {
      name: "pods are patched by a merge patch",
      file: "src/kit/pod-control.ts",
      find: 'name, type: "strategic", patch }',
      replace: 'name, type: "merge", patch }',
      noticedBy: "adopts two matching orphans and creates the third pod",
    },
    {
      name: "pods do not block the deletion of their owner",
      file: "src/api/owner-refs.ts",
      find: "    blockOwnerDeletion: true,\n",
      replace: "",
      noticedBy: "creates what is missing, controlled by the set",
    },
    {
      name: "a set that is being deleted no longer tells its status",
      file: `${replicaset}/status.ts`,
      find: "  const { generation } = owner.metadata;\n",
      replace:
        "  const { generation } = owner.metadata;\n  if (owner.metadata.deletionTimestamp !== undefined) return owner;\n",
      noticedBy: "a set deleted in the foreground creates nothing",
    },
    {
      name: "the status does not tell which generation it is of",
      file: `${replicaset}/status.ts`,
      find: "generation === undefined ? {} : { observedGeneration: generation };",
      replace: "generation === 1 ? { observedGeneration: 1 } : {};",
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
    {
      name: "pods that are going away are not counted",
      file: `${replicaset}/status.ts`,
      find: "...(input.reportsTerminating ? { terminatingReplicas: terminating.length } : {}),",
      replace: "...(input.reportsTerminating ? { terminatingReplicas: 0 } : {}),",
      noticedBy: "a pod that is deleted gracefully is replaced at once",
    },
    {
      name: "a failed create is told as a failed delete",
      file: `${replicaset}/status.ts`,
      find: 'reason: isShort ? "FailedCreate" : "FailedDelete",',
      replace: 'reason: "FailedDelete",',
      noticedBy: "a quota refuses the surplus",
    },
    {
      name: "events do not say which version of the object they are about",
      file: "src/kit/events/recorder.ts",
      find: "    resourceVersion,\n  };",
      replace: '    ...(resourceVersion === "" ? { resourceVersion } : {}),\n  };',
      noticedBy: "records an event for each pod created and deleted",
    },
    {
      name: "similar events are not combined",
      file: "src/kit/events/correlator.ts",
      find: "if (aggregate.messages.size < AGGREGATE_AT_MESSAGES) return",
      replace: "if (aggregate.messages.size >= 0) return",
      noticedBy: "scales to 60 and back at once",
    },
    {
      name: "a pod that no longer matches stays owned",
      file: "src/kit/claim.ts",
      find: 'return ownerIsDeleting ? "leave" : "release";',
      replace: 'return "leave";',
      noticedBy: "its selector defaults to the template's labels",
    },
    {
      name: "a set that is dying on the server adopts what it believes to be orphans",
      file: "src/kit/claim.ts",
      find: "if (deletedAt !== undefined) throw",
      replace: "if (deletedAt === null) throw",
      noticedBy: "a set that sees its orphans before its own deletion",
    },
    {
      name: "while pods are missing, one that is not there counts as ready",
      file: `${replicaset}/status.ts`,
      find: "    readyReplicas: ready.length,\n",
      replace: "    readyReplicas: ready.length + (active.length < (owner.spec?.replicas ?? 1) ? 1 : 0),\n",
      noticedBy: "scales 0, 5, 2, 0 without a surplus pod",
    },
  ],
};
