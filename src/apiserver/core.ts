// The state that all verbs share: store, registry, clock, limits. One per server.

import type { KubeObject } from "#api/object.ts";
import type { Clock } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { TimeZones } from "#base/time-zones.ts";
import type { KeyReader } from "#kinds/core/tls-secret.ts";
import type { KindServer } from "#kinds/hooks.ts";
import type { StrategyContext, WriteAccess } from "#kinds/strategy.ts";
import type { AdmissionAttributes, AdmissionChain, AdmissionOperation } from "./admission.ts";
import { type Authorizer, forbidden } from "./authorization.ts";
import type { Expiry } from "./expiry.ts";
import type { RoleRules } from "./rbac/role-rules.ts";
import type { Endpoint, KindRow, Registry } from "./registry.ts";
import { addWarning, type RequestContext } from "./request-context.ts";
import type { ResourceRequestInfo } from "./request-info.ts";
import type { Storage, StorageKey, Table } from "./storage/storage.ts";
import type { AccountTokens } from "./tokens/account-tokens.ts";
import type { TokenAnswer, TokenQuestion } from "./tokens/token-authentication.ts";
import type { WatchHub } from "./watch/watch-hub.ts";
import type { WriteOptions } from "./write-options.ts";

export interface ServerCore {
  readonly clock: Clock;
  /** Random streams by use. */
  readonly rng: Readonly<Record<"names" | "uids" | "timeouts" | "strategies" | "audit", Rng>>;
  readonly log: Logger;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  /** The rules of roles, for any authorizer. */
  readonly roleRules: RoleRules;
  /** The token's user, or why the token is refused. */
  authenticateToken(token: string, question: TokenQuestion, signal: AbortSignal): Promise<TokenAnswer>;
  /** Issues service account tokens; undefined if the server issues none. */
  readonly accountTokens: AccountTokens | undefined;
  /** The default audience of tokens. */
  readonly audience: string;
  readonly gates: FeatureGateReader;
  readonly keyReader: KeyReader | undefined;
  readonly timeZones: TimeZones | undefined;
  readonly expiry: Expiry;
  /** The interface for hooks of kinds. */
  readonly kindServer: KindServer;
  readonly limits: ServerLimits;
  /** The server's address in discovery. */
  readonly serverAddress: string;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  tableOf(row: KindRow): Table;
  hubOf(row: KindRow): WatchHub;
}

export interface ServerLimits {
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  /** Watches without a timeout last at least this long and at most twice as long. */
  readonly watchTimeoutMsMin: number;
  /** Limit of pending events per watcher. Events refer to shared versions, so each takes little memory. */
  readonly watcherEventsMax: number;
  readonly mutatingInFlightMax: number;
  readonly readingInFlightMax: number;
}

/** A routed, authenticated and authorized request for a resource. */
export interface ResourceCall {
  readonly context: RequestContext;
  readonly info: ResourceRequestInfo;
  readonly endpoint: Endpoint;
  /** "" for cluster-scoped kinds and for requests over all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

export function keyOf(row: KindRow, namespace: string, name: string): StorageKey {
  return row.namespaced ? `${namespace}/${name}` : name;
}

export function strategyContext(core: ServerCore, call: ResourceCall, dryRun: boolean): StrategyContext {
  return {
    now: call.context.receivedMs,
    rng: core.rng.strategies,
    user: call.context.user,
    gates: core.gates,
    dryRun,
    groupVersion: call.endpoint.version,
    keyReader: core.keyReader,
    timeZones: core.timeZones,
    namespace: (name) => core.kindServer.objects("namespaces").get("", name)?.object,
  };
}

/** Asks the authorizer about the user of a call. */
export function writeAccess(core: ServerCore, { context, info }: ResourceCall, signal: AbortSignal): WriteAccess {
  const { user } = context;
  return {
    user,
    verb: info.verb,
    async refusal(asked) {
      const attributes = { user, info: { ...info, ...asked } };
      const decision = await core.authorizer.authorize(attributes, signal);
      return decision.isAllowed ? undefined : forbidden(attributes, decision.reason).message;
    },
  };
}

/** For a Namespace object, the namespace is its own name. */
export function admissionAttributes(
  call: ResourceCall,
  operation: AdmissionOperation,
  options: AdmissionAttributes["options"],
  objects: { readonly object?: KubeObject; readonly oldObject?: KubeObject },
): AdmissionAttributes {
  const { context, endpoint, subresource } = call;
  const { version, row } = endpoint;
  const name = call.name || (objects.object?.metadata?.name ?? "");
  const isNamespace = row.resource === "namespaces" && version.group === "";
  return {
    operation,
    resource: { group: version.group, version: version.version, resource: row.resource },
    kind: version,
    subresource,
    namespace: isNamespace ? name : call.namespace,
    name,
    object: objects.object,
    oldObject: objects.oldObject,
    options,
    dryRun: isDryRun(options),
    user: context.user,
    now: context.receivedMs,
    addWarning: (text) => addWarning(context, text),
    addAuditAnnotation: (key, value) => {
      context.auditAnnotations = { ...context.auditAnnotations, [key]: value };
    },
  };
}

function isDryRun(options: AdmissionAttributes["options"]): boolean {
  const { dryRun } = options as WriteOptions | { dryRun?: readonly string[] };
  return typeof dryRun === "boolean" ? dryRun : (dryRun?.length ?? 0) > 0;
}
