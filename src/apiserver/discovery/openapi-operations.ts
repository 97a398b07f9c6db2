// The OpenAPI operations of a kind: path, method, parameters, body and responses of each verb. Both OpenAPI versions
// are written from them.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go, apiextensions-apiserver/pkg/controller/openapi/builder
// Deviation: built-in kinds have no deprecated watch paths and no parameters for connect operations.

import type { GroupVersionKind } from "#api/object.ts";
import type { Subresource, Verb } from "#api/resource-table.ts";
import { schemaOf, schemaOfType } from "#api/schema-table.ts";
import type { Endpoint } from "../registry.ts";
import type { OpenApiSchemas } from "./openapi-schemas.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: string;
}

export interface Operation {
  readonly method: string;
  readonly action: string;
  readonly id: string;
  readonly tag: string;
  readonly gvk: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  /** Absent: no body. */
  readonly body?: { readonly schema: string; readonly isRequired: boolean };
  /** The media types of requests. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Schema of the response by status; undefined: text. */
  readonly answers: Readonly<Record<number, string | undefined>>;
}

export interface PathItem {
  readonly path: string;
  /** Parameters that all its operations share. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const STATUS = `${META}.Status`;

const query = (name: string, type = "string"): Parameter => ({ name, in: "query", type });
const path = (name: string): Parameter => ({ name, in: "path", type: "string" });

const PRETTY = query("pretty");
const WRITE = [query("dryRun"), query("fieldManager"), query("fieldValidation")];
const LIST = [
  query("allowWatchBookmarks", "boolean"),
  query("continue"),
  query("fieldSelector"),
  query("labelSelector"),
  query("limit", "integer"),
  query("resourceVersion"),
  query("resourceVersionMatch"),
  query("sendInitialEvents", "boolean"),
  query("shardSelector"),
  query("timeoutSeconds", "integer"),
  query("watch", "boolean"),
];
const DELETE = [
  query("dryRun"),
  query("gracePeriodSeconds", "integer"),
  query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  query("orphanDependents", "boolean"),
  query("propagationPolicy"),
];
const WATCHES: ReadonlySet<string> = new Set(["allowWatchBookmarks", "watch"]);

const JSON_AND_YAML = ["application/json", "application/yaml"];
const JSON_PATCHES = ["application/json-patch+json", "application/merge-patch+json"];
const STRATEGIC = "application/strategic-merge-patch+json";
const APPLY = "application/apply-patch+yaml";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const BUILTIN_TYPES = ["application/json", PROTOBUF, "application/yaml"];
const BUILTIN_LIST_TYPES = [
  "application/json",
  "application/json;stream=watch",
  PROTOBUF,
  `${PROTOBUF};stream=watch`,
  "application/yaml",
];

interface VerbForm {
  readonly method: string;
  readonly action: string;
  /** The base of its operations' names. */
  readonly name: string;
}

const VERBS: Readonly<Record<Verb, VerbForm>> = {
  get: { method: "get", action: "get", name: "read" },
  list: { method: "get", action: "list", name: "list" },
  watch: { method: "get", action: "watch", name: "watch" },
  create: { method: "post", action: "post", name: "create" },
  update: { method: "put", action: "put", name: "replace" },
  patch: { method: "patch", action: "patch", name: "patch" },
  delete: { method: "delete", action: "delete", name: "delete" },
  deletecollection: { method: "delete", action: "deletecollection", name: "delete" },
};

/** The paths of one kind. Adds the schemas that they refer to. */
export function pathsOf(endpoint: Endpoint, root: string, schemas: OpenApiSchemas): PathItem[] {
  const { row, version } = endpoint;
  const schema = version.schema();
  if (schema === undefined) return [];
  const item = schemas.addKind(version, schema, version.openApi?.(schemas.form));
  const list = version.verbs.includes("list") ? schemas.addList(version, item) : item;
  addMetaTypes(schemas);
  const base = row.namespaced ? `${root}/namespaces/{namespace}/${row.resource}` : `${root}/${row.resource}`;
  const inNamespace = row.namespaced ? [path("namespace")] : [];
  const named = [path("name"), ...inNamespace];
  const scope = row.namespaced ? "Namespaced" : "";
  const at = (target: string, shared: readonly Parameter[], verbs: readonly Verb[], suffix = ""): PathItem => {
    const offered = verbs.filter((verb) => version.verbs.includes(verb));
    const names = (verb: Verb): string => (verb === "deletecollection" ? "Collection" : "") + scope + version.kind;
    return pathItem(
      target,
      [...shared, PRETTY],
      offered.map((verb) =>
        operation(endpoint, verb, suffix === "" ? names(verb) : version.kind + suffix, verb === "list" ? list : item),
      ),
    );
  };
  return [
    at(base, inNamespace, ["list", "create", "deletecollection"]),
    at(`${base}/{name}`, named, ["get", "update", "delete", "patch"]),
    ...(row.namespaced ? [at(`${root}/${row.resource}`, [], ["list"], "ForAllNamespaces")] : []),
    ...version.subresources.map((subresource) => {
      const operations = subresourceOperations(endpoint, subresource, scope, item, schemas);
      return pathItem(`${base}/{name}/${subresource.name}`, [...named, PRETTY], operations);
    }),
  ].filter(({ operations }) => operations.length > 0);
}

