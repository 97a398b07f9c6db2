// Leader election through a Lease. A candidate takes the lease when it was not renewed for its duration, measured by
// the candidate's clock. Times written by other candidates are never compared.
// Upstream: client-go/tools/leaderelection/leaderelection.go.

import { isNotFound } from "#api/status-error.ts";
import { childScope, deadlineScope, shielded } from "#base/abort.ts";
import { assert } from "#base/assert.ts";
import type { Clock, EpochMs, Timer } from "#base/clock.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import { pause, pollUntil } from "#base/wait.ts";
import type { HeldLease } from "./fence.ts";
import { type ElectionRecord, isSameRecord, type LeaseLock } from "./lease-lock.ts";
import type { ElectionMetrics } from "./metrics.ts";

/** Waits between tries are extended by up to this share, so that candidates do not act at the same time. */
const JITTER_FACTOR = 1.2;

/**
 * This share of the time between renew deadline and lease duration is reserved for writes to arrive: 1 s by default.
 */
const ARRIVAL_SHARE = 0.2;

export interface ElectorOptions {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly metrics: ElectionMetrics;
  readonly lock: LeaseLock;
  /** The Lease's name, in metrics and in the health check. */
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** Release the lease when the run is cancelled, so that a successor does not have to wait. */
  readonly releaseOnCancel: boolean;
  /** The API server picks the holder; this candidate only renews. */
  readonly isCoordinated: boolean;
  /** Another candidate holds the lease; called at each try. */
  readonly onWaiting?: (holder: string) => void;
  /** Runs while this candidate leads; the signal aborts when leadership ends. The elector does not wait for it. */
  readonly onStartedLeading: (signal: AbortSignal) => void;
  /** Always called when the run ends, even if this candidate never led. */
  readonly onStoppedLeading: () => void;
}

interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: EpochMs;
}

export class Elector implements HeldLease {
  readonly #options: ElectorOptions;
  #observed: ElectionRecord | undefined;
  /** The record as last read, to detect changes by other candidates. */
  #read: ElectionRecord | undefined;
  #observedAtMs = 0;
  /** The start of the last successful write: the lease is valid for its duration from then. */
  #renewedSince: Instant = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };
  readonly #doubters: (() => void)[] = [];
  #doubtTimer: Timer | undefined;
  #hasEnded = false;

  constructor(options: ElectorOptions) {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
    assert(leaseDurationMs > renewDeadlineMs, "leaseDuration must be greater than renewDeadline");
    assert(
      renewDeadlineMs > retryPeriodMs * JITTER_FACTOR,
      "renewDeadline must be greater than retryPeriod*JitterFactor",
    );
    assert(leaseDurationMs > 0, "leaseDuration must be greater than zero");
    assert(renewDeadlineMs > 0, "renewDeadline must be greater than zero");
    assert(retryPeriodMs > 0, "retryPeriod must be greater than zero");
    assert(options.lock.identity !== "", "Lock identity is empty");
    this.#options = options;
    options.metrics.masterStatus.set(0, [options.name]);
  }

  get isLeader(): boolean {
    return this.#observed?.holderIdentity === this.#options.lock.identity;
  }

  get leader(): string {
    return this.#observed?.holderIdentity ?? "";
  }

  /** Measured from before the last renewal was sent. It ends early enough for writes in flight to arrive. */
  isCertain(): boolean {
    if (this.#hasEnded || !this.isLeader) return false;
    if (this.#sinceRenewalMs < this.#certainMs) return true;
    this.#doubtNow(); // the machine has slept, which the timer did not notice
    return false;
  }

  onDoubt(callback: () => void): void {
    this.#doubters.push(callback);
  }

  /**
   * By whichever clock has advanced further. The monotonic clock may stop while the machine is suspended; the wall
   * clock goes on. A wall clock that is set ahead only costs certainty until the next renewal.
   */
  get #sinceRenewalMs(): number {
    const { monotonicMs, wallMs } = this.#instant();
    return Math.max(monotonicMs - this.#renewedSince.monotonicMs, wallMs - this.#renewedSince.wallMs);
  }

  #instant(): Instant {
    const { clock } = this.#options;
    return { monotonicMs: clock.monotonicMs(), wallMs: clock.now() };
  }

  /** Other candidates use the whole seconds in the record. */
  get #certainMs(): number {
    const { leaseDurationMs, renewDeadlineMs } = this.#options;
    const statedMs = Math.trunc(leaseDurationMs / 1000) * 1000;
    return statedMs - (leaseDurationMs - renewDeadlineMs) * ARRIVAL_SHARE;
  }

