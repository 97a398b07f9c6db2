// How well endpoints are packed, summed over all Services, for the gauges of both controllers.
// Upstream: k8s.io/endpointslice/metrics/cache.go; pkg/controller/endpointslicemirroring/metrics/cache.go.

import type { ObjectKey } from "#api/object.ts";
import type { Gauge, Metrics } from "#base/metrics.ts";

/** The counts of one Service, by port key. */
export type PortCounts = ReadonlyMap<string, { readonly endpoints: number; readonly slices: number }>;

interface EfficiencyGauges {
  readonly endpoints: Gauge;
  readonly slices: Gauge;
  /** The number of slices if all were full. */
  readonly idealSlices: Gauge;
}

/** The names differ only in the prefix, which contains the name of the controller. */
export function efficiencyGauges(metrics: Metrics, prefix: string, stability: "ALPHA" | "BETA"): EfficiencyGauges {
  const gauge = (name: string, help: string): Gauge =>
    metrics.gauge({ name: prefix + name, help, stability, labels: [] });
  return {
    endpoints: gauge("endpoints_desired", "Number of endpoints desired"),
    slices: gauge("num_endpoint_slices", "Number of EndpointSlices"),
    idealSlices: gauge(
      "desired_endpoint_slices",
      "Number of EndpointSlices that would exist with perfect endpoint allocation",
    ),
  };
}

interface Sums {
  readonly endpoints: number;
  readonly slices: number;
  readonly idealSlices: number;
}

const NOTHING: Sums = { endpoints: 0, slices: 0, idealSlices: 0 };

export class Efficiency {
  readonly #services = new Map<ObjectKey, Sums>();
  readonly #gauges: EfficiencyGauges;
  readonly #endpointsMax: number;
  /** 1 if a Service without endpoints also has a slice. */
  readonly #slicesMin: number;
  #total = NOTHING;

  constructor(gauges: EfficiencyGauges, options: { readonly endpointsMax: number; readonly slicesMin: number }) {
    this.#gauges = gauges;
    this.#endpointsMax = options.endpointsMax;
    this.#slicesMin = options.slicesMin;
  }

  set(service: ObjectKey, counts: PortCounts): void {
    let sums = NOTHING;
    for (const { endpoints, slices } of counts.values()) {
      sums = plus(sums, { endpoints, slices, idealSlices: Math.ceil(endpoints / this.#endpointsMax) });
    }
    const idealSlices = Math.max(sums.idealSlices, this.#slicesMin);
    this.#replace(service, { ...sums, idealSlices });
  }

  remove(service: ObjectKey): void {
    if (!this.#services.has(service)) return;
    this.#replace(service, NOTHING);
    this.#services.delete(service);
  }

  #replace(service: ObjectKey, sums: Sums): void {
    this.#total = plus(plus(this.#total, sums), this.#services.get(service) ?? NOTHING, -1);
    this.#services.set(service, sums);
    this.#gauges.endpoints.set(this.#total.endpoints);
    this.#gauges.slices.set(this.#total.slices);
    this.#gauges.idealSlices.set(this.#total.idealSlices);
  }
}

function plus(a: Sums, b: Sums, times: 1 | -1 = 1): Sums {
  return {
    endpoints: a.endpoints + times * b.endpoints,
    slices: a.slices + times * b.slices,
    idealSlices: a.idealSlices + times * b.idealSlices,
  };
}
