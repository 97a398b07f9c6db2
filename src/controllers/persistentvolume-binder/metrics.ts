// The metrics of claims and volumes, and the durations from the request for a volume to its binding, and from the
// release of a volume to its deletion.
// Upstream: pkg/controller/volume/persistentvolume/metrics/metrics.go.

import type { Clock } from "#base/clock.ts";
import type { Counter, Metrics } from "#base/metrics.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import { type OperationMetrics, operationMetrics } from "#families/volumes/operation-metrics.ts";
import { classOfClaim } from "#rules/storage-classes.ts";
import type { KnownObjects } from "./known-objects.ts";
import { pluginOf } from "./plugins.ts";

type OperationName = "provision" | "delete";

/** Operations in progress, by the claim that waits for a volume or the volume to be deleted. */
class OperationTimes {
  readonly #clock: Clock;
  readonly #errors: readonly Counter[];
  readonly #metrics: OperationMetrics;
  readonly #operations = new Map<string, { plugin: string; operation: OperationName; startedAt: number }>();

  constructor(clock: Clock, errors: readonly Counter[], metrics: OperationMetrics) {
    this.#clock = clock;
    this.#errors = errors;
    this.#metrics = metrics;
  }

  begin(key: string, plugin: string, operation: OperationName): void {
    if (this.#operations.has(key)) return;
    this.#operations.set(key, { plugin: plugin || "N/A", operation, startedAt: this.#clock.monotonicMs() });
  }

  /** An attempt failed; the operation continues. */
  fail(key: string): void {
    const known = this.#operations.get(key);
    if (known === undefined) return;
    for (const counter of this.#errors) counter.inc([known.plugin, known.operation]);
  }

  succeed(key: string): void {
    const known = this.#operations.get(key);
    if (known === undefined) return;
    const { plugin, operation, startedAt } = known;
    this.#metrics.total.observe((this.#clock.monotonicMs() - startedAt) / 1000, [plugin, operation]);
    this.#operations.delete(key);
  }

  forget(key: string): void {
    this.#operations.delete(key);
  }
}

export interface BinderMetrics {
  readonly operations: OperationMetrics;
  readonly times: OperationTimes;
  readonly lateClasses: Counter;
  readonly lateClassErrors: Counter;
}

export function registerBinderMetrics(
  metrics: Metrics,
  clock: Clock,
  volumes: KnownObjects<Volume>,
  claims: KnownObjects<Claim>,
): BinderMetrics {
  registerCounts(metrics, volumes, claims);
  const errors = [
    { name: "volume_operation_total_errors", deprecatedVersion: "1.36.0" },
    { name: "volume_operation_errors_total" },
  ].map((named) =>
    metrics.counter({
      ...named,
      help: "Total volume operation errors",
      stability: "ALPHA",
      labels: ["plugin_name", "operation_name"],
    }),
  );
  const operations = operationMetrics(metrics);
  return {
    operations,
    times: new OperationTimes(clock, errors, operations),
    lateClasses: metrics.counter({
      name: "retroactive_storageclass_total",
      help: "Total number of retroactive StorageClass assignments to persistent volume claim",
      stability: "ALPHA",
    }),
    lateClassErrors: metrics.counter({
      name: "retroactive_storageclass_errors_total",
      help: "Total number of failed retroactive StorageClass assignments to persistent volume claim",
      stability: "ALPHA",
    }),
  };
}

function registerCounts(metrics: Metrics, volumes: KnownObjects<Volume>, claims: KnownObjects<Claim>): void {
  const gauge = (
    name: string,
    what: string,
    labels: readonly string[],
    rows: () => readonly (readonly string[])[],
  ): void =>
    metrics.gaugeFunc(
      { name: `pv_collector_${name}`, help: `Gauge measuring ${what}`, stability: "ALPHA", labels },
      () =>
        [...Map.groupBy(rows(), String).values()].map((equal) => ({
          labelValues: equal[0] ?? [],
          value: equal.length,
        })),
    );
  const isBound = ({ status }: Volume | Claim): boolean => status?.phase === "Bound";
  const classes = (bound: boolean) => () =>
    [...volumes.values()]
      .filter((volume) => isBound(volume) === bound)
      .map(({ spec }) => [spec?.storageClassName ?? ""]);
  const claimLabels = ["namespace", "storage_class", "volume_attributes_class"];
  const claimRows = (bound: boolean) => () =>
    [...claims.values()]
      .filter((claim) => isBound(claim) === bound)
      .map((claim) => [claim.metadata.namespace, classOfClaim(claim), claim.spec?.volumeAttributesClassName ?? ""]);

  gauge("total_pv_count", "total number of persistent volumes", ["plugin_name", "volume_mode"], () =>
    [...volumes.values()].map(({ spec }) => [pluginOf(spec)?.name ?? "N/A", spec?.volumeMode ?? "Filesystem"]),
  );
  gauge("bound_pv_count", "number of persistent volume currently bound", ["storage_class"], classes(true));
  gauge("unbound_pv_count", "number of persistent volume currently unbound", ["storage_class"], classes(false));
  gauge("bound_pvc_count", "number of persistent volume claim currently bound", claimLabels, claimRows(true));
  gauge("unbound_pvc_count", "number of persistent volume claim currently unbound", claimLabels, claimRows(false));
}
