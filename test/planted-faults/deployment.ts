// Faults in the deployment controller: in its arithmetic, in its conditions for completion, and in the order of its
// steps.

import type { FaultPlan } from "./fault.ts";

const controller = "src/controllers/deployment";

export const plan: FaultPlan = {
  suites: [`./${controller}`, "./test/scenarios/deployment"],
  faults: [
    {
      name: "Recreate makes the new ReplicaSet before the old ones are empty",
      file: `${controller}/strategies.ts`,
      find: "let rollout = await resolveSets(deployment, sets, { createsNew: false }",
      replace: "let rollout = await resolveSets(deployment, sets, { createsNew: true }",
      noticedBy: "starts no new pod before the last old one has ended",
    },
    {
      name: "a status that is behind frees more pods than are there",
      file: `${controller}/resizing.ts`,
      find: "if (count < 0) return undefined;",
      replace: "if (count < 0) continue;",
      noticedBy: "shrinks old ReplicaSets as upstream does, and not by a status that is behind",
    },
    {
      name: "a rollout without surge and unavailable replicas stands still",
      file: `${controller}/sizes.ts`,
      find: "{ surge: 0, unavailable: 1 }",
      replace: "{ surge: 0, unavailable: 0 }",
      noticedBy: "of 1 replicas, surge 0% and unavailable 10%",
    },
    {
      name: "the remainder of a division is lost",
      file: `${controller}/sizes.ts`,
      find: "Math.max(0, first.size + toAdd - added)",
      replace: "Math.max(0, first.size)",
      noticedBy: "of equals the newer grows first and the older shrinks first",
    },
    {
      name: "available pods are removed below the minimum",
      file: `${controller}/resizing.ts`,
      find: "- minAvailable - newUnavailable;",
      replace: "- minAvailable;",
      noticedBy: "spreads a new size over all ReplicaSets in the middle of a rollout, in proportion",
    },
    {
      name: "Recreate does not wait for terminating pods",
      file: `${controller}/strategies.ts`,
      find: "some((pod) => !isPodTerminal(pod)));",
      replace: "some((pod) => !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined));",
      noticedBy: "starts no new pod before the last old one has ended",
    },
    {
      name: "the deadline is forgotten when nothing happens",
      file: `${controller}/status.ts`,
      find: 'requeueAfter(leftMs + 1000, "progress deadline")',
      replace: "done",
      noticedBy: "looks again when the deadline has passed, without an event",
    },
    {
      name: "a template that comes back gets no new revision",
      file: `${controller}/revisions.ts`,
      find: "if (old >= newRevision) return",
      replace: "if (old > 0) return",
      noticedBy: "takes the old ReplicaSet when a template comes back",
    },
    {
      name: "a hash collision is taken for the controller's own ReplicaSet",
      file: `${controller}/replica-sets.ts`,
      find: "return isControlled && isSameTemplate(deployment.spec?.template, set.spec?.template);",
      replace: "return isControlled;",
      noticedBy: "takes another name when the hash is taken by a different template",
    },
    {
      name: "the history limit deletes the newest revisions",
      file: `${controller}/replica-sets.ts`,
      find: "alive.toSorted(byRevision).slice(0, surplus)",
      replace: "alive.toSorted(byRevision).slice(alive.length - surplus)",
      noticedBy: "keeps as many old ReplicaSets as the history limit says",
    },
    {
      name: "a status is sent that the sync's own last write has made stale",
      file: `${controller}/writes.ts`,
      find: "if (answer.metadata.resourceVersion !== resourceVersion) replaced.add(resourceVersion);",
      replace: "",
      noticedBy: "sends no status that conflicts with the one that the same sync has written",
    },
    {
      name: "a ReplicaSet is created once more before the cache shows it",
      file: `${controller}/sync.ts`,
      find: "if (waitMs > 0) return",
      replace: "if (waitMs > 5000) return",
      noticedBy: "creates a ReplicaSet once, although the cache shows its own status first",
    },
    {
      name: "a sync waits for ever for a ReplicaSet that the cache never shows",
      file: `${controller}/created-sets.ts`,
      find: "const leftMs = isSeen ? 0 : created.endMs - this.#clock.monotonicMs();",
      replace: "const leftMs = isSeen ? 0 : WAIT_MS;",
      noticedBy: "goes on without the ReplicaSet that it has created when the cache does not show it in a second",
    },
  ],
};
