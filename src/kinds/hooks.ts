// What a kind may do beyond the generic verbs, and what it may ask of the API server for that. The hooks of a kind are
// made once for each server, so they may keep state of that server, such as the node ports that are taken.

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
  /** A delete that is more than the generic one; undefined leaves it to that, "retry" starts again. */
  deletion?(deletion: Deletion<T>, signal: AbortSignal): Promise<Deleted | "retry" | undefined>;
  /** Takes what the server itself gives an object, before the strategy sees it. `old` is undefined for a new object. */
  allocation?(object: T, old: T | undefined, dryRun: boolean): Allocation<T>;
  /**
   * Asked after mutating admission and before the strategy; `old` is undefined for a new object. Throws the refusal of a
   * user who may not write such an object.
   */
  authorizeWrite?(call: KindCall, object: T, old: T | undefined, signal: AbortSignal): Promise<void>;
  /** Asked once the object is valid, with the same arguments, where upstream's strategy itself asks. */
  authorizeValid?: KindHooks<T>["authorizeWrite"];
  /** Once an object is gone. */
  afterDelete?(object: T): void;
  /** Subresources that are posted to: binding, eviction, token. */
  readonly posted?: Readonly<Record<string, Posted & { readonly body: PostedBody }>>;
  /** Subresources that answer by themselves: log, exec, proxy. */
  readonly connected?: Readonly<Record<string, Connected>>;
  /** A kind that is answered and never stored, such as a review: how a create is answered. */
  readonly answered?: Posted;
  /** A kind that is looked up at each read and never stored, such as the health of components. */
  readonly observed?: Observed;
}

export interface Observed {
  /** Throws a 404. */
  get(name: string, signal: AbortSignal): Promise<KubeObject>;
  list(signal: AbortSignal): Promise<readonly KubeObject[]>;
}

/** A kind that is only the body of a request. */
export interface PostedBody extends GroupVersionKind {
  /** An older apiVersion with the same fields, which bodies may have as well. */
  readonly alsoReads?: string;
  readonly defaults?: Rule;
}

export interface Posted {
  /** The client's uid and timestamps reach the hook. */
  readonly preservesSystemFields?: boolean;
  /** The answer shows managed fields. */
  readonly tracksFields?: boolean;
  /** Completes the object after mutating admission and before validating admission. Throws a refusal. */
  prepare?(call: KindCall, object: KubeObject): KubeObject;
  /** The object or the Status of the answer, or a refusal that is thrown. */
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
  /** The request's time: read once, so that all rules of one write see the same. */
  readonly now: EpochMs;
  readonly query: QueryReader;
  addWarning(text: string): void;
}

export interface QueryReader {
  all(name: string): readonly string[];
  text(name: string): string;
  /** Throws a 400 when it is not an int64. */
  optionalInteger(name: string): number | undefined;
}

export interface PostedCall extends KindCall {
  readonly dryRun: boolean;
  /** Deletes the object whose subresource was posted to, as a DELETE with these options would. */
  deleteAddressed(options: DeleteOptions, signal: AbortSignal): Promise<void>;
}

export interface Deletion<T extends KubeObject = KubeObject> extends KindCall {
  readonly existing: T;
  readonly options: DeleteOptions;
  /** Asks admission. Throws its refusal. */
  admit(signal: AbortSignal): Promise<void>;
  /** Replaces the existing object, unless the delete is a dry run. Undefined: it changed meanwhile. */
  write(object: T): KubeObject | undefined;
}

export interface Deleted {
  /** The object is gone, or with dry run would be. */
  readonly isDeleted: boolean;
  /** In the stored form; undefined: answer with a Status about it. */
  readonly object: KubeObject | undefined;
  readonly status: Status | undefined;
}

export interface Allocation<T extends KubeObject = KubeObject> {
  /** With what it was given. */
  readonly object: T;
  /** The object is stored: what it had and does not need any more is free. */
  commit(): void;
  /** The object is not stored: what was taken for it is free again. */
  revert(): void;
}

