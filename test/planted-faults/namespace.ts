// Faults in the namespace controller. Each would leave objects behind, delete too much, or mislead a user.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/namespace";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/namespace"],
  faults: [
    {
      name: "other content goes while pods are still there",
      file: `${folder}/content.ts`,
      find: "if (count > 0) return await finish([]);",
      replace: "",
      noticedBy: "deletes pods first and nothing else before they are gone",
    },
    {
      name: "a namespace is let go although something failed",
      file: `${folder}/content.ts`,
      find: "if (errors.length > 0) throw aggregate(errors);",
      replace: "",
      noticedBy: "keeps a namespace as long as a group cannot be discovered, and empties it of the rest",
    },
    {
      name: "the first resource that fails ends the round",
      file: `${folder}/content.ts`,
      find: "if (error !== undefined) errors.push(error);\n  }",
      replace: "if (error !== undefined) throw error;\n  }",
      noticedBy: "tells which resource cannot be deleted yet and tries again",
    },
    {
      name: "a namespace is touched at once",
      file: `${folder}/controller.ts`,
      find: "    afterMs: GRACE_MS,\n",
      replace: "",
      noticedBy: "gives the other API servers five seconds before it touches anything",
    },
    {
      name: "what cannot be deleted as a collection stays",
      file: `${folder}/resource-content.ts`,
      find: "if (!(await deleteCollection(content, deps, signal))) await deleteEach(content, deps, signal);",
      replace: "await deleteCollection(content, deps, signal);",
      noticedBy: "deletes one by one what cannot be deleted as a collection",
    },
    {
      name: "what remains is not waited for",
      file: `${folder}/remains.ts`,
      find: "const FINALIZERS_SECONDS = 15;",
      replace: "const FINALIZERS_SECONDS = 0;",
      noticedBy: "is there: for 15 s when a finalizer holds an object",
    },
    {
      name: "pods that have ended are waited for",
      file: `${folder}/grace.ts`,
      find: 'status?.phase !== "Succeeded" && status?.phase !== "Failed"',
      replace: 'status?.phase !== "Failed"',
      noticedBy: "is the longest grace period of a pod that has not ended",
    },
    {
      name: "pods are given their grace period for ever",
      file: `${folder}/grace.ts`,
      find: "return nowMs - parseTime(deletedAt) >= wrappedSecondsMs(graceSeconds) ? 0 : graceSeconds;",
      replace: "return nowMs - parseTime(deletedAt) < 0 ? 0 : graceSeconds;",
      noticedBy: "says which pods are still there after their grace period",
    },
    {
      name: "the finalizers of others are removed",
      file: `${folder}/namespace-api.ts`,
      find: "return [...new Set(finalizers)].filter((finalizer) => finalizer !== FINALIZER).toSorted(compareText);",
      replace: "return [...new Set(finalizers)].filter(() => FINALIZER === compareText.name);",
      noticedBy: "removes its own finalizer from the spec, and leaves the others in order",
    },
    {
      name: "a conflict is taken for a failure",
      file: `${folder}/namespace-api.ts`,
      find: "if (!isConflict(error)) throw error;",
      replace: "if (isConflict(error)) throw error;",
      noticedBy: "namespace/tests empties a namespace and lets it go",
    },
    {
      name: "a successor of the same name is finalized",
      file: `${folder}/namespace-api.ts`,
      find: 'if (latest.metadata.uid !== uid) throw new Error("namespace uid has changed across retries");',
      replace: "if (latest.metadata.uid === '') throw new Error(uid);",
      noticedBy: "does not finalize another namespace of the same name",
    },
    {
      name: "a condition changes its time with each message",
      file: `${folder}/conditions.ts`,
      find: "...(status === wanted.status ? {} : { lastTransitionTime })",
      replace: "...(status === undefined ? {} : { lastTransitionTime })",
      noticedBy: "keep their place and those of others, and change their time with their status alone",
    },
    {
      name: "resources that cannot be deleted are deleted",
      file: `${folder}/resources.ts`,
      find: 'resources.filter(({ verbs }) => verbs.includes("delete"))',
      replace: "resources.filter(({ verbs }) => verbs.length > 0)",
      noticedBy: "leaves resources alone that cannot be deleted",
    },
    {
      name: "the program goes on without any resource",
      file: `${folder}/resources.ts`,
      find: "if (lists.length === 0) throw",
      replace: "if (lists.length < 0) throw",
      noticedBy: "ends the program when it finds no resource at all",
    },
  ],
};
