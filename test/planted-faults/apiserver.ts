// Faults in the embedded API server. The tests against the real one's recorded answers must notice each, without Go.

import type { FaultPlan } from "./fault.ts";

const folder = "src/apiserver";

export const plan: FaultPlan = {
  suites: ["./test/judge/recorded.test.ts"],
  faults: [
    {
      name: "a stale version overwrites a newer one",
      file: `${folder}/write/update-object.ts`,
      find: 'if (given !== "" && given !== "0") throw newConflict(',
      replace: 'if (given === "never") throw newConflict(',
      noticedBy: "configmaps: update: conditional, unconditional, stale, wrong uid",
    },
    {
      name: "an object with finalizers is deleted at once",
      file: `${folder}/write/delete-object.ts`,
      find: 'if (start.kind === "immediate" && !hasFinalizers) return',
      replace: 'if (start.kind === "immediate") return',
      noticedBy: "configmaps: delete with finalizers",
    },
    {
      name: "a dry run creates",
      file: `${folder}/write/create-object.ts`,
      find: "if (dryRun) return object;",
      replace: "",
      noticedBy: "configmaps: dry run",
    },
    {
      name: "the next page begins with the last object of this one",
      file: `${folder}/verbs/list.ts`,
      find: "lastKey}\\0`",
      replace: "lastKey}`",
      noticedBy: "lists: pages",
    },
    {
      name: "a page shows what was written after the list began",
      file: `${folder}/verbs/list.ts`,
      find: "exact !== undefined && exact < core.storage.revision ? { revision: exact } : {}",
      replace: "{}",
      noticedBy: "pages stay on one state",
    },
    {
      name: "a forgotten version is watched as if nothing had been missed",
      file: `${folder}/verbs/watch.ts`,
      find: "if (from < table.compactedRevision)\n    throw",
      replace:
        "if (from < table.compactedRevision) return { initial: [], afterRevision: core.storage.revision };\n  if (false) throw",
      noticedBy: "what has been forgotten",
    },
    {
      name: "the preconditions of a deletion are not looked at before it begins",
      file: `${folder}/write/graceful-deletion.ts`,
      find: "  checkPreconditions(row, given, options);\n",
      replace: "",
      noticedBy: "configmaps: delete: options, preconditions, missing",
    },
    {
      name: "unknown fields pass where they must not",
      file: `${folder}/decoding/decode-object.ts`,
      find: 'if (errors.length > 0 && validation === "Strict") {',
      replace: "if (errors.length < 0) {",
      noticedBy: "configmaps: field validation",
    },
    {
      name: "an apply takes fields of others without being asked to",
      file: `${folder}/verbs/apply.ts`,
      find: "options.fieldManager, options.force);",
      replace: "options.fieldManager, true);",
      noticedBy: "configmaps: apply: create, own, conflict, force, give up",
    },
    {
      name: "an object can be given another name by a patch",
      file: `${folder}/verbs/patch.ts`,
      find: "checkObjectName(call, matched);",
      replace: "",
      noticedBy: "configmaps: immutable metadata",
    },
    {
      name: "a deletion in the foreground waits for nobody",
      file: `${folder}/write/delete-object.ts`,
      find: "withPropagation(row.strategy, start.object, options);",
      replace: "start.object;",
      noticedBy: "configmaps: delete in the foreground and as an orphan",
    },
    {
      name: "bodies may be of any size",
      file: `${folder}/decoding/request-body.ts`,
      find: "if (body.bytes.length > bytesMax) throw",
      replace: "if (body.bytes.length < 0) throw",
      noticedBy: "bodies that are too large",
    },
    {
      name: "a write that changes nothing makes a new version",
      file: `${folder}/write/update-object.ts`,
      find: "if (deepEqual(object, old) && row.strategy.isStoredInPart?.(old) !== true) return { object: old, isCreated: false };",
      replace: "",
      noticedBy: "configmaps: a write that changes nothing keeps the version",
    },
    {
      name: "metadata is answered with the rest of the object",
      file: `${folder}/rendering.ts`,
      find: "return partialMetadata(endpoint, object, shape.metaVersion);\n    case",
      replace: "return object;\n    case",
      noticedBy: "configmaps: tables and metadata only",
    },
    {
      name: "objects that leave a selector stay in the eyes of a watch",
      file: `${folder}/watch/watcher.ts`,
      find: 'return wasSelected ? "DELETED" : undefined;',
      replace: 'return version.isDeletion && wasSelected ? "DELETED" : undefined;',
      noticedBy: "selectors: objects come, stay and go",
    },
    {
      name: "a service that is refused keeps its address",
      file: `${folder}/write/allocating.ts`,
      find: "if (!isStored) revert();",
      replace: "",
      noticedBy: "Service: what is refused keeps nothing",
    },
    {
      name: "a service that is deleted keeps its address",
      file: "src/kinds/core/service-allocation.ts",
      find: "if (needsClusterIp(spec)) for (const ip of ipsOf(spec)) releaseIp(server, ip);",
      replace: "",
      noticedBy: "Service: an address of its own, as an object, until it is deleted",
    },
    {
      name: "a dry run takes node ports",
      file: "src/kinds/core/service-node-ports.ts",
      find: "return dryRun ? new DryRun(this) : new Requests(this);",
      replace: "return new Requests(this);",
      noticedBy: "Service: a dry run takes nothing and shows what it would",
    },
    {
      name: "two services have one node port",
      file: "src/kinds/core/service-node-ports.ts",
      find: "if (this.has(port)) return ALREADY_ALLOCATED;",
      replace: "",
      noticedBy: "Service: node ports",
    },
    {
      name: "owners of a custom resource are forgotten when it is written in another version",
      file: `${folder}/managed-fields.ts`,
      find: "complete = withObjectMeta(schema);",
      replace: "complete = schema;",
      noticedBy: "owners in several versions, of fields that one of them does not know",
    },
  ],
};