  /** Undefined when healthy. A leader that stopped renewing and did not exit is unhealthy. */
  healthProblem(toleranceMs: number): string | undefined {
    const { clock, leaseDurationMs, name } = this.#options;
    if (!this.isLeader) return undefined;
    const silentMs = clock.monotonicMs() - this.#observedAtMs;
    return silentMs > leaseDurationMs + toleranceMs
      ? `failed election to renew leadership on lease ${name}`
      : undefined;
  }

  /** Waits for the lease, leads until it is lost or the signal aborts, and returns. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      if (!(await this.#acquire(signal))) return;
      using leading = childScope(signal);
      this.#options.onStartedLeading(leading.signal);
      await this.#renewUntilLost(signal);
    } finally {
      this.#hasEnded = true;
      this.#doubtTimer?.[Symbol.dispose]();
      this.#notifyDoubters();
      this.#options.onStoppedLeading();
    }
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, rng, log, lock, name, metrics, retryPeriodMs } = this.#options;
    log.info("Attempting to acquire leader lease...", { lock: lock.description });
    while (!signal.aborted) {
      if (await this.#try(signal)) {
        lock.recordEvent("became leader");
        metrics.masterStatus.set(1, [name]);
        log.info("Successfully acquired lease", { lock: lock.description });
        return true;
      }
      log.v(4).info("Failed to acquire lease", { lock: lock.description });
      if (!(await pause(clock, retryPeriodMs * (1 + JITTER_FACTOR * rng.float()), signal))) return false;
    }
    return false;
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    const { clock, log, lock, metrics, name, retryPeriodMs, releaseOnCancel } = this.#options;
    while (!signal.aborted) {
      const failure = await this.#renewOnce(signal);
      if (failure !== undefined) {
        metrics.masterStatus.set(0, [name]);
        log.info("Failed to renew lease", { lock: lock.description, err: failure });
        break;
      }
      log.v(5).info("Successfully renewed lease", { lock: lock.description });
      await pause(clock, retryPeriodMs, signal);
    }
    if (releaseOnCancel) await this.#release();
    lock.recordEvent("stopped leading");
  }

  /** Tries until the renew deadline. Undefined when the lease was renewed. */
  async #renewOnce(signal: AbortSignal): Promise<string | undefined> {
    const { clock, renewDeadlineMs, retryPeriodMs } = this.#options;
    using deadline = deadlineScope(clock, renewDeadlineMs, signal);
    const poll = { intervalMs: retryPeriodMs, isImmediate: true, clock };
    try {
      await pollUntil((signal) => this.#try(signal), poll, deadline.signal);
      return undefined;
    } catch (error) {
      if (!deadline.signal.aborted) throw error;
      return signal.aborted ? "context canceled" : "context deadline exceeded";
    }
  }

