// The paths of the daemon's port. Other paths are not found, including health checks by name.
// Upstream: controller-manager/app/serve.go, NewBaseHandler; apiserver/pkg/server/routes/{flags,profiling}.go.

import { errorMessage } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import type { LogVerbosity } from "#base/log-verbosity.ts";
import { decodeText, readBytes } from "#client/codec.ts";
import { DecodeError } from "#client/errors.ts";
import { parseUnsigned } from "../flags/go-number.ts";
import { configzResponse } from "./configz.ts";
import type { HealthPage } from "./healthz.ts";
import { type MetricsPageFormat, metricsResponse } from "./metrics-page.ts";
import type { DaemonRequest, Handler } from "./request.ts";
import { errorResponse, notFoundResponse, textResponse } from "./responses.ts";
import { type HealthRecord, handleSlis } from "./slis.ts";

/** A level has one or two digits. Upstream reads without a limit. */
const VERBOSITY_BYTES_MAX = 1024;

export interface PageDeps {
  readonly health: HealthPage;
  readonly healthRecord: HealthRecord;
  readonly configz: string;
  /** All metrics in the text format. */
  readonly renderMetrics: () => string;
  readonly metricsFormat: MetricsPageFormat;
  readonly verbosity: LogVerbosity;
  /** --profiling. */
  readonly isProfiling: boolean;
  /** Undefined where their gate is off. */
  readonly flagz?: Handler | undefined;
  readonly statusz?: Handler | undefined;
}

/** The paths that /statusz lists: the first segments of the paths registered before it. */
export function listedPaths(hasFlagz: boolean): readonly string[] {
  return hasFlagz ? ["/configz", "/flagz", "/healthz", "/metrics"] : ["/configz", "/healthz", "/metrics"];
}

const flagsIndex = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`;

/** debug: handlers of controllers, by path prefix. */
export function createPages(deps: PageDeps, debug: ReadonlyMap<string, Handler>): Handler {
  const exact = new Map<string, Handler>([
    ["/healthz", (request) => deps.health.handle(request)],
    ["/configz", () => configzResponse(deps.configz)],
    ["/metrics", (request) => metricsResponse(deps.renderMetrics(), deps.metricsFormat, request)],
    ["/metrics/slis", (request) => handleSlis(deps.healthRecord, deps.metricsFormat, request)],
  ]);
  if (deps.flagz !== undefined) exact.set("/flagz", deps.flagz);
  if (deps.statusz !== undefined) exact.set("/statusz", deps.statusz);
  if (deps.isProfiling) {
    exact.set("/debug/pprof", () => redirect("/debug/pprof/"));
    exact.set("/debug/flags", () => html(flagsIndex));
    exact.set("/debug/flags/v", (request) => setVerbosity(request, deps.verbosity));
  }
  return (request, signal) => {
    const { path } = request;
    const handler = exact.get(path) ?? debugHandler(path, debug);
    if (handler !== undefined) return handler(request, signal);
    if (deps.isProfiling && path.startsWith("/debug/flags/")) return html(flagsIndex);
    // Deviation: there are no Go profiles here; an error is clearer than an empty page.
    if (deps.isProfiling && path.startsWith("/debug/pprof/"))
      return errorResponse(501, "Go profiles are not available");
    return notFoundResponse();
  };
}

function debugHandler(path: string, debug: ReadonlyMap<string, Handler>): Handler | undefined {
  for (const [prefix, handler] of debug) {
    if (path === prefix || path.startsWith(`${prefix}/`)) return handler;
  }
  return undefined;
}

async function setVerbosity(request: DaemonRequest, verbosity: LogVerbosity): Promise<HttpResponse> {
  const plain = (status: number, text: string): HttpResponse =>
    textResponse(status, `${text}\n`, { "content-type": "text/plain", "x-content-type-options": "nosniff" });
  if (request.method !== "PUT") return plain(406, "unsupported http method");
  let text = "";
  try {
    if (request.body !== undefined) text = decodeText(await readBytes(request.body, VERBOSITY_BYTES_MAX));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return plain(413, `error reading request body: ${error.message}`);
  }
  try {
    verbosity.setLevel(parseUnsigned(text, 31));
  } catch (error) {
    return plain(400, errorMessage(error));
  }
  return plain(200, `successfully set klog.logging.verbosity to ${text}`);
}

function html(text: string): HttpResponse {
  return textResponse(200, text, { "content-type": "text/html; charset=utf-8" });
}

function redirect(location: string): HttpResponse {
  const text = `<a href="${location}">Found</a>.\n\n`;
  return textResponse(302, text, { "content-type": "text/html; charset=utf-8", location });
}
