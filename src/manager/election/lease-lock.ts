// The lock behind an election: one Lease, read and written as an election record.
// Upstream: client-go/tools/leaderelection/resourcelock/leaselock.go.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import type { Lease, LeaseSpec } from "#api/generated/types/coordination-v1.ts";
import type { Stored } from "#api/resource.ts";
import { formatMicroTime, formatTime, parseMicroTime } from "#api/time.ts";
import { assert } from "#base/assert.ts";
import type { EpochMs } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";

export interface ElectionRecord {
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: EpochMs;
  readonly renewTime: EpochMs;
  readonly transitions: number;
  readonly preferredHolder: string;
  readonly strategy: string;
}

export interface LeaseLockOptions {
  readonly leases: ResourceClient<Stored<Lease>>;
  readonly namespace: string;
  readonly name: string;
  /** Our identity. */
  readonly identity: string;
  readonly recorder?: EventRecorder;
}

export class LeaseLock {
  readonly identity: string;
  /** "namespace/name", for logs. */
  readonly description: string;
  readonly #options: LeaseLockOptions;
  /** The newest version that we have read or written: the base of an update. */
  #lease: Stored<Lease> | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.description = `${options.namespace}/${options.name}`;
  }

  async get(signal: AbortSignal): Promise<ElectionRecord> {
    const { leases, namespace, name } = this.#options;
    this.#lease = await leases.get({ namespace, name }, signal);
    return recordOf(this.#lease.spec ?? {});
  }

  async create(record: ElectionRecord, signal: AbortSignal): Promise<void> {
    const { leases, namespace, name } = this.#options;
    const object = { metadata: { name, namespace }, spec: specOf(record) };
    this.#lease = await leases.create({ object }, signal);
  }

  /** Replaces the spec of the last known version; a conflict means that another candidate was faster. */
  async update(record: ElectionRecord, signal: AbortSignal): Promise<void> {
    assert(this.#lease !== undefined, "lease not initialized, call get or create first");
    const object = { ...this.#lease, spec: specOf(record) };
    this.#lease = await this.#options.leases.update({ object }, signal);
  }

  /** Records an event on the Lease: "<identity> became leader". */
  recordEvent(what: "became leader" | "stopped leading"): void {
    const { recorder } = this.#options;
    if (recorder === undefined || this.#lease === undefined) return;
    recorder.event(referenceTo(this.#lease, Leases), "Normal", "LeaderElection", `${this.identity} ${what}`);
  }
}

/** Records with equal text count as unchanged: times are compared by the second. */
export function isSameRecord(a: ElectionRecord | undefined, b: ElectionRecord): boolean {
  return a !== undefined && fingerprint(a) === fingerprint(b);
}

function fingerprint(record: ElectionRecord): string {
  const { acquireTime, renewTime, ...rest } = record;
  return JSON.stringify([rest, formatTime(acquireTime), formatTime(renewTime)]);
}

function recordOf(spec: LeaseSpec): ElectionRecord {
  return {
    holderIdentity: spec.holderIdentity ?? "",
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: spec.acquireTime ? parseMicroTime(spec.acquireTime) : 0,
    renewTime: spec.renewTime ? parseMicroTime(spec.renewTime) : 0,
    transitions: spec.leaseTransitions ?? 0,
    preferredHolder: spec.preferredHolder ?? "",
    strategy: spec.strategy ?? "",
  };
}

function specOf(record: ElectionRecord): LeaseSpec {
  return {
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    acquireTime: formatMicroTime(record.acquireTime),
    renewTime: formatMicroTime(record.renewTime),
    leaseTransitions: record.transitions,
    ...(record.preferredHolder === "" ? {} : { preferredHolder: record.preferredHolder }),
    ...(record.strategy === "" ? {} : { strategy: record.strategy }),
  };
}