  async #try(signal: AbortSignal): Promise<boolean> {
    this.isCertain(); // a sleep of the machine may have ended the certainty: stop before renewing
    try {
      return this.#options.isCoordinated ? await this.#tryRenewAssigned(signal) : await this.#tryAcquireOrRenew(signal);
    } catch (error) {
      if (isAborted(error, signal) || signal.aborted) return false;
      throw error;
    }
  }

  async #tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const { log, lock, metrics, name } = this.#options;
    const description = { lock: lock.description };
    let own = this.#firstRecord(0);
    // Fast path: the record that we wrote is still the newest, so renew it without reading first.
    if (this.#observed !== undefined && this.isLeader && this.#isLeaseValid()) {
      // If the lease was deleted or cleared meanwhile, acquireTime stays the same.
      own = this.#renewal(this.#observed);
      const problem = await this.#write(own, signal);
      if (problem === undefined) return true;
      log
        .v(2)
        .info("Failed to update lease optimistically, falling back to slow path", { ...description, err: problem });
    }
    const current = await this.#readRecord(signal);
    if (current === "failed") return false;
    if (current === "missing") {
      const problem = await this.#write(own, signal, "create");
      if (problem !== undefined) log.error(problem, "Error initially creating lease lock", description);
      return problem === undefined;
    }
    this.#observe(current);
    if (current.holderIdentity !== "" && this.#isLeaseValid() && !this.isLeader) {
      log.v(4).info("Lease is held by and has not yet expired", { ...description, holder: current.holderIdentity });
      this.#options.onWaiting?.(current.holderIdentity);
      return false;
    }
    if (this.isLeader) metrics.slowPath.inc([name]);
    const next = this.isLeader ? this.#renewal(current) : { ...own, transitions: current.transitions + 1 };
    const problem = await this.#write(next, signal);
    if (problem !== undefined) log.error(problem, "Failed to update lease", description);
    return problem === undefined;
  }

  /** Coordinated election: never creates or takes the lease, and lets a lease with a preferred successor expire. */
  async #tryRenewAssigned(signal: AbortSignal): Promise<boolean> {
    const { log, lock, metrics, name } = this.#options;
    const description = { lock: lock.description };
    const current = await this.#readRecord(signal);
    if (current === "failed") return false;
    if (current === "missing") {
      log.info("Lease lock not found", description);
      return false;
    }
    this.#observe(current);
    if (!this.#isLeaseValid()) {
      log.info("Lease has expired", description);
      return false;
    }
    if (!this.isLeader) {
      log.v(6).info("Lease is held and has not yet expired", { ...description, holder: current.holderIdentity });
      return false;
    }
    if (current.preferredHolder !== "") {
      log.v(4).info("Lease is marked as 'end of term'", description);
      return false;
    }
    metrics.slowPath.inc([name]);
    const problem = await this.#write({ ...this.#renewal(current), strategy: current.strategy }, signal);
    if (problem !== undefined) log.error(problem, "Failed to update lock", description);
    return problem === undefined;
  }

  /** Reading first refreshes the version to write on. */
  async #release(): Promise<void> {
    const { clock, log, lock, renewDeadlineMs } = this.#options;
    const description = { lock: lock.description };
    try {
      await shielded(clock, renewDeadlineMs, async (signal) => {
        const current = await this.#readRecord(signal, "error retrieving resource lock");
        if (current === "missing") log.info("lease lock not found", description);
        if (current === "missing" || current === "failed" || !this.isLeader) return;
        // Deviation: upstream overwrites the record of a candidate that has taken the lease meanwhile.
        if (current.holderIdentity !== lock.identity) return;
        const now = clock.now();
        const released: ElectionRecord = {
          ...this.#firstRecord(current.transitions),
          holderIdentity: "",
          leaseDurationSeconds: 1,
          acquireTime: now,
          renewTime: now,
        };
        const problem = await this.#write(released, signal);
        if (problem !== undefined) log.error(problem, "Failed to release lease", description);
      });
    } catch (error) {
      log.error(error, "Failed to release lease", description);
    }
  }

  async #readRecord(
    signal: AbortSignal,
    complaint = "Error retrieving lease lock",
  ): Promise<ElectionRecord | "missing" | "failed"> {
    const { log, lock } = this.#options;
    try {
      return await lock.get(signal);
    } catch (error) {
      if (isNotFound(error)) return "missing";
      if (!signal.aborted) log.error(error, complaint, { lock: lock.description });
      return "failed";
    }
  }

  /** The error, or undefined when the record was written. */
  async #write(record: ElectionRecord, signal: AbortSignal, how: "create" | "update" = "update"): Promise<unknown> {
    const { clock, lock } = this.#options;
    const began = this.#instant();
    try {
      if (how === "create") await lock.create(record, signal);
      else await lock.update(record, signal);
    } catch (error) {
      return error ?? new Error(errorMessage(error));
    }
    this.#observed = record;
    this.#observedAtMs = clock.monotonicMs();
    this.#renewedSince = began;
    this.#awaitDoubt();
    return undefined;
  }

  /** Each renewal postpones the doubt. */
  #awaitDoubt(): void {
    const { clock } = this.#options;
    this.#doubtTimer?.[Symbol.dispose]();
    const leftMs = Math.max(0, this.#certainMs - this.#sinceRenewalMs);
    this.#doubtTimer = this.isLeader ? clock.after(leftMs, () => this.#notifyDoubters()) : undefined;
  }

  /** Requests in progress were started with a certainty that has ended. */
  #doubtNow(): void {
    if (this.#doubtTimer?.isPending !== true) return;
    this.#doubtTimer[Symbol.dispose]();
    this.#notifyDoubters();
  }

  #notifyDoubters(): void {
    for (const notify of this.#doubters) notify();
  }

  /** A record that changed since the last read counts as fresh from now on. */
  #observe(current: ElectionRecord): void {
    if (isSameRecord(this.#read, current)) return;
    this.#read = current;
    this.#observed = current;
    this.#observedAtMs = this.#options.clock.monotonicMs();
  }

  /** Valid for the duration in the record, from the moment we saw it change. */
  #isLeaseValid(): boolean {
    const durationMs = (this.#observed?.leaseDurationSeconds ?? 0) * 1000;
    return this.#observedAtMs + durationMs > this.#options.clock.monotonicMs();
  }

  #firstRecord(transitions: number): ElectionRecord {
    const { clock, lock, leaseDurationMs } = this.#options;
    const now = clock.now();
    return {
      holderIdentity: lock.identity,
      leaseDurationSeconds: Math.trunc(leaseDurationMs / 1000),
      acquireTime: now,
      renewTime: now,
      transitions,
      preferredHolder: "",
      strategy: "",
    };
  }

  #renewal(current: ElectionRecord): ElectionRecord {
    return { ...this.#firstRecord(current.transitions), acquireTime: current.acquireTime };
  }
}
