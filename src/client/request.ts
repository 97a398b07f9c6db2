// Carries out one request: throttles, sends, retries as the server asks, counts and traces. The status is interpreted
// here, the body by the caller.

import { durationOfMs, formatDuration } from "#api/go-duration.ts";
import type { Status } from "#api/meta.ts";
import type { GroupVersionResource } from "#api/object.ts";
import { newGenericServerResponse } from "#api/server-response.ts";
import { ApiError, newInternalError } from "#api/status-error.ts";
import { deadlineScope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { type HttpBody, type HttpRequest, type HttpResponse, type Transport, TransportError } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import { RateLimitError } from "#base/token-bucket.ts";
import type { RequestTrace, Verb } from "#client/client.ts";
import { decodeBytes, decodeText, discardBody, type ProtobufCodec, readBytes } from "#client/codec.ts";
import { withPreviousAttempt } from "#client/errors.ts";
import {
  headerValue,
  mediaTypeProblem,
  parseMediaType,
  parseWarnings,
  retryAfterSeconds,
  type Warning,
} from "#client/headers.ts";
import { type ClientMetrics, clientMetrics } from "#client/metrics.ts";
import type { RateLimiter } from "#client/rate-limiter.ts";
import { isLostConnection, nextRetry, type Outcome, type RetryClass } from "#client/retry.ts";
import { createThrottleLog, type ThrottleLog } from "#client/throttle-log.ts";

export interface RequesterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  /** The host label of metrics. */
  readonly host?: string;
  /** Absent: not throttled. */
  readonly rateLimiter?: RateLimiter;
  /**
   * Limit for one request, retries included. It is also sent to the server. Watches have no limit. Absent: no limit.
   */
  readonly timeoutMs?: number;
  readonly metrics?: Metrics;
  readonly log?: Logger;
  readonly trace?: RequestTrace;
  readonly onWarning?: (warning: Warning, path: string) => void;
  readonly protobuf?: ProtobufCodec;
  /** The transport leads to a server in this process that takes and gives decoded values. */
  readonly direct?: boolean;
}

export interface Call {
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly accept: string;
  readonly contentType?: string;
  readonly body?: HttpBody;
  readonly resource?: GroupVersionResource;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** A whole answer of status 2xx: the decoded value when the server is in this process, bytes otherwise. */
export interface Answer {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly contentType: string;
  readonly body: { readonly value: unknown } | { readonly bytes: Uint8Array };
}

const BARE_TEXT_BYTES_MAX = 2048;

export class Requester {
  readonly #options: RequesterOptions;
  readonly #metrics: ClientMetrics | undefined;
  readonly #throttleLog: ThrottleLog;
  readonly #host: string;
  /** The query by which the server ends its work on a request whose caller has gone. */
  readonly #timeoutQuery: string;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#metrics = options.metrics && clientMetrics(options.metrics);
    this.#throttleLog = createThrottleLog(options.clock, options.log);
    this.#host = options.host ?? "none";
    const { timeoutMs } = options;
    this.#timeoutQuery = timeoutMs === undefined ? "" : `timeout=${formatDuration(durationOfMs(timeoutMs))}`;
  }

  get protobuf(): ProtobufCodec | undefined {
    return this.#options.protobuf;
  }

  get isDirect(): boolean {
    return this.#options.direct === true;
  }

  /** Sends and reads the whole answer. Statuses outside 2xx are thrown as ApiErrors. */
  async send(call: Call, signal: AbortSignal): Promise<Answer> {
    const { clock, timeoutMs } = this.#options;
    const startedAt = clock.monotonicMs();
    try {
      await this.#throttle(call, "", signal);
      if (timeoutMs === undefined) return await this.#exchange(call, signal);
      using scope = deadlineScope(clock, timeoutMs, signal);
      return await this.#exchange(call, scope.signal, signal);
    } finally {
      this.#metrics?.durationSeconds.observe((clock.monotonicMs() - startedAt) / 1000, [call.method, this.#host]);
    }
  }

  /** Opens a stream. Undefined: every attempt lost its connection, which counts as a watch that ended. */
  async open(call: Call, signal: AbortSignal): Promise<HttpResponse | undefined> {
    const { response, error, previous, attempts } = await this.#attempt(call, signal);
    this.#options.trace?.(record(call, response?.status ?? 0, attempts), signal);
    if (!response) {
      if (isLostConnection(error, "watch")) return undefined;
      throw withPreviousAttempt(error, previous);
    }
    this.#warn(call, response);
    if (response.status === 200) return response;
    throw withPreviousAttempt(await this.#failure(call, response), previous);
  }

  async #exchange(call: Call, signal: AbortSignal, callerSignal = signal): Promise<Answer> {
    const { response, error, previous, attempts } = await this.#attempt(call, signal);
    this.#options.trace?.(record(call, response?.status ?? 0, attempts), callerSignal);
    if (!response) throw withPreviousAttempt(error, previous);
    this.#warn(call, response);
    if (response.status < 200 || response.status > 206) throw await this.#failure(call, response);
    const contentType = headerValue(response.headers, "content-type");
    const body =
      response.body.kind === "object" ? { value: response.body.value } : { bytes: await readBytes(response.body) };
    this.#countResponse(call, "bytes" in body ? body.bytes.length : 0);
    return { status: response.status, headers: response.headers, contentType, body };
  }

