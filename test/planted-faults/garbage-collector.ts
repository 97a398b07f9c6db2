// Faults in the garbage collector. Each would delete an object that must stay, or keep one that must go.

import type { FaultPlan } from "./fault.ts";

const collector = "src/controllers/garbage-collector";

export const plan: FaultPlan = {
  suites: [`./${collector}`, "./test/scenarios/garbage-collector"],
  faults: [
    {
      name: "an object is deleted whatever became of it since it was read",
      file: `${collector}/object-api.ts`,
      find: "await remove({ uid, resourceVersion });",
      replace: "await remove({});",
      noticedBy: "deletes a dependent whose owner never was, in the state it was read in",
    },
    {
      name: "an object that changed is deleted whoever owns it now",
      file: `${collector}/object-api.ts`,
      find: " &&\n        isSameReferences(current.ownerReferences, live.ownerReferences);",
      replace: ";",
      noticedBy: "is not repeated when the owners changed",
    },
    {
      name: "the cache is asked instead of the API server",
      file: `${collector}/object-api.ts`,
      find: "return (await kind.api.get(addressOf(identity, kind), signal)).metadata;",
      replace: "return await this.#metadata(kind, identity, signal);",
      noticedBy: "deletes what an owner leaves behind, down to the last dependent",
    },
    {
      name: "an owner that is left does not save its dependent from the loss of another",
      file: `${collector}/verdict.ts`,
      find: 'if (uidsOf("solid").length > 0) {',
      replace: 'if (uidsOf("solid").length === owners.length) {',
      noticedBy: "with one owner left removes exactly the references to those that are gone",
    },
    {
      name: "an owner that waits for its dependents keeps them",
      file: `${collector}/verdict.ts`,
      find: 'finalizers?.includes(FOREGROUND) ? "waiting" : "solid"',
      replace: 'finalizers === undefined ? "waiting" : "solid"',
      noticedBy: "keeps an owner until the dependents that block it are gone",
    },
    {
      name: "a circle of dependents is not broken",
      file: `${collector}/verdict.ts`,
      find: "(dependent) => dependent.isDeletingDependents);",
      replace: "() => false);",
      noticedBy: "is not blocked by two objects that own each other",
    },
    {
      name: "an owner in another namespace is as good as one in the same",
      file: `${collector}/graph.ts`,
      find: 'if (namespace !== "" && namespace !== node.identity.namespace) {',
      replace: 'if (namespace === "nowhere") {',
      noticedBy: "deletes a dependent whose owner lives in another namespace, and tells so",
    },
    {
      name: "a look-up under wrong coordinates removes a living owner from the graph",
      file: `${collector}/graph.ts`,
      find: "if (!node.isVirtual && isSameIdentity(node.identity, absent)) return true;",
      replace: "if (!node.isVirtual) return true;",
      noticedBy: "follows random histories as upstream's graph builder does",
    },
    {
      name: "an owner is let go before its dependents are released",
      file: `${collector}/attempt-to-orphan.ts`,
      find: "  const releases = ",
      replace: "  await deps.objects.removeFinalizer(owner.identity, ORPHAN, signal);\n  const releases = ",
      noticedBy: "releases the dependents of an owner that is deleted without them, then lets the owner go",
    },
    {
      name: "an owner of an unknown kind counts as gone",
      file: `${collector}/attempt-to-delete.ts`,
      find: "const { isNamespaced } = await objects.kind(reference, signal);",
      replace:
        "const served = await objects.kind(reference, signal).catch(() => undefined);\n" +
        '  if (served === undefined) return "dangling";\n  const { isNamespaced } = served;',
      noticedBy: "keeps a dependent with an owner of a kind that nothing serves, whatever its other owners are",
    },
    {
      name: "nobody looks again at an owner that no informer has seen",
      file: `${collector}/attempt-to-delete.ts`,
      find: 'return node.isVirtual ? backOff("no informer has seen the object yet") : done;',
      replace: "return done;",
      noticedBy: "comes back to a virtual item until an informer has seen it",
    },
    {
      name: "a JSON merge patch takes all owners away",
      file: `${collector}/patches.ts`,
      find: "(({ uid }) => !ownerUids.includes(uid))",
      replace: "(() => false)",
      noticedBy: "collects, releases and unblocks custom resources by JSON merge patches",
    },
    {
      name: "a group that cannot be discovered is watched no longer",
      file: "src/kit/discovered-resources.ts",
      find: "return kept.length === 0 ? found :",
      replace: "return kept.length >= 0 ? found :",
      noticedBy: "keeps watching what it watches while its group cannot be discovered",
    },
    {
      name: "a resource that cannot be listed stops the garbage collector",
      file: `${collector}/resource-sync.ts`,
      find: "deadlineScope(clock, SYNC_PERIOD_MS, signal)",
      replace: "deadlineScope(clock, 100 * SYNC_PERIOD_MS, signal)",
      noticedBy: "begins after 30 seconds although a resource cannot be listed",
    },
    {
      name: "a kind that is defined later is not watched",
      file: `${collector}/resource-sync.ts`,
      find: "await until(round, SYNC_PERIOD_MS, deps.clock, signal);",
      replace: "await round(signal);\n  await until(() => undefined, SYNC_PERIOD_MS, deps.clock, signal);",
      noticedBy: "follows a kind that is defined, removed and defined again",
    },
  ],
};
