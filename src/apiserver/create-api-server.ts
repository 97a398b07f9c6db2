// The embedded API server: a function from request to answer. Every request passes the chain of filters below from top
// to bottom.

import { lazy } from "#api/lazy.ts";
import type { Clock } from "#base/clock.ts";
import { Aborted } from "#base/errors.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { type Metrics, noMetrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { TimeZones } from "#base/time-zones.ts";
import type { KeyReader } from "#kinds/core/tls-secret.ts";
import type { Components } from "#kinds/hooks.ts";
import type { Kubelets } from "#rules/kubelets.ts";
import { namespaceLifecycle } from "./admission/namespace-lifecycle.ts";
import { bootstrapPriorityClasses } from "./admission/system-priority-classes.ts";
import { AdmissionChain, type AdmissionPlugin } from "./admission.ts";
import { aggregate } from "./aggregation/aggregator.ts";
import { keepLocalServices } from "./aggregation/local-services.ts";
import { type Connect, remoteOf, unconnected } from "./aggregation/remote-version.ts";
import type { Authorizer } from "./authorization.ts";
import { bootstrapAuthenticationConfig } from "./bootstrap/authentication-config.ts";
import { bootstrapFlowControl } from "./bootstrap/flow-control.ts";
import { keepIdentityLease } from "./bootstrap/identity-lease.ts";
import { bootstrapNamespaces, bootstrapTokenTracking } from "./bootstrap/namespaces.ts";
import { bootstrapServerEndpoints } from "./bootstrap/server-endpoints.ts";
import { registerBuiltinKinds } from "./builtin/builtin-rows.ts";
import { kindServer } from "./builtin/kind-server.ts";
import { type RuntimeConfig, servedResources } from "./builtin/runtime-config.ts";
import type { ServerCore, ServerLimits } from "./core.ts";
import { serveCustomResources } from "./custom-resources/custom-resources.ts";
import { Expiry, resumeExpiry } from "./expiry.ts";
import { type AuditSink, recordAudit } from "./filters/audit.ts";
import { type AuthenticationOptions, anonymous, authenticate } from "./filters/authenticate.ts";
import { authorize } from "./filters/authorize.ts";
import { limitTime } from "./filters/deadline.ts";
import { answerErrors, pageNotFound, plainText } from "./filters/errors.ts";
import { impersonate } from "./filters/impersonate.ts";
import { limitInFlight } from "./filters/max-in-flight.ts";
import { type MetricsPage, nonResourceHandler } from "./non-resource.ts";
import { decodePercent, parseQuery } from "./query.ts";
import { rbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import { bootstrapPolicy } from "./rbac/reconcile-policy.ts";
import { RoleRules } from "./rbac/role-rules.ts";
import { type KindRow, Registry } from "./registry.ts";
import { addWarning, Exchange, type Handler, type ServerRequest } from "./request-context.ts";
import { parseRequestInfo } from "./request-info.ts";
import { RequestMetrics, UNTIMED } from "./request-metrics.ts";
import { isUnknownToCustomKinds, routeResource } from "./routing.ts";
import { fieldsOf } from "./selection.ts";
import { registerServerMetrics } from "./server-metrics.ts";
import { bootstrapServices } from "./services/service-bootstrap.ts";
import type { Storage, Table } from "./storage/storage.ts";
import type { AccountTokens, TokenKeys } from "./tokens/account-tokens.ts";
import { boundTokens } from "./tokens/bound-tokens.ts";
import { legacyTokens } from "./tokens/legacy-tokens.ts";
import { authenticateToken } from "./tokens/token-authentication.ts";
import { WatchHub } from "./watch/watch-hub.ts";

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Serves /metrics; absent: the path does not exist. */
  readonly metricsPage?: MetricsPage;
  readonly storage: Storage;
  readonly gates?: FeatureGateReader;
  readonly authentication?: AuthenticationOptions;
  readonly authorizer?: Authorizer;
  /** Plugins after NamespaceLifecycle: all mutating parts run in order, then all validating parts. */
  readonly admission?: (core: () => ServerCore) => readonly AdmissionPlugin[];
  readonly limits?: Partial<ServerLimits>;
  /** Issuer and audience of service account tokens. */
  readonly audience?: string;
  /** Signs and verifies service account tokens; absent: there are none. */
  readonly tokenKeys?: TokenKeys;
  /** Parses the keys of TLS Secrets; absent: no warnings about them. */
  readonly keyReader?: KeyReader;
  /** Time zones for CronJobs; absent: UTC only. */
  readonly timeZones?: TimeZones;
  /** Receives every request and its answer. */
  readonly audit?: AuditSink;
  /** "host:port" of the server for clients. */
  readonly serverAddress?: string;
  /** Connects to aggregated API servers; absent: none of them is available. */
  readonly connect?: Connect;
  /** The host name in the server's identity Lease; absent: no Lease. */
  readonly hostname?: string;
  /** The value of --runtime-config. Absent: only stable versions are served. */
  readonly runtimeConfig?: RuntimeConfig;
  /** The components whose health ComponentStatuses report; absent: none. */
  readonly components?: Components;
  /** Absent: logs, exec, attach, port-forward and proxy answer that there is no connection to kubelets. */
  readonly kubelets?: Kubelets;
}

