// Which metrics are deprecated, and which of them are hidden.
// Upstream: k8s.io/component-base/metrics/registry.go
import { assert } from "./assert.ts";
import type { MetricOptions, StabilityLevel } from "./metrics.ts";

/** The number of minor releases for which a metric is still shown after its deprecation. */
const graceMinors: Readonly<Record<StabilityLevel, number>> = { INTERNAL: 0, ALPHA: 0, BETA: 1, STABLE: 3 };

export interface Lifecycle {
  readonly isDeprecated: boolean;
  readonly isPastGrace: boolean;
}

export function lifecycleOf(options: MetricOptions, currentVersion: string): Lifecycle {
  if (options.deprecatedVersion === undefined) return { isDeprecated: false, isPastGrace: false };
  const current = majorMinor(currentVersion);
  const since = majorMinor(options.deprecatedVersion);
  if (since.major !== current.major) {
    const isOld = since.major < current.major;
    return { isDeprecated: isOld, isPastGrace: isOld };
  }
  return {
    isDeprecated: current.minor >= since.minor,
    isPastGrace: current.minor >= since.minor + graceMinors[options.stability],
  };
}

/** The help text with the stability level, and the deprecation if there is one. */
export function annotatedHelp(options: MetricOptions, isDeprecated: boolean): string {
  const deprecation = isDeprecated ? `(Deprecated since ${options.deprecatedVersion}) ` : "";
  return `[${options.stability}] ${deprecation}${options.help}`;
}

function majorMinor(version: string): { major: number; minor: number } {
  const match = /^v?(\d+)\.(\d+)/.exec(version);
  assert(match !== null, `not a version: ${version}`);
  return { major: Number(match[1]), minor: Number(match[2]) };
}
