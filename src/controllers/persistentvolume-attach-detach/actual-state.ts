// The actual state: which volumes are attached to which nodes as far as the controller knows, which of them nodes have
// mounted, and the volumes that each node's status should list. An attachment is confirmed or uncertain; a missing one
// is detached.
// Upstream: pkg/controller/volume/attachdetach/cache/actual_state_of_world.go.

import type { AttachedVolume } from "#api/generated/types/core-v1.ts";
import { Wakeup } from "#base/idle-loop.ts";
import type { VolumeSpec } from "#families/volumes/volume-spec.ts";

export type AttachState = "attached" | "uncertain" | "detached";

/**
 * Why an attachment is uncertain. "failed": an attach or a detach failed. "found": at its start the controller found a
 * VolumeAttachment that no node reports. "found-attached": the driver has also reported it as attached; it keeps other
 * nodes from an exclusive volume.
 */
export type Doubt = "failed" | "found" | "found-attached";

export interface Attachment {
  /** Unique in the cluster. */
  readonly volume: string;
  readonly node: string;
  /** Absent if only the node's status lists the volume. */
  readonly spec?: VolumeSpec | undefined;
  /** Absent: confirmed. */
  readonly doubt?: Doubt | undefined;
  /** The node has the volume mounted, or may have: new entries count as mounted until the node reports otherwise. */
  readonly isInUse: boolean;
}

interface KnownVolume {
  spec: VolumeSpec | undefined;
  devicePath: string;
  readonly nodes: Map<string, KnownNode>;
}

interface KnownNode {
  doubt: Doubt | undefined;
  /** The time of the first detach request, on the monotonic clock. */
  detachRequestedAt: number | undefined;
}

interface NodeReport {
  isStale: boolean;
  readonly volumes: Set<string>;
}

export class ActualState {
  readonly #volumes = new Map<string, KnownVolume>();
  readonly #reports = new Map<string, NodeReport>();
  readonly #inUse = new Map<string, Set<string>>();
  readonly #changes: Wakeup;

  constructor(changes: Wakeup = new Wakeup()) {
    this.#changes = changes;
  }

  /** True if no volume is attached or uncertain, and no status has to be written. */
  get isSettled(): boolean {
    return this.#volumes.size === 0 && this.staleNodes().length === 0;
  }

  markAttached(volume: string, spec: VolumeSpec | undefined, node: string, devicePath = ""): void {
    this.#put(volume, spec, node, undefined, devicePath);
    this.report(volume, node);
  }

  markUncertain(volume: string, spec: VolumeSpec | undefined, node: string, doubt: Doubt): void {
    this.#put(volume, spec, node, doubt, "");
  }

  markDetached(volume: string, node: string): void {
    const known = this.#volumes.get(volume);
    if (known === undefined) return;
    known.nodes.delete(node);
    if (known.nodes.size === 0) this.#volumes.delete(volume);
    this.retract(volume, node);
  }

  #put(volume: string, spec: VolumeSpec | undefined, node: string, doubt: Doubt | undefined, devicePath: string): void {
    const known = this.#volumes.get(volume) ?? { spec, devicePath, nodes: new Map<string, KnownNode>() };
    known.spec = spec;
    known.devicePath = devicePath;
    this.#volumes.set(volume, known);
    this.#changes.wake();
    const entry = known.nodes.get(node);
    if (entry !== undefined) entry.doubt = doubt;
    else {
      known.nodes.set(node, { doubt, detachRequestedAt: undefined });
      this.#inUse.set(node, (this.#inUse.get(node) ?? new Set()).add(volume));
    }
  }

  state(volume: string, node: string): AttachState {
    const known = this.#volumes.get(volume)?.nodes.get(node);
    if (known === undefined) return "detached";
    return known.doubt === undefined ? "attached" : "uncertain";
  }

  /** A snapshot: the state may change while the caller works on it. */
  attachments(): readonly Attachment[] {
    return [...this.#volumes].flatMap(([volume, { spec, nodes }]) =>
      [...nodes].map(([node, { doubt }]) => ({
        volume,
        node,
        spec,
        doubt,
        isInUse: this.#inUse.get(node)?.has(volume) ?? false,
      })),
    );
  }

  /** The nodes that hold an exclusive volume. */
  holders(volume: string): readonly string[] {
    const nodes = [...(this.#volumes.get(volume)?.nodes ?? [])];
    return nodes.filter(([, { doubt }]) => doubt === undefined || doubt === "found-attached").map(([node]) => node);
  }

  /** Sets the volumes that the node has mounted. */
  setInUse(node: string, volumes: readonly string[]): void {
    this.#inUse.set(node, new Set(volumes));
  }

  /** The time since the first detach request; the first call starts it. */
  requestDetach(volume: string, node: string, nowMs: number): number {
    const known = this.#volumes.get(volume)?.nodes.get(node);
    if (known === undefined) return 0;
    known.detachRequestedAt ??= nowMs;
    return nowMs - known.detachRequestedAt;
  }

  cancelDetach(volume: string, node: string): void {
    const known = this.#volumes.get(volume)?.nodes.get(node);
    if (known !== undefined) known.detachRequestedAt = undefined;
  }

  /** The node's status should list the volume. */
  report(volume: string, node: string): void {
    if (this.state(volume, node) === "detached") return;
    const report = this.#reports.get(node) ?? { isStale: true, volumes: new Set<string>() };
    this.#reports.set(node, report);
    if (report.volumes.has(volume)) return;
    report.volumes.add(volume);
    report.isStale = true;
  }

  /** The node's status should not list the volume. */
  retract(volume: string, node: string): void {
    const report = this.#reports.get(node);
    if (report?.volumes.delete(volume)) report.isStale = true;
    this.#changes.wake();
  }

  /** The node's status has to be written again, if the controller has ever written it. */
  markStale(node: string): void {
    const report = this.#reports.get(node);
    if (report !== undefined) report.isStale = true;
    this.#changes.wake();
  }

  staleNodes(): readonly string[] {
    return [...this.#reports].filter(([, { isStale }]) => isStale).map(([node]) => node);
  }

  /**
   * The volumes for a stale node's status, which counts as written from now on; undefined if the status is not stale.
   */
  takeReport(node: string): readonly AttachedVolume[] | undefined {
    const report = this.#reports.get(node);
    if (report === undefined || !report.isStale) return undefined;
    report.isStale = false;
    return [...report.volumes].map((name) => ({ name, devicePath: this.#volumes.get(name)?.devicePath ?? "" }));
  }
}