export interface ApiServer {
  /** Answers one request. The signal ends it, including a watch. */
  handle(request: ServerRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** Kinds can be added and removed at any time. */
  readonly registry: Registry;
  /** Ends all watches. The owner of the storage closes it. */
  close(): void;
}

const DEFAULT_LIMITS: ServerLimits = {
  bodyBytesMax: 3 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  watchTimeoutMsMin: 30 * 60_000,
  watcherEventsMax: 10_000,
  mutatingInFlightMax: 200,
  readingInFlightMax: 400,
};

const ANONYMOUS_ALLOWED: AuthenticationOptions = { allowsAnonymous: true };

const NO_GATES: FeatureGateReader = { isEnabled: () => false };

export function createApiServer(options: ApiServerOptions): ApiServer {
  const closing = new AbortController();
  const audience = options.audience ?? "https://kubernetes.default.svc.cluster.local";
  const { tokenKeys } = options;
  const accountTokens = tokenKeys && { issuer: audience, audiences: [audience], keys: tokenKeys };
  const authentication = authenticationBy(options.authentication, audience, accountTokens, () => core);
  const core = createCore(options, { audience, accountTokens, authentication }, closing.signal);
  bootstrapNamespaces(core);
  bootstrapTokenTracking(core);
  bootstrapPolicy(core);
  bootstrapFlowControl(core);
  bootstrapPriorityClasses(core);
  bootstrapServices(core);
  bootstrapServerEndpoints(core);
  bootstrapAuthenticationConfig(core, authentication);
  if (options.hostname !== undefined) keepIdentityLease(core, options.hostname);
  resumeExpiry(core);
  serveCustomResources(core);
  keepLocalServices(core);
  aggregate(core, options.connect ?? unconnected);
  const { clock } = core;
  const metrics = options.metrics === noMetrics ? undefined : new RequestMetrics(options.metrics, clock);
  const inFlight = limitInFlight(core.limits, metrics);
  registerServerMetrics(options.metrics, core, inFlight);
  const filters = [
    ...(options.audit === undefined ? [] : [recordAudit(clock, core.rng.audit, options.audit)]),
    answerErrors(core.log),
    limitTime(clock, core.limits),
    authenticate(authentication, core.gates.isEnabled("AllowParsingUserUIDFromCertAuth")),
    impersonate(core.authorizer, core.gates.isEnabled("ConstrainedImpersonation")),
    inFlight.filter,
    authorize(core.authorizer),
  ];
  const chain = filters.reduceRight<Handler>(
    (next, filter) => filter(next),
    dispatch(core, metrics, options.metricsPage),
  );
  return {
    registry: core.registry,
    handle: (request, signal) => {
      const path = decodePercent(request.path);
      if (path === undefined) return Promise.resolve(plainText(400, "400 Bad Request: invalid URL escape"));
      const query = parseQuery(request.query);
      const info = parseRequestInfo(request.method, path, query);
      const startedMs = metrics === undefined || request.direct ? UNTIMED : clock.monotonicMs();
      return chain(new Exchange(clock, request, query, info, anonymous, startedMs), signal);
    },
    close: () => {
      closing.abort(new Aborted("the server is closing"));
      core.expiry.close();
    },
  };
}

function dispatch(core: ServerCore, metrics: RequestMetrics | undefined, page: MetricsPage | undefined): Handler {
  const handleNonResource = nonResourceHandler(core, page);
  return async (context, signal) => {
    const { info } = context;
    if (info.path.startsWith("//")) return pageNotFound();
    const remote = remoteOf(core.registry, info.path);
    if (remote !== undefined) return remote.forward(context, signal);
    if (!info.isResourceRequest) return handleNonResource(context, signal);
    if (info.group === "" && info.path.startsWith("/apis")) return pageNotFound();
    if (!core.registry.hasGroup(info.group) || isUnknownToCustomKinds(core.registry, info)) {
      return pageNotFound();
    }
    const { call, handle, place } = routeResource(core, context, info);
    if (metrics !== undefined) context.series = metrics.seriesOf(call, place);
    addWarning(context, call.endpoint.version.deprecationWarning ?? "");
    return handle(core, call, signal);
  };
}

interface Identities {
  readonly audience: string;
  readonly accountTokens: AccountTokens | undefined;
  readonly authentication: AuthenticationOptions;
}

/** The given options, with the authenticators of service account tokens added. */
function authenticationBy(
  given: AuthenticationOptions | undefined,
  audience: string,
  tokens: AccountTokens | undefined,
  core: () => ServerCore,
): AuthenticationOptions {
  const options = given ?? ANONYMOUS_ALLOWED;
  const ofAccounts = tokens === undefined ? [] : [legacyTokens(core, tokens), boundTokens(core, tokens)];
  return {
    ...options,
    audiences: [audience],
    tokenAuthenticators: [...(options.tokenAuthenticators ?? []), ...ofAccounts],
  };
}

function createCore(
  options: ApiServerOptions,
  { audience, accountTokens, authentication }: Identities,
  closing: AbortSignal,
): ServerCore {
  const { clock, rng, log, storage } = options;
  storage.onListenerError = (error) => {
    log.error(error, "A listener of the store failed");
  };
  const gates = options.gates ?? NO_GATES;
  const registry = new Registry();
  const server = kindServer({
    core: () => core,
    clock,
    gates,
    rng,
    accountTokens,
    components: options.components ?? {},
    kubelets: options.kubelets,
  });
  registerBuiltinKinds(registry, {
    gates,
    server,
    isServed: servedResources(options.runtimeConfig ?? {}, gates),
  });
  const tables = new WeakMap<KindRow, Table>();
  const hubs = new WeakMap<KindRow, WatchHub>();
  const tableOf = (row: KindRow): Table => {
    let table = tables.get(row);
    if (table === undefined) {
      table = storage.table(row.table);
      table = row.viewTable?.(table) ?? table;
      tables.set(row, table);
    }
    return table;
  };
  // Watches of a removed kind end, so that clients run discovery again.
  registry.onRemoval((row) => {
    for (const watcher of hubs.get(row)?.watchers() ?? []) watcher.close();
  });
  const roleRules = lazy(() => new RoleRules(core));
  const core: ServerCore = {
    clock,
    rng: {
      names: rng.fork("names"),
      uids: rng.fork("uids"),
      timeouts: rng.fork("watch-timeouts"),
      strategies: rng.fork("strategies"),
      audit: rng.fork("audit"),
    },
    log,
    storage,
    registry,
    admission: new AdmissionChain([namespaceLifecycle(() => core), ...(options.admission?.(() => core) ?? [])]),
    authorizer: options.authorizer ?? rbacAuthorizer(() => roleRules()),
    get roleRules() {
      return roleRules();
    },
    authenticateToken: (token, question, signal) => authenticateToken(authentication, token, question, signal),
    accountTokens,
    audience,
    gates,
    keyReader: options.keyReader,
    timeZones: options.timeZones,
    expiry: new Expiry(clock, log),
    kindServer: server,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    serverAddress: options.serverAddress ?? "localhost:6443",
    closing,
    tableOf,
    hubOf: (row) => {
      let hub = hubs.get(row);
      if (hub === undefined) {
        hub = newHub(row, tableOf(row), registry);
        hubs.set(row, hub);
      }
      return hub;
    },
  };
  return core;
}

function newHub(row: KindRow, table: Table, registry: Registry): WatchHub {
  const { indexedField } = row;
  const [version] = row.versions;
  const endpoint = version && registry.endpoint(version.group, version.version, row.resource);
  if (indexedField === undefined || endpoint === undefined) return new WatchHub(table);
  return new WatchHub(table, indexedField, (version) => fieldsOf(endpoint, version)[indexedField] ?? "");
}