/** By its name, how to ask a component of the control plane for its health. */
export type Components = Readonly<Record<string, (signal: AbortSignal) => Promise<ComponentHealth>>>;

export interface ComponentHealth {
  readonly isHealthy: boolean;
  readonly message: string;
}

/** The API server as hooks see it. */
export interface KindServer {
  readonly components: Components;
  /** Undefined: there is no way to kubelets. */
  readonly kubelets: Kubelets | undefined;
  readonly clock: Clock;
  readonly gates: FeatureGateReader;
  /** The random stream of one use. It starts anew whenever it is asked for: ask once, and keep it. */
  rng(use: string): Rng;
  /** The stored objects of a kind, by its key. */
  objects(key: string): StoredObjects;
  /** Undefined: the server issues no tokens. */
  readonly tokenIssuer: TokenIssuer | undefined;
  /** `audiences` are those that the token must be meant for; none: the server itself. */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    call: KindCall,
    signal: AbortSignal,
  ): Promise<AuthenticatedToken | { readonly problems: readonly string[] }>;
  authorize(user: UserInfo, question: AccessQuestion, signal: AbortSignal): Promise<AccessDecision>;
  /** The resource that a kind is served as; undefined: it is not served in that version. */
  resourceOf(kind: GroupVersionKind): string | undefined;
  /** The rules of the roles that are bound to a user. */
  heldRules(user: UserInfo, namespace: string): HeldRules;
  /** All that a user may do in a namespace; undefined: the authorizer cannot tell. */
  rulesFor(user: UserInfo, namespace: string): AccessRules | undefined;
}

/** One version of a stored object, which is frozen. */
export interface StoredObject {
  readonly object: KubeObject;
}

/** Of a kind that is not served there are none. Namespaces of cluster-scoped kinds are "". */
export interface StoredObjects {
  get(namespace: string, name: string): StoredObject | undefined;
  /** Throws a 404, or a 400 for a name that cannot be one. */
  find(namespace: string, name: string): StoredObject;
  /** Those of one namespace, or all. Do not write meanwhile. */
  list(namespace?: string): Iterable<StoredObject>;
  /** Undefined: the object changed meanwhile. */
  update(existing: StoredObject, object: KubeObject): StoredObject | undefined;
  /** Writes a subresource as the server itself, which comes to own the fields that it changes. */
  updateAsServer(
    existing: StoredObject,
    object: KubeObject,
    subresource: string,
    now: EpochMs,
  ): StoredObject | undefined;
  /**
   * Stores an object whose given fields the server owns; `more` adds those without an owner. No admission is asked.
   * Undefined: its name is taken.
   */
  createAsServer(given: KubeObject, more?: (object: KubeObject) => KubeObject): StoredObject | undefined;
  /** Finalizers keep the object, marked, until they are gone. No admission is asked. */
  deleteAsServer(namespace: string, name: string): void;
  /** The refusal of a write whose precondition does not hold, in the words of upstream's store. */
  preconditionFailed(
    existing: StoredObject,
    property: "UID" | "ResourceVersion",
    values: readonly [wanted: string, actual: string],
    dryRun: boolean,
  ): ApiError;
}

export interface TokenIssuer {
  /** Those of the server itself, which a token is for unless the request says otherwise. */
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
  /** Seconds after which use is reported, though still allowed. */
  readonly warnAfterSeconds?: number;
  readonly audiences: readonly string[];
}

export interface NamedRef {
  readonly name: string;
  readonly uid: string;
}

export interface AuthenticatedToken {
  readonly user: UserInfo;
  /** Those of the question that the token is meant for. */
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

/** `grantedBy` tells what allows the request, in the words of the authorizer. */
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
  /** The names of bound roles that are not there. */
  readonly missingRoles: readonly string[];
}

/** Where a kind keeps what an autoscaling/v1 Scale shows. */
export interface ScalePaths<T extends KubeObject = KubeObject> {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** In wire form; undefined where the kind has none. */
  selector(object: T): string | undefined;
}
