// Faults in the embedded API server. The recorded answers of the real one must notice each, without Go programs.

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
    },
    {
      name: "an object with finalizers is deleted at once",
      file: `${folder}/write/delete-object.ts`,
      find: 'if (start.kind === "immediate" && !hasFinalizers) return',
      replace: 'if (start.kind === "immediate") return',
    },
    {
      name: "a dry run creates",
      file: `${folder}/write/create-object.ts`,
      find: "if (dryRun) return object;",
      replace: "",
    },
    {
      name: "the next page begins with the last object of this one",
      file: `${folder}/verbs/list.ts`,
      find: "lastKey}\\0`",
      replace: "lastKey}`",
    },
    {
      name: "a page shows what was written after the list began",
      file: `${folder}/verbs/list.ts`,
      find: "exact !== undefined && exact < core.storage.revision ? { revision: exact } : {}",
      replace: "{}",
    },
    {
      name: "a forgotten version is watched as if nothing had been missed",
      file: `${folder}/verbs/watch.ts`,
      find: "if (from < table.compactedRevision)\n    throw",
      replace:
        "if (from < table.compactedRevision) return { initial: [], afterRevision: core.storage.revision };\n  if (false) throw",
    },
    {
      name: "the preconditions of a deletion are not looked at before it begins",
      file: `${folder}/write/graceful-deletion.ts`,
      find: "  checkPreconditions(row, given, options);\n",
      replace: "",
    },
    {
      name: "unknown fields pass where they must not",
      file: `${folder}/decoding/decode-object.ts`,
      find: 'if (errors.length > 0 && validation === "Strict") {',
      replace: "if (errors.length < 0) {",
    },
    {
      name: "an apply takes fields of others without being asked to",
      file: `${folder}/verbs/apply.ts`,
      find: "options.fieldManager, options.force);",
      replace: "options.fieldManager, true);",
    },
    {
      name: "an object can be given another name by a patch",
      file: `${folder}/verbs/patch.ts`,
      find: "checkObjectName(call, matched);",
      replace: "",
    },
    {
      name: "a deletion in the foreground waits for nobody",
      file: `${folder}/write/delete-object.ts`,
      find: "withPropagation(row, start.object, options);",
      replace: "start.object;",
    },
    {
      name: "bodies may be of any size",
      file: `${folder}/decoding/request-body.ts`,
      find: "if (body.bytes.length > bytesMax) throw",
      replace: "if (body.bytes.length < 0) throw",
    },
    {
      name: "a write that changes nothing makes a new version",
      file: `${folder}/write/update-object.ts`,
      find: "if (deepEqual(object, old)) return { object: old, isCreated: false };",
      replace: "",
    },
    {
      name: "metadata is answered with the rest of the object",
      file: `${folder}/rendering.ts`,
      find: "return partialMetadata(object, shape.metaVersion);\n    case",
      replace: "return object;\n    case",
    },
    {
      name: "objects that leave a selector stay in the eyes of a watch",
      file: `${folder}/watch/watcher.ts`,
      find: 'return wasSelected ? "DELETED" : undefined;',
      replace: 'return version.isDeletion && wasSelected ? "DELETED" : undefined;',
    },
    {
      name: "a service that is refused keeps its address",
      file: `${folder}/write/allocating.ts`,
      find: "if (!isStored) revert();",
      replace: "",
    },
    {
      name: "a service that is deleted keeps its address",
      file: `${folder}/services/service-allocation.ts`,
      find: "if (needsClusterIp(spec)) for (const ip of ipsOf(spec)) releaseIp(core, ip);",
      replace: "",
    },
    {
      name: "a dry run takes node ports",
      file: `${folder}/services/node-ports.ts`,
      find: "return dryRun ? new DryRun(this) : new Requests(this);",
      replace: "return new Requests(this);",
    },
    {
      name: "two services have one node port",
      file: `${folder}/services/node-ports.ts`,
      find: "if (this.has(port)) return ALREADY_ALLOCATED;",
      replace: "",
    },
    {
      name: "owners of a custom resource are forgotten when it is written in another version",
      file: `${folder}/managed-fields.ts`,
      find: "complete = withObjectMeta(schema);",
      replace: "complete = schema;",
    },
  ],
};
