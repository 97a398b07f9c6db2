// Health: /healthz, /livez and /readyz, as a whole, in detail, or one check at a time.
// Upstream: k8s.io/apiserver/pkg/server/healthz

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "./core.ts";
import { plainText } from "./filters/errors.ts";
import type { RequestContext } from "./request-context.ts";

interface HealthCheck {
  readonly name: string;
  /** Undefined: healthy. */
  check(core: ServerCore): string | undefined;
}

const PING: HealthCheck = { name: "ping", check: () => undefined };
const STORAGE: HealthCheck = {
  name: "storage",
  check: ({ storage }) => (storage.revision > 0 ? undefined : "no revision"),
};
const SHUTDOWN: HealthCheck = {
  name: "shutdown",
  check: ({ closing }) => (closing.aborted ? "process is shutting down" : undefined),
};

const CHECKS: Readonly<Record<string, readonly HealthCheck[]>> = {
  __proto__: null as never,
  healthz: [PING, STORAGE],
  livez: [PING, STORAGE],
  readyz: [PING, STORAGE, SHUTDOWN],
};

export const HEALTH_PATHS: readonly string[] = Object.entries(CHECKS).flatMap(([endpoint, checks]) => [
  `/${endpoint}`,
  ...checks.map(({ name }) => `/${endpoint}/${name}`),
]);

/** Undefined for other paths. */
export function healthHandler(core: ServerCore): (context: RequestContext) => HttpResponse | undefined {
  return ({ info, query }) => {
    const [, endpoint = "", single, ...rest] = info.path.split("/");
    const checks = CHECKS[endpoint];
    if (checks === undefined || rest.length > 0) return undefined;
    if (single !== undefined) {
      const check = checks.find(({ name }) => name === single);
      if (check === undefined) return undefined;
      const failure = check.check(core);
      return failure === undefined ? plainText(200, "ok") : plainText(500, `internal server error: ${failure}\n`);
    }
    return wholeAnswer(core, endpoint, checks, query.all("exclude"), query.all("verbose").length > 0);
  };
}

function wholeAnswer(
  core: ServerCore,
  endpoint: string,
  checks: readonly HealthCheck[],
  excluded: readonly string[],
  isVerbose: boolean,
): HttpResponse {
  const lines: string[] = [];
  let isFailed = false;
  for (const { name, check } of checks) {
    if (excluded.includes(name)) {
      lines.push(`[+]${name} excluded: ok\n`);
      continue;
    }
    const failure = check(core);
    if (failure !== undefined) isFailed = true;
    lines.push(failure === undefined ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`);
  }
  const unknown = excluded.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => `"${name}"`).join(",")}\n`,
    );
  }
  if (isFailed) return plainText(500, `${lines.join("")}${endpoint} check failed\n`);
  return isVerbose ? plainText(200, `${lines.join("")}${endpoint} check passed\n`) : plainText(200, "ok");
}
