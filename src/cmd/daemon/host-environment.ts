// The environment of every part of the daemon.

import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { MetricRegistry } from "#base/metric-registry.ts";
import type { Rng } from "#base/rng.ts";

export interface HostEnvironment {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly warn: (text: string) => void;
  readonly registry: MetricRegistry;
  /** The gate ClientsAllowCARotation is off. */
  readonly keepsCa: boolean;
  /** "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/<commit>". */
  readonly userAgentPrefix: string;
}
