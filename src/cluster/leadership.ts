// The controllers of a cluster in one process run under the Lease of kube-controller-manager. A manager beside the
// cluster therefore waits or takes over, and two never act at the same time. The process continues without the Lease:
// unlike the daemon, it becomes a candidate again after a loss, for example after the machine was suspended.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { durationMs } from "#api/go-duration.ts";
import { childScope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { Transport } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client } from "#client/client.ts";
import { Elector } from "#manager/election/elector.ts";
import { fencedTransport, type HeldLease } from "#manager/election/fence.ts";
import { LeaseLock } from "#manager/election/lease-lock.ts";
import { registerElectionMetrics } from "#manager/election/metrics.ts";
import type { LeaderElectionConfig } from "#manager/options/config.ts";

export interface LeadershipOptions {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly client: Client;
  /** The same after a restart: the earlier holder cannot run any more. */
  readonly identity: string;
  readonly election: LeaderElectionConfig;
  /** Runs the controllers; the fence refuses writes once the Lease may have expired. */
  readonly run: (fence: (transport: Transport) => Transport, signal: AbortSignal) => Promise<void>;
  /** Called at each try while another manager holds the Lease. */
  readonly onWaiting: (holder: string) => void;
}

/** Resolves after an abort, when the controllers have ended and the Lease is released; rejects when they fail. */
export async function leadWhilePossible(options: LeadershipOptions, signal: AbortSignal): Promise<void> {
  const { clock, rng, log, client, identity, election, onWaiting } = options;
  const { resourceNamespace: namespace, resourceName: name } = election;
  const metrics = registerElectionMetrics(noMetrics);
  for (let term = 1; !signal.aborted; term++) {
    using scope = childScope(signal);
    let shift: Promise<void> | undefined;
    let failure: { readonly error: unknown } | undefined;
    const elector: Elector = new Elector({
      clock,
      rng: rng.fork(`term-${term}`),
      log,
      metrics,
      lock: new LeaseLock({ leases: client.resource(Leases), namespace, name, identity }),
      name,
      leaseDurationMs: durationMs(election.leaseDuration),
      renewDeadlineMs: durationMs(election.renewDeadline),
      retryPeriodMs: durationMs(election.retryPeriod),
      releaseOnCancel: true,
      isCoordinated: false,
      onWaiting,
      onStartedLeading: (leading) => {
        const lease: HeldLease = elector;
        shift = options
          .run((transport) => fencedTransport(transport, lease), leading)
          .catch((error: unknown) => {
            if (!isAborted(error, leading)) failure = { error };
          })
          .finally(() => scope.abort());
      },
      onStoppedLeading: () => undefined,
    });
    await elector.run(scope.signal);
    await shift;
    if (failure !== undefined) throw failure.error;
  }
}