  /** Tries until an outcome is final. The body of the answer is not read yet. */
  async #attempt(call: Call, signal: AbortSignal): Promise<Attempted> {
    const { transport, clock, log } = this.#options;
    const request = this.#httpRequest(call);
    const kind = retryClass(call);
    let previous: Error | undefined;
    for (let attempts = 1; ; attempts++) {
      signal.throwIfAborted();
      let response: HttpResponse | undefined;
      let error: unknown;
      try {
        response = await transport.send(request, signal);
      } catch (failure) {
        if (signal.aborted) throw signal.reason;
        error = failure;
      }
      const outcome: Outcome = response ?? { status: 0, error };
      this.#countAttempt(call, outcome.status, attempts);
      const retry = nextRetry(outcome, attempts, kind);
      if (!retry) return { response, error, previous, attempts };
      if (error instanceof Error) previous = error;
      if (response) await discardBody(response.body).catch(ignoreLostBody);
      await clock.sleep(retry.waitMs, signal);
      await this.#throttle(call, retry.reason, signal);
      log?.v(4).info("Got a Retry-After response", { delayMs: retry.waitMs, attempt: attempts, url: call.path });
    }
  }

  #httpRequest(call: Call): HttpRequest {
    const headers: Record<string, string> = { accept: call.accept, "user-agent": this.#options.userAgent };
    if (call.contentType) headers["content-type"] = call.contentType;
    const limit = call.verb === "watch" ? "" : this.#timeoutQuery;
    return {
      method: call.method,
      path: call.path,
      query: call.query === "" || limit === "" ? call.query + limit : `${call.query}&${limit}`,
      headers,
      ...(call.body && { body: call.body }),
      ...(call.verb !== "watch" && { whole: true }),
      ...(this.#options.direct && { direct: true }),
    };
  }

  async #throttle(call: Call, retryReason: string, signal: AbortSignal): Promise<void> {
    const { rateLimiter, clock } = this.#options;
    if (!rateLimiter) return;
    const startedAt = clock.monotonicMs();
    try {
      await rateLimiter.wait(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof RateLimitError)) throw error;
      throw new RateLimitError(`client rate limiter Wait returned an error: ${error.message}`, { cause: error });
    } finally {
      const waitedMs = clock.monotonicMs() - startedAt;
      this.#throttleLog(waitedMs, call, retryReason);
      this.#metrics?.rateLimiterSeconds.observe(waitedMs / 1000, [call.method, this.#host]);
    }
  }

  /** The Status in the body, or else an error made from the HTTP status alone. */
  async #failure(call: Call, response: HttpResponse): Promise<ApiError> {
    const contentType = headerValue(response.headers, "content-type");
    const problem = mediaTypeProblem(contentType);
    if (problem !== undefined) return newInternalError(problem);
    let bytes: Uint8Array | undefined;
    let value: unknown;
    if (response.body.kind === "object") value = response.body.value;
    else {
      bytes = await readBytes(response.body);
      this.#countResponse(call, bytes.length);
      value = bytes.length > 0 ? this.#statusOrNothing(bytes, contentType) : undefined;
    }
    if (isFailure(value)) return new ApiError(value);
    const isText = contentType === "" || parseMediaType(contentType).type.startsWith("text/");
    return newGenericServerResponse({
      code: response.status,
      verb: call.method,
      ...(call.resource && { resource: call.resource }),
      ...(call.name !== undefined && { name: call.name }),
      serverMessage: isText
        ? decodeText((bytes ?? new Uint8Array()).subarray(0, BARE_TEXT_BYTES_MAX)).trim()
        : "unknown",
      retryAfterSeconds: retryAfterSeconds(response.headers) ?? 0,
      isUnexpected: true,
    });
  }

  #statusOrNothing(bytes: Uint8Array, contentType: string): unknown {
    try {
      return decodeBytes(bytes, contentType, this.#options.protobuf);
    } catch (error) {
      this.#options.log?.v(5).info("Body was not decodable (unable to check for Status)", { err: String(error) });
      return undefined;
    }
  }

  #warn(call: Call, response: HttpResponse): void {
    const { onWarning } = this.#options;
    if (!onWarning || !("warning" in response.headers)) return;
    for (const warning of parseWarnings(response.headers)) onWarning(warning, call.path);
  }

  #countAttempt(call: Call, status: number, attempts: number): void {
    if (!this.#metrics) return;
    const labels = [status === 0 ? "<error>" : String(status), call.method, this.#host];
    this.#metrics.requests.inc(labels);
    if (attempts > 1) this.#metrics.retries.inc(labels);
    if (call.verb === "watch") return;
    const size = call.body?.kind === "bytes" ? call.body.bytes.length : 0;
    this.#metrics.requestBytes.observe(size, [call.method, this.#host]);
  }

  #countResponse(call: Call, size: number): void {
    this.#metrics?.responseBytes.observe(size, [call.method, this.#host]);
  }
}

interface Attempted {
  readonly response: HttpResponse | undefined;
  readonly error: unknown;
  /** The last lost connection before the final attempt. */
  readonly previous: Error | undefined;
  readonly attempts: number;
}

/**
 * Ignores an error of the body: the attempt is over, and the next one finds out whether the connection still works.
 */
function ignoreLostBody(error: unknown): void {
  if (!(error instanceof TransportError)) throw error;
}

function retryClass(call: Call): RetryClass {
  if (call.body?.kind === "stream") return "once";
  if (call.verb === "watch") return "watch";
  return call.method === "GET" ? "read" : "write";
}

function isFailure(value: unknown): value is Status {
  if (typeof value !== "object" || value === null) return false;
  const { kind, status } = value as Status;
  return kind === "Status" && status === "Failure";
}

function record(call: Call, status: number, attempts: number): Parameters<RequestTrace>[0] {
  const { verb, path, query, resource, namespace, name, subresource } = call;
  return {
    verb,
    path,
    query,
    status,
    attempts,
    ...(resource && { resource }),
    ...(namespace && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource && { subresource }),
  };
}
