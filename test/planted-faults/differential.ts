// Faults that leave the objects as they should be, or nearly so, and differ from the Go manager on the wire. The
// comparison with it must notice each.

import type { FaultPlan } from "./fault.ts";

const replicaset = "src/controllers/replicaset";

export const plan: FaultPlan = {
  faults: [
    {
      name: "adoption trusts the cached owner",
      file: "src/kit/claim.ts",
      find: "    await canAdopt();\n",
      replace: "",
      scenarios: ["adopt"],
    },
    {
      name: "every status write reads the object first",
      file: `${replicaset}/status.ts`,
      find: "  let target = owner;\n",
      replace: "  let target = await deps.ownersApi.get({ namespace, name }, signal);\n",
      scenarios: ["scale"],
    },
    {
      name: "bodies carry the managed fields of the cache",
      file: "src/informers/transforms.ts",
      find: "  if (metadata?.managedFields === undefined) return object;\n",
      replace: "  if (metadata !== undefined) return object;\n",
      scenarios: ["scale"],
    },
    {
      name: "informers ask for no bookmarks",
      file: "src/informers/reflector.ts",
      find: "timeoutSeconds, allowWatchBookmarks: true }",
      replace: "timeoutSeconds }",
      scenarios: ["scale"],
    },
    {
      name: "informers list instead of streaming the list",
      file: "src/informers/shared-informer.ts",
      find: "usesWatchList: gates.WatchListClient,",
      replace: "usesWatchList: false,",
      scenarios: ["scale"],
    },
    {
      name: "watches give no timeout",
      file: "src/client/resource-client.ts",
      find: "    timeout: timeoutSeconds === undefined ? undefined : formatDuration(durationOfMs(timeoutSeconds * 1000)),\n",
      replace: "",
      scenarios: ["scale"],
    },
    {
      name: "informers go by another name",
      file: "src/manager/controller-context.ts",
      find: 'rootClients.client("shared-informers",',
      replace: 'rootClients.client("informers",',
      scenarios: ["scale"],
    },
    {
      name: "pods are patched by a merge patch",
      file: "src/kit/pod-control.ts",
      find: 'name, type: "strategic", patch }',
      replace: 'name, type: "merge", patch }',
      scenarios: ["adopt"],
    },
    {
      name: "pods do not block the deletion of their owner",
      file: "src/api/owner-refs.ts",
      find: "    blockOwnerDeletion: true,\n",
      replace: "",
      scenarios: ["scale"],
    },
    {
      name: "a set that is being deleted no longer tells its status",
      file: `${replicaset}/status.ts`,
      find: "  const wanted: ReplicaSetStatus = {\n",
      replace:
        "  if (owner.metadata?.deletionTimestamp !== undefined) return owner;\n  const wanted: ReplicaSetStatus = {\n",
      scenarios: ["foreground"],
    },
    {
      name: "the status does not tell which generation it is of",
      file: `${replicaset}/status.ts`,
      find: "    ...(generation === undefined ? {} : { observedGeneration: generation }),\n",
      replace: "    ...(generation === 1 ? { observedGeneration: 1 } : {}),\n",
      scenarios: ["scale"],
    },
    {
      name: "pods that are going away are not counted",
      file: `${replicaset}/status.ts`,
      find: "...(input.reportsTerminating ? { terminatingReplicas: terminating.length } : {}),",
      replace: "...(input.reportsTerminating ? { terminatingReplicas: 0 } : {}),",
      scenarios: ["graceful-deletion"],
    },
    {
      name: "a failed create is told as a failed delete",
      file: `${replicaset}/status.ts`,
      find: 'reason: isShort ? "FailedCreate" : "FailedDelete",',
      replace: 'reason: "FailedDelete",',
      scenarios: ["quota"],
    },
    {
      name: "events do not say which version of the object they are about",
      file: "src/kit/events/recorder.ts",
      find: "    ...(resourceVersion ? { resourceVersion } : {}),\n",
      replace: "",
      scenarios: ["scale"],
    },
    {
      name: "similar events are not combined",
      file: "src/kit/events/correlator.ts",
      find: "if (aggregate.messages.size < AGGREGATE_AT_MESSAGES) return",
      replace: "if (aggregate.messages.size >= 0) return",
      scenarios: ["burst"],
    },
    {
      name: "a pod that no longer matches stays owned",
      file: "src/kit/claim.ts",
      find: 'return ownerIsDeleting ? "leave" : "release";',
      replace: 'return "leave";',
      scenarios: ["rc-selector"],
    },
  ],
};
