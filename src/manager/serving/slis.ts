// /metrics/slis: results of the health checks, and the start time of the process. DELETE clears them.
// Upstream: component-base/metrics/prometheus/slis.

import type { HttpResponse } from "#base/http.ts";
import { headerText, labelText, sampleText } from "#base/metric-text.ts";
import { type MetricsPageFormat, metricsResponse } from "./metrics-page.ts";
import type { DaemonRequest } from "./request.ts";
import { textResponse } from "./responses.ts";

const TYPE = "healthz";

export class HealthRecord {
  readonly #last = new Map<string, boolean>();
  readonly #totals = new Map<string, { success: number; error: number }>();
  /** Clearing also removes the start time, as in upstream's registry. */
  #hasStart = true;

  note(name: string, isHealthy: boolean): void {
    this.#last.set(name, isHealthy);
    const total = this.#totals.get(name) ?? { success: 0, error: 0 };
    this.#totals.set(name, total);
    total[isHealthy ? "success" : "error"]++;
  }

  reset(): void {
    this.#last.clear();
    this.#totals.clear();
    this.#hasStart = false;
  }

  render(startSeconds: number): string {
    let text = "";
    const names = [...this.#last.keys()].sort();
    if (names.length > 0) {
      text += headerText(
        "kubernetes_healthcheck",
        "gauge",
        "[STABLE] This metric records the result of a single healthcheck.",
      );
      for (const name of names) {
        const labels = labelText(["name", "type"], [name, TYPE]);
        text += sampleText("kubernetes_healthcheck", labels, this.#last.get(name) ? 1 : 0);
      }
      text += this.#renderTotals(names);
    }
    if (!this.#hasStart) return text;
    text += headerText(
      "process_start_time_seconds",
      "gauge",
      "[ALPHA] Start time of the process since unix epoch in seconds.",
    );
    return text + sampleText("process_start_time_seconds", "", startSeconds);
  }

  #renderTotals(names: readonly string[]): string {
    const name = "kubernetes_healthchecks_total";
    let text = headerText(name, "counter", "[STABLE] This metric records the results of all healthcheck.");
    for (const check of names) {
      const total = this.#totals.get(check);
      for (const status of ["error", "success"] as const) {
        const count = total?.[status] ?? 0;
        if (count > 0) text += sampleText(name, labelText(["name", "status", "type"], [check, status, TYPE]), count);
      }
    }
    return text;
  }
}

export function handleSlis(record: HealthRecord, format: MetricsPageFormat, request: DaemonRequest): HttpResponse {
  if (request.method === "DELETE") {
    record.reset();
    return textResponse(200, "metrics reset\n");
  }
  return metricsResponse(record.render(format.processStartSeconds), format, request);
}
