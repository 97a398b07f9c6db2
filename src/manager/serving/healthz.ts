// /healthz: a list of checks that can grow while the program runs. Results are counted for /metrics/slis.
// Upstream: apiserver/pkg/server/healthz; controller-manager/pkg/healthz.

import { goQuote } from "#api/go-text.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { type DaemonRequest, queryValues } from "./request.ts";
import { errorResponse, textResponse } from "./responses.ts";
import type { HealthRecord } from "./slis.ts";

export interface HealthCheck {
  readonly name: string;
  /** The problem; undefined when healthy. The text goes to the log, not to the caller. */
  problem(): string | undefined;
}

const ping: HealthCheck = { name: "ping", problem: () => undefined };
const NOSNIFF = { "x-content-type-options": "nosniff" };

export class HealthPage {
  #checks: readonly HealthCheck[];
  readonly #log: Logger;
  readonly #record: HealthRecord;

  constructor(checks: readonly HealthCheck[], log: Logger, record: HealthRecord) {
    this.#checks = checks;
    this.#log = log;
    this.#record = record;
  }

  add(...checks: readonly HealthCheck[]): void {
    this.#checks = [...this.#checks, ...checks];
  }

  handle(request: DaemonRequest): HttpResponse {
    const excluded = new Set(queryValues(request, "exclude"));
    const failures: string[] = [];
    const problems: string[] = [];
    let text = "";
    for (const check of this.#checks.length > 0 ? this.#checks : [ping]) {
      const { name } = check;
      if (excluded.delete(name)) {
        text += `[+]${name} excluded: ok\n`;
        continue;
      }
      const problem = check.problem();
      this.#record.note(name, problem === undefined);
      if (problem === undefined) text += `[+]${name} ok\n`;
      else {
        text += `[-]${name} failed: reason withheld\n`;
        failures.push(name);
        problems.push(`[-]${name} failed: ${problem}`);
      }
    }
    if (excluded.size > 0) {
      const names = [...excluded].sort().map(goQuote).join(",");
      text += `warn: some health checks cannot be excluded: no matches for ${names}\n`;
      this.#log.v(6).info(`cannot exclude some health checks, no health checks are installed matching ${names}`);
    }
    if (failures.length > 0) {
      this.#log.v(2).info(`${failures.join(",")} check failed: healthz\n${problems.join("\n")}`);
      return errorResponse(500, `${text}healthz check failed`);
    }
    const isVerbose = queryValues(request, "verbose").length > 0;
    return textResponse(200, isVerbose ? `${text}healthz check passed\n` : "ok", NOSNIFF);
  }
}
