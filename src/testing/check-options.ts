// Checks the options of a cluster that the types allow, or that a test in JavaScript gives without types. The cluster's
// settings have checks of their own.

import { NODES_MAX } from "#cluster/settings.ts";
import type { RealClusterOptions, TestClusterOptions, VirtualClusterOptions } from "./start-cluster.ts";

const common = {
  time: true,
  nodes: true,
  stages: true,
  log: true,
  controllers: true,
  featureGates: true,
  runtimeConfig: true,
  admissionPlugins: true,
} as const satisfies Readonly<Record<keyof TestClusterOptions | "time", true>>;

const known = {
  virtual: { ...common, seed: true, startTime: true } satisfies Readonly<Record<keyof VirtualClusterOptions, true>>,
  real: { ...common, port: true } satisfies Readonly<Record<keyof RealClusterOptions, true>>,
} as const;

/** Throws a TypeError that names the option. */
export function checkOptions(options: VirtualClusterOptions | RealClusterOptions): void {
  const { time = "virtual", nodes = 0 } = options;
  if (!Object.hasOwn(known, time))
    throw new TypeError(`time is ${JSON.stringify(time)}; it can be "virtual" or "real"`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known[time], name));
  if (unknown !== undefined) {
    throw new TypeError(`${unknown}: unknown option; in ${time} time there are ${Object.keys(known[time]).join(", ")}`);
  }
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > NODES_MAX) {
    throw new TypeError(`nodes is ${nodes}; it can be 0 to ${NODES_MAX}`);
  }
}
