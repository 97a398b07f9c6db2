// The types of a policy's variables besides objects: the request, its namespace, the authorizer, and the policy's own
// variables; and the types that mutations create.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/cel/{compile,composition}.go; k8s.io/apiserver/pkg/cel/mutation.

import type { Extension, Overload } from "./declarations.ts";
import { BOOL, DYN, INT, listType, mapType, STRING, structType, TIMESTAMP, type Type } from "./types.ts";

type Fields = Readonly<Record<string, Type>>;

const struct = (name: string, fields: Fields): Type =>
  structType(`kubernetes.${name}`, new Map(Object.entries(fields)));
const STRINGS = listType(STRING);
const STRING_MAP = mapType(STRING, STRING);

const groupVersionKind = struct("GroupVersionKind", { group: STRING, version: STRING, kind: STRING });
const groupVersionResource = struct("GroupVersionResource", { group: STRING, version: STRING, resource: STRING });

export const requestType: Type = struct("AdmissionRequest", {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: STRING,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: struct("UserInfo", { username: STRING, uid: STRING, groups: STRINGS, extra: mapType(STRING, STRINGS) }),
  dryRun: BOOL,
  options: DYN,
});

export const namespaceType: Type = struct("Namespace", {
  metadata: struct("NamespaceMetadata", {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: STRING_MAP,
    annotations: STRING_MAP,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: STRINGS,
  }),
  spec: struct("NamespaceSpec", { finalizers: STRINGS }),
  status: struct("NamespaceStatus", {
    conditions: listType(
      struct("NamespaceCondition", {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
});

export const authorizerType: Type = struct("authorization.Authorizer", {});
export const resourceCheckType: Type = struct("authorization.ResourceCheck", {});

/** For all expressions of policies. */
export const policyTypes: Extension = {
  structType: (name) => [requestType, namespaceType].find((type) => type.name === name),
};

const JSON_PATCH_FIELDS = new Map(Object.entries({ op: STRING, path: STRING, from: STRING, value: DYN }));

/** As upstream, it also has any other field, of a type without a name. */
export const jsonPatchType: Type = { ...structType("JSONPatch", JSON_PATCH_FIELDS), anyField: structType("") };

/** An applied object; the types of its fields are named after their paths. */
export const appliedType = (name = "Object"): Type => ({ ...structType(name), anyField: DYN });

const escapeKey: Overload = {
  id: "string_jsonpatch_escapeKey_string",
  isMember: false,
  args: [STRING],
  result: STRING,
  params: [],
};

/** For the expressions of mutations. */
export const mutationTypes: Extension = {
  structType(name) {
    if (name === jsonPatchType.name) return jsonPatchType;
    return name === "Object" || name.startsWith("Object.") ? appliedType(name) : policyTypes.structType(name);
  },
  overloadsOf: (name) => (name === "jsonpatch.escapeKey" ? [escapeKey] : undefined),
};

/** The type of `variables`, with a field for each variable checked so far. */
export const variablesType = (fields: ReadonlyMap<string, Type>): Type => structType("kubernetes.variables", fields);

const SIMPLE: ReadonlySet<string> = new Set("bool bytes double duration int null string timestamp uint".split(" "));

/** The type of a variable in later expressions. As upstream, fields of objects are unknown there. */
export function variableType(type: Type | undefined): Type {
  if (type === undefined) return DYN;
  if (SIMPLE.has(type.kind)) return type;
  const [first, second] = type.params.map(variableType);
  if (type.kind === "list" && first !== undefined) return listType(first);
  if (type.kind === "map" && first !== undefined && second !== undefined) return mapType(first, second);
  return DYN;
}