function addMetaTypes(schemas: OpenApiSchemas): void {
  for (const name of ["Patch", "Status", "DeleteOptions", "ListMeta", "ObjectMeta"]) {
    const type = schemaOfType("meta.v1", name);
    if (type !== undefined) schemas.addType(type);
  }
}

/** Parameters that all operations share are listed at the path. */
function pathItem(target: string, shared: readonly Parameter[], operations: readonly Operation[]): PathItem {
  const [first, ...others] = operations;
  const isEverywhere = ({ name }: Parameter): boolean =>
    others.every(({ parameters }) => parameters.some((each) => each.name === name));
  const common = first === undefined ? [] : first.parameters.filter(isEverywhere);
  const without = operations.map((each) => ({
    ...each,
    parameters: each.parameters.filter((parameter) => !common.includes(parameter)),
  }));
  const parameters = [...shared, ...common].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { path: target, parameters, operations: without };
}

function subresourceOperations(
  endpoint: Endpoint,
  { name, verbs, kind }: Subresource,
  scope: string,
  item: string,
  schemas: OpenApiSchemas,
): Operation[] {
  const { row, version } = endpoint;
  const offered = (["get", "update", "create", "delete", "patch"] as const).filter((verb) => verbs.includes(verb));
  const names = `${scope}${version.kind}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const gvk = row.isCustom ? version : kind;
  if (kind.kind.endsWith("Options")) {
    return offered.map((verb) => connection(endpoint, VERBS[verb].method, names, gvk));
  }
  const isOwn = kind.group === version.group && kind.kind === version.kind;
  const schema = isOwn ? undefined : schemaOf(kind);
  const body = schema === undefined ? item : schemas.addKind(kind, schema);
  return offered.map((verb) => ({ ...operation(endpoint, verb, names, body), gvk }));
}

function connection(endpoint: Endpoint, method: string, names: string, gvk: GroupVersionKind): Operation {
  const id = operationId(endpoint, "connect", method.charAt(0).toUpperCase() + method.slice(1) + names);
  const any = ["*/*"];
  const answers = { 200: undefined };
  return { method, action: "connect", ...id, gvk, parameters: [], consumes: any, produces: any, answers };
}

function operation(endpoint: Endpoint, verb: Verb, names: string, item: string): Operation {
  const { version, row } = endpoint;
  const { method, action, name } = VERBS[verb];
  const isBuiltin = !row.isCustom;
  const body = bodyOf(verb, item, isBuiltin);
  return {
    method,
    action,
    ...operationId(endpoint, name, names),
    gvk: version,
    parameters: parametersOf(verb, isBuiltin),
    ...(body && { body }),
    consumes: verb === "patch" ? patchesOf(isBuiltin) : isBuiltin ? ["*/*"] : JSON_AND_YAML,
    produces: isBuiltin ? (verb === "list" ? BUILTIN_LIST_TYPES : BUILTIN_TYPES) : JSON_AND_YAML,
    answers: answersOf(verb, item, isBuiltin),
  };
}

function parametersOf(verb: Verb, isBuiltin: boolean): readonly Parameter[] {
  if (verb === "get") return isBuiltin ? [] : [query("resourceVersion")];
  if (verb === "list" || verb === "watch") return LIST;
  if (verb === "delete") return DELETE;
  if (verb === "create" || verb === "update") return WRITE;
  if (verb === "patch") return [...WRITE, query("force", "boolean")];
  if (!isBuiltin) return LIST;
  return [...LIST.filter(({ name }) => !WATCHES.has(name)), ...DELETE].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function bodyOf(verb: Verb, item: string, isBuiltin: boolean): Operation["body"] {
  if (verb === "create" || verb === "update") return { schema: item, isRequired: true };
  if (verb === "patch") return { schema: `${META}.Patch`, isRequired: true };
  const takesOptions = verb === "delete" || (verb === "deletecollection" && isBuiltin);
  return takesOptions ? { schema: `${META}.DeleteOptions`, isRequired: false } : undefined;
}

const patchesOf = (isBuiltin: boolean): readonly string[] =>
  isBuiltin ? [...JSON_PATCHES, STRATEGIC, APPLY] : [...JSON_PATCHES, APPLY];

function answersOf(verb: Verb, item: string, isBuiltin: boolean): Operation["answers"] {
  if (verb === "delete") return { 200: STATUS, 202: STATUS };
  if (verb === "deletecollection") return { 200: STATUS };
  if (verb === "create") return { 200: item, 201: item, 202: item };
  if (verb === "update" || (verb === "patch" && isBuiltin)) return { 200: item, 201: item };
  return { 200: item };
}

/** Upstream: k8s.io/apiserver/pkg/endpoints/openapi, GetOperationIDAndTags */
function operationId({ version }: Endpoint, verb: string, names: string): Pick<Operation, "id" | "tag"> {
  const group = (version.group === "" ? "core" : version.group).replace(/\.k8s\.io$/, "");
  const inCamelCase = (text: string, isCapital: boolean): string =>
    text
      .split(/[^\p{L}\d_]+/u)
      .map((word, index) => (index === 0 && !isCapital ? word : word.charAt(0).toUpperCase() + word.slice(1)))
      .join("");
  return {
    id: `${verb}${inCamelCase(group, true)}${inCamelCase(version.version, true)}${names}`,
    tag: `${inCamelCase(group, false)}_${version.version}`,
  };
}
