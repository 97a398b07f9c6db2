// What a kind may do beyond the generic verbs, and the API server's services for that. Hooks are created once per
// server, so they may keep state, such as allocated node ports.

import type { PolicyRule } from "#api/generated/types/rbac-v1.ts";
import type { DeleteOptions, Status } from "#api/meta.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import type { ApiError, GroupResource } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Rng } from "#base/rng.ts";
import type { Kubelets } from "#rules/kubelets.ts";
import type { Rule } from "./parts/defaulting.ts";

export interface KindHooks<T extends KubeObject = KubeObject> {
  /** Replaces the generic delete. Undefined: use the generic delete. "retry": start again. */
  deletion?(deletion: Deletion<T>, signal: AbortSignal): Promise<Deleted | "retry" | undefined>;
  /** Allocates the values that the server assigns, before the strategy runs. `old` is undefined for a new object. */
  allocation?(object: T, old: T | undefined, dryRun: boolean): Allocation<T>;
  /**
   * Runs after mutating admission and before the strategy; `old` is undefined for a new object. Throws if the user may
   * not write such an object.
   */
  authorizeWrite?(call: KindCall, object: T, old: T | undefined, signal: AbortSignal): Promise<void>;
  /** The same check after validation, for kinds whose upstream strategy makes it. */
  authorizeValid?: KindHooks<T>["authorizeWrite"];
  /** Runs once an object is deleted. */
  afterDelete?(object: T): void;
  /** Subresources that accept POST: binding, eviction, token. */
  readonly posted?: Readonly<Record<string, Posted & { readonly body: PostedBody }>>;
  /** Subresources that write their own response: log, exec, proxy. */
  readonly connected?: Readonly<Record<string, Connected>>;
  /** For a kind that is never stored, such as a review: the answer to a create. */
  readonly answered?: Posted;
  /** For a kind that is computed at each read and never stored, such as ComponentStatus. */
  readonly observed?: Observed;
}

export interface Observed {
  /** Throws a 404. */
  get(name: string, signal: AbortSignal): Promise<KubeObject>;
  list(signal: AbortSignal): Promise<readonly KubeObject[]>;
}

/** A kind that occurs only as a request body. */
export interface PostedBody extends GroupVersionKind {
  /** An older apiVersion with the same fields, which is also accepted. */
  readonly alsoReads?: string;
  readonly defaults?: Rule;
}

export interface Posted {
  /** The client's uid and timestamps are passed to the hook. */
  readonly preservesSystemFields?: boolean;
  /** The answer contains managedFields. */
  readonly tracksFields?: boolean;
  /** Completes the object between mutating and validating admission. Throws to refuse it. */
  prepare?(call: KindCall, object: KubeObject): KubeObject;
  /** Returns the object or Status to answer with. Throws to refuse it. */
  answer(call: PostedCall, object: KubeObject, signal: AbortSignal): Promise<KubeObject | Status>;
}

export type Connected = (call: KindCall, signal: AbortSignal) => Promise<HttpResponse>;

/** A request, routed and authorized. */
export interface KindCall {
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly verb: string;
  readonly groupResource: GroupResource;
  readonly user: UserInfo;
  /** The request's time, read once, so that all rules of one write see the same. */
  readonly now: EpochMs;
  readonly query: QueryReader;
  addWarning(text: string): void;
}

export interface QueryReader {
  all(name: string): readonly string[];
  text(name: string): string;
  /** Throws a 400 if the value is not an int64. */
  optionalInteger(name: string): number | undefined;
}

export interface PostedCall extends KindCall {
  readonly dryRun: boolean;
  /** Deletes the object that the subresource belongs to, like a DELETE with these options. */
  deleteAddressed(options: DeleteOptions, signal: AbortSignal): Promise<void>;
}

export interface Deletion<T extends KubeObject = KubeObject> extends KindCall {
  readonly existing: T;
  readonly options: DeleteOptions;
  /** Runs admission. Throws if it refuses. */
  admit(signal: AbortSignal): Promise<void>;
  /** Replaces the existing object, except in a dry run. Undefined if it changed meanwhile. */
  write(object: T): KubeObject | undefined;
}

export interface Deleted {
  /** The object was removed, or would be without dry run. */
  readonly isDeleted: boolean;
  /** In the stored form. Undefined: answer with a Status. */
  readonly object: KubeObject | undefined;
  readonly status: Status | undefined;
}

export interface Allocation<T extends KubeObject = KubeObject> {
  /** The object with its allocated values. */
  readonly object: T;
  /** The object was stored. Releases values of the old object that are not needed any more. */
  commit(): void;
  /** The object was not stored. Releases the values allocated for it. */
  revert(): void;
}

