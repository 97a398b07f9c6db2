// Runs the controllers under leader election: with one lock, or with leader migration also a second one. The second
// lock is contended only after the first is held and the service account token controller runs. Losing the leadership
// ends the program.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, Run, leaderElectAndRun.

import { durationMs } from "#api/go-duration.ts";
import { childScope, whenAborted } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { Elector } from "./election/elector.ts";
import type { HeldLease } from "./election/fence.ts";
import type { LeaseLock } from "./election/lease-lock.ts";
import type { ElectionMetrics } from "./election/metrics.ts";
import type { LeaderElectionConfig, LeaderMigrationConfig } from "./options/config.ts";
import { lockOf } from "./options/leader-migration.ts";

/** What runs under one lock. */
export interface LeaderTerm {
  /** Which controllers run; undefined: all. */
  readonly isAssigned?: (controller: string) => boolean;
  /** The service account token controller runs under the main lock only. */
  readonly hasTokenController: boolean;
  /** The token controller's run has begun. */
  readonly onTokenControllerRunning?: () => void;
  /** No write is sent once another candidate could hold the lease. Undefined: there is no election. */
  readonly lease?: HeldLease;
}

export interface LeadDeps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: ElectionMetrics;
  readonly election: LeaderElectionConfig;
  /** Undefined: no leader migration. */
  readonly migration?: LeaderMigrationConfig | undefined;
  /** Release the lease on exit (ControllerManagerReleaseLeaderElectionLockOnExit). */
  readonly isReleasing: boolean;
  readonly isCoordinated: boolean;
  createLock(leaseName: string): LeaseLock;
  runTerm(term: LeaderTerm, signal: AbortSignal): Promise<void>;
  /** The election that /healthz watches from now on: the last one started. */
  onElection(elector: Elector): void;
  /** Ends the program at once. */
  exit(code: number): void;
}

/** Resolves when all elections have ended; rejects with the first error. */
export async function leadAndRun(deps: LeadDeps, signal: AbortSignal): Promise<void> {
  using scope = childScope(signal);
  const errors: unknown[] = [];
  let tokensRunning: () => void = () => undefined;
  const isReadyToMigrate = new Promise<void>((resolve) => (tokensRunning = resolve));

  const elect = (leaseName: string, lost: string, termOf: (elector: Elector) => LeaderTerm): Promise<void> => {
    const elector: Elector = createElector(deps, leaseName, {
      onStartedLeading: (leading) => {
        void (async () => {
          try {
            await deps.runTerm(termOf(elector), leading);
          } catch (error) {
            if (!isAborted(error, leading)) errors.push(error);
          } finally {
            scope.abort();
          }
        })();
      },
      onStoppedLeading: () => {
        deps.log.error(undefined, lost);
        if (!deps.isReleasing) deps.exit(1);
      },
    });
    deps.onElection(elector);
    return elector.run(scope.signal);
  };

  const { migration, log, election } = deps;
  const running = [
    elect(election.resourceName, "leaderelection lost/stopped", (elector) => {
      if (migration !== undefined) log.info("leader migration: starting main controllers.");
      return {
        hasTokenController: true,
        onTokenControllerRunning: tokensRunning,
        lease: elector,
        ...(migration === undefined ? {} : { isAssigned: (name) => lockOf(name, migration) === "main" }),
      };
    }),
  ];
  if (migration !== undefined) {
    await Promise.race([isReadyToMigrate, whenAborted(scope.signal)]);
    if (!scope.signal.aborted) {
      running.push(
        elect(migration.leaderName, "migration leaderelection lost/stopped", (elector) => {
          log.info("leader migration: starting migrated controllers.");
          return {
            hasTokenController: false,
            lease: elector,
            isAssigned: (name) => lockOf(name, migration) === "migration",
          };
        }),
      );
    }
  }
  await Promise.all(running);
  const problem = aggregate(errors);
  if (problem !== undefined) throw problem;
}

function createElector(
  deps: LeadDeps,
  leaseName: string,
  callbacks: Pick<ConstructorParameters<typeof Elector>[0], "onStartedLeading" | "onStoppedLeading">,
): Elector {
  const { clock, rng, log, metrics, election, isReleasing, isCoordinated } = deps;
  return new Elector({
    clock,
    rng: rng.fork(`election-${leaseName}`),
    log,
    metrics,
    lock: deps.createLock(leaseName),
    name: leaseName,
    leaseDurationMs: durationMs(election.leaseDuration),
    renewDeadlineMs: durationMs(election.renewDeadline),
    retryPeriodMs: durationMs(election.retryPeriod),
    releaseOnCancel: isReleasing,
    isCoordinated,
    ...callbacks,
  });
}
