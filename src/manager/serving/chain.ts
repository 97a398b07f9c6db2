// The path of a request through the daemon's port: cache headers, authentication, authorization, the page, and a log
// line.
// Upstream: controller-manager/app/serve.go, BuildHandlerChain; apiserver/pkg/endpoints/filters.

import { durationOfMs, formatDuration } from "#api/go-duration.ts";
import { goQuote } from "#api/go-text.ts";
import { newForbidden, newUnauthorized } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { headerValue } from "#client/headers.ts";
import { type AuthMetrics, userLabel } from "./auth-metrics.ts";
import { type Authenticator, anonymousUser } from "./authentication.ts";
import type { Authorizer } from "./authorization.ts";
import type { DaemonRequest, Handler, User } from "./request.ts";
import { errorResponse, sanitized, statusResponse } from "./responses.ts";

const HTTP_LOG_LEVEL = 3;
const CACHE_CONTROL = { "cache-control": "no-cache, private" };
const NOSNIFF = { "x-content-type-options": "nosniff" };

export interface ChainDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AuthMetrics;
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly page: Handler;
  /** Anonymous callers get one request per h2 connection (UnauthenticatedHTTP2DOSMitigation). */
  readonly limitsAnonymousHttp2?: boolean;
}

export function buildChain(deps: ChainDeps): Handler {
  const { clock, log } = deps;
  return async (request, signal) => {
    const beganMs = clock.monotonicMs();
    const { status, headers, body } = await answer(request, deps, signal);
    const httpLog = log.v(HTTP_LOG_LEVEL);
    if (httpLog.isEnabled) {
      httpLog.info("HTTP", {
        verb: request.method,
        URI: request.uri,
        latency: formatDuration(durationOfMs(clock.monotonicMs() - beganMs)),
        userAgent: headerValue(request.headers, "user-agent"),
        "audit-ID": headerValue(request.headers, "audit-id"),
        srcIP: request.peer.address,
        resp: status,
      });
    }
    return { status, headers: { ...CACHE_CONTROL, ...headers }, body };
  };
}

async function answer(request: DaemonRequest, deps: ChainDeps, signal: AbortSignal): Promise<HttpResponse> {
  // As upstream, requests are counted at the end: a page of metrics does not include the request for itself.
  const counts: (() => void)[] = [];
  try {
    return await judged(request, deps, counts, signal);
  } finally {
    for (const count of counts) count();
  }
}

async function judged(
  request: DaemonRequest,
  deps: ChainDeps,
  counts: (() => void)[],
  signal: AbortSignal,
): Promise<HttpResponse> {
  const user = await authenticated(request, deps, counts);
  const isStranger = user === undefined || user.name === anonymousUser.name;
  const closes = isStranger && request.isHttp2 === true && deps.limitsAnonymousHttp2 === true;
  const { status, headers, body } =
    user === undefined
      ? statusResponse(newUnauthorized("Unauthorized"), request)
      : ((await refused(user, request, deps, counts, signal)) ?? (await deps.page(request, signal)));
  return { status, headers: closes ? { connection: "close", ...headers } : headers, body };
}

async function authenticated(
  request: DaemonRequest,
  deps: ChainDeps,
  counts: (() => void)[],
): Promise<User | undefined> {
  const { clock, log, metrics } = deps;
  const beganMs = clock.monotonicMs();
  let user: User | undefined;
  try {
    user = await deps.authenticate(request);
  } catch (error) {
    log.error(error, "Unable to authenticate the request");
  }
  const seconds = (clock.monotonicMs() - beganMs) / 1000;
  counts.push(() => {
    const result = user === undefined ? "error" : "success";
    if (user !== undefined) metrics.userRequests.inc([userLabel(user.name)]);
    metrics.authenticationAttempts.inc([result]);
    metrics.authenticationSeconds.observe(seconds, [result]);
  });
  return user;
}

async function refused(
  user: User,
  request: DaemonRequest,
  deps: ChainDeps,
  counts: (() => void)[],
  signal: AbortSignal,
): Promise<HttpResponse | undefined> {
  const { clock, log, metrics } = deps;
  const beganMs = clock.monotonicMs();
  const verb = request.method.toLowerCase();
  const note = (result: string): void => {
    const seconds = (clock.monotonicMs() - beganMs) / 1000;
    counts.push(() => {
      metrics.authorizationAttempts.inc([result]);
      metrics.authorizationSeconds.observe(seconds, [result]);
    });
  };
  try {
    const { kind, reason } = await deps.authorize(user, verb, request.path, signal);
    note(kind);
    if (kind === "allowed") return undefined;
    log.v(4).info("Forbidden", { URI: request.uri, reason });
    const message = sanitized(`User ${goQuote(user.name)} cannot ${verb} path ${goQuote(request.path)}`);
    const error = newForbidden({ group: "", resource: "" }, "", reason === "" ? message : `${message}: ${reason}`);
    return statusResponse(error, request, { headers: NOSNIFF });
  } catch (error) {
    note("error");
    log.named("UnhandledError").error(error, "Unhandled Error");
    const text = `Internal Server Error: ${goQuote(request.uri)}: ${errorMessage(error)}`;
    return errorResponse(500, sanitized(text));
  }
}
