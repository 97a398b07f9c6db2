// The API requests that a controller may make, as data: the resources that it watches, its live reads and its writes.
// Scenario tests check the recorded requests against it.

import { type ControllerName, knownController } from "./known-controllers.ts";

export interface Contract {
  /** The resources of its informers. */
  readonly watches: readonly ContractResource[];
  /** Reads that bypass the caches. */
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
}

/** A Resource handle also has this shape. */
export interface ContractResource {
  readonly group: string;
  readonly resource: string;
}

export type Verb = "get" | "list" | "create" | "update" | "patch" | "delete" | "deletecollection";
export type Precondition = "uid" | "resourceVersion";

export interface Access extends ContractResource {
  readonly verb: Verb;
  readonly subresource: string;
  /** The preconditions that a delete must carry. A delete with more or fewer is another access. */
  readonly preconditions: readonly Precondition[];
}

/** For controllers that work on every resource of the server: garbage collection, quota, namespaces. */
export const anyResource: ContractResource = { group: "*", resource: "*" };

export const get = (resource: ContractResource, subresource = ""): Access => access("get", resource, subresource);
export const list = (resource: ContractResource): Access => access("list", resource);
export const create = (resource: ContractResource, subresource = ""): Access => access("create", resource, subresource);
export const update = (resource: ContractResource, subresource = ""): Access => access("update", resource, subresource);
export const patch = (resource: ContractResource, subresource = ""): Access => access("patch", resource, subresource);
export const removeAll = (resource: ContractResource): Access => access("deletecollection", resource);

export function remove(
  resource: ContractResource,
  { preconditions = [] }: { readonly preconditions?: Precondition | readonly Precondition[] } = {},
): Access {
  return access("delete", resource, "", [preconditions].flat());
}

const eventResource: ContractResource = { group: "", resource: "events" };

/** The writes of a controller that records events: spread them into its writes. */
export const events: readonly Access[] = [create(eventResource), patch(eventResource)];

function access(
  verb: Verb,
  { group, resource }: ContractResource,
  subresource = "",
  preconditions: readonly Precondition[] = [],
): Access {
  return { verb, group, resource, subresource, preconditions };
}

/** A request that a scenario recorded, in the terms of the authorizer. */
export interface SeenRequest extends ContractResource {
  /** The suffix of the user agent: a controller's identity, or another part of the program. */
  readonly identity: string;
  readonly verb: string;
  readonly subresource?: string;
  /** Of a delete. */
  readonly preconditions?: readonly Precondition[];
}

/** A ControllerDescriptor also has this shape. */
export interface ContractHolder {
  readonly name: ControllerName;
  readonly contract: Contract;
}

/**
 * The requests that no contract of the running controllers allows, each once. Controllers that share an identity share
 * their permissions. Informers are shared: a watch, or a list under no controller's identity, is allowed if any
 * contract watches the resource. Other requests of other parts of the program are ignored.
 */
export function violations(running: readonly ContractHolder[], requests: readonly SeenRequest[]): readonly string[] {
  const watches = running.flatMap(({ contract }) => contract.watches);
  const byIdentity = Map.groupBy(running, ({ name }) => knownController(name).identity);
  const isAllowed = (request: SeenRequest): boolean => {
    const holders = byIdentity.get(request.identity);
    if (request.verb === "watch" || (request.verb === "list" && holders === undefined)) {
      return watches.some((resource) => covers(resource, request));
    }
    return holders === undefined || holders.flatMap(accesses).some((allowed) => allows(allowed, request));
  };
  const refused = requests.filter((request) => !isAllowed(request));
  return [...new Set(refused.map((request) => `${request.identity}: ${shown(request)}`))];
}

/** The accesses that the contract declares and no request used. */
export function unexercised(holder: ContractHolder, requests: readonly SeenRequest[]): readonly string[] {
  const { identity } = knownController(holder.name);
  const own = requests.filter((request) => request.identity === identity);
  const watched = requests.filter(({ verb }) => verb === "watch");
  return [
    ...holder.contract.watches
      .filter((resource) => !watched.some((request) => covers(resource, request)))
      .map((resource) => shown({ ...resource, verb: "watch" })),
    ...accesses(holder)
      .filter((allowed) => !own.some((request) => allows(allowed, request)))
      .map(shown),
  ];
}

function accesses({ contract }: ContractHolder): readonly Access[] {
  return [...contract.reads, ...contract.writes];
}

function allows(allowed: Access, request: SeenRequest): boolean {
  const { subresource = "", preconditions = [] } = request;
  return (
    allowed.verb === request.verb &&
    covers(allowed, request) &&
    (allowed.subresource === "*" || allowed.subresource === subresource) &&
    allowed.preconditions.toSorted().join() === preconditions.toSorted().join()
  );
}

function covers(resource: ContractResource, { group, resource: name }: ContractResource): boolean {
  const isGroup = resource.group === "*" || resource.group === group;
  return isGroup && (resource.resource === "*" || resource.resource === name);
}

/** "update replicasets.apps/status", "delete pods with preconditions uid". */
function shown(request: Omit<SeenRequest, "identity">): string {
  const { verb, group, resource, subresource = "", preconditions = [] } = request;
  const name = group === "" || group === "*" ? resource : `${resource}.${group}`;
  const condition = preconditions.length === 0 ? "" : ` with preconditions ${preconditions.toSorted().join(", ")}`;
  return `${verb} ${name}${subresource === "" ? "" : `/${subresource}`}${condition}`;
}