/** Health checks of control plane components, by name. */
export type Components = Readonly<Record<string, (signal: AbortSignal) => Promise<ComponentHealth>>>;

export interface ComponentHealth {
  readonly isHealthy: boolean;
  readonly message: string;
}

/** The API server's interface for hooks. */
export interface KindServer {
  readonly components: Components;
  /** Undefined if there is no connection to kubelets. */
  readonly kubelets: Kubelets | undefined;
  readonly clock: Clock;
  readonly gates: FeatureGateReader;
  /** A random stream for this use. Each call restarts the stream, so call once and keep it. */
  rng(use: string): Rng;
  /** The stored objects of the kind with this key. */
  objects(key: string): StoredObjects;
  /** Undefined if the server issues no tokens. */
  readonly tokenIssuer: TokenIssuer | undefined;
  /** `audiences`: the token must be valid for one of them. Empty: for the server itself. */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    call: KindCall,
    signal: AbortSignal,
  ): Promise<AuthenticatedToken | { readonly problems: readonly string[] }>;
  authorize(user: UserInfo, question: AccessQuestion, signal: AbortSignal): Promise<AccessDecision>;
  /** The resource of a kind; undefined if the kind is not served in this version. */
  resourceOf(kind: GroupVersionKind): string | undefined;
  /** The rules of all roles that are bound to a user. */
  heldRules(user: UserInfo, namespace: string): HeldRules;
  /** All rules that apply to a user in a namespace; undefined if the authorizer cannot list them. */
  rulesFor(user: UserInfo, namespace: string): AccessRules | undefined;
}

/** One version of a stored object. The object is frozen. */
export interface StoredObject {
  readonly object: KubeObject;
}

/** Empty for kinds that are not served. The namespace of cluster-scoped kinds is "". */
export interface StoredObjects {
  get(namespace: string, name: string): StoredObject | undefined;
  /** Throws a 404, or a 400 for an invalid name. */
  find(namespace: string, name: string): StoredObject;
  /** The objects of one namespace, or all. Do not write while iterating. */
  list(namespace?: string): Iterable<StoredObject>;
  /** Undefined if the object changed meanwhile. */
  update(existing: StoredObject, object: KubeObject): StoredObject | undefined;
  /** Writes a subresource as the server itself, which then owns the fields that it changes. */
  updateAsServer(
    existing: StoredObject,
    object: KubeObject,
    subresource: string,
    now: EpochMs,
  ): StoredObject | undefined;
  /**
   * Stores an object without admission. The server owns the given fields; `more` adds fields without an owner.
   * Undefined if the name is taken.
   */
  createAsServer(given: KubeObject, more?: (object: KubeObject) => KubeObject): StoredObject | undefined;
  /** Deletes without admission. An object with finalizers is only marked, and removed when they are gone. */
  deleteAsServer(namespace: string, name: string): void;
  /** Upstream's error for a write whose precondition fails. */
  preconditionFailed(
    existing: StoredObject,
    property: "UID" | "ResourceVersion",
    values: readonly [wanted: string, actual: string],
    dryRun: boolean,
  ): ApiError;
}

export interface TokenIssuer {
  /** The server's own audiences, the default for tokens. */
  readonly audiences: readonly string[];
  issue(content: TokenContent): string;
}

export interface TokenContent {
  readonly account: { readonly namespace: string } & NamedRef;
  readonly pod?: NamedRef;
  readonly secret?: NamedRef;
  readonly node?: NamedRef;
  readonly now: EpochMs;
  readonly expirationSeconds: number;
  /** Use after this many seconds is reported but still allowed. */
  readonly warnAfterSeconds?: number;
  readonly audiences: readonly string[];
}

export interface NamedRef {
  readonly name: string;
  readonly uid: string;
}

export interface AuthenticatedToken {
  readonly user: UserInfo;
  /** The requested audiences that the token is valid for. */
  readonly audiences: readonly string[];
}

export type AccessQuestion =
  | { readonly path: string; readonly verb: string }
  | {
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };

/** `grantedBy`: the authorizer's reason for allowing the request. */
export type AccessDecision =
  | { readonly isAllowed: true; grantedBy?(): string }
  | { readonly isAllowed: false; readonly reason: string };

export interface AccessRules {
  readonly resourceRules: readonly unknown[];
  readonly nonResourceRules: readonly unknown[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** Names of bound roles that do not exist. */
  readonly missingRoles: readonly string[];
}

/** The fields of a kind that an autoscaling/v1 Scale shows. */
export interface ScalePaths<T extends KubeObject = KubeObject> {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** As a string; undefined if the kind has no selector. */
  selector(object: T): string | undefined;
}
