// The desired state: which volumes should be attached to which nodes, and for which pods.
// Upstream: pkg/controller/volume/attachdetach/cache/desired_state_of_world.go.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { Wakeup } from "#base/idle-loop.ts";
import type { VolumeSpec } from "#families/volumes/volume-spec.ts";

export interface WantedVolume {
  /** Unique in the cluster. */
  readonly name: string;
  readonly node: string;
  readonly spec: VolumeSpec;
  /** By UID, in the state in which they were first seen. */
  readonly pods: ReadonlyMap<string, Stored<Pod>>;
  /** The pods got an event that another node has the volume. */
  readonly isConflictReported: boolean;
}

type Wanted = { -readonly [K in keyof WantedVolume]: WantedVolume[K] } & { pods: Map<string, Stored<Pod>> };

export class DesiredState {
  /** By node and volume. Nodes without volumes are managed too. */
  readonly #nodes = new Map<string, Map<string, Wanted>>();
  readonly #changes: Wakeup;

  constructor(changes: Wakeup = new Wakeup()) {
    this.#changes = changes;
  }

  /** No volume is wanted. */
  get isEmpty(): boolean {
    return [...this.#nodes.values()].every((wanted) => wanted.size === 0);
  }

  addNode(node: string): void {
    if (!this.#nodes.has(node)) this.#nodes.set(node, new Map());
  }

  /** A node stays while volumes are wanted there. */
  removeNode(node: string): void {
    if (this.#nodes.get(node)?.size === 0) this.#nodes.delete(node);
  }

  isManaged(node: string): boolean {
    return this.#nodes.has(node);
  }

  addPod(pod: Stored<Pod>, volume: { readonly name: string; readonly spec: VolumeSpec }, node: string): void {
    const wanted = this.#nodes.get(node);
    if (wanted === undefined) return;
    const { name, spec } = volume;
    const entry = wanted.get(name) ?? { name, node, spec, pods: new Map(), isConflictReported: false };
    wanted.set(name, entry);
    if (!entry.pods.has(pod.metadata.uid)) entry.pods.set(pod.metadata.uid, pod);
    this.#changes.wake();
  }

  removePod(uid: string, volume: string, node: string): void {
    const wanted = this.#nodes.get(node);
    const entry = wanted?.get(volume);
    entry?.pods.delete(uid);
    if (entry?.pods.size === 0) wanted?.delete(volume);
  }

  wants(volume: string, node: string): boolean {
    return this.#nodes.get(node)?.has(volume) ?? false;
  }

  /** A snapshot: the state may change while the caller works on it. */
  volumes(): readonly WantedVolume[] {
    return [...this.#nodes.values()].flatMap((wanted) => [...wanted.values()]);
  }

  podsOn(nodes: readonly string[], volume: string): readonly Stored<Pod>[] {
    return nodes.flatMap((node) => [...(this.#nodes.get(node)?.get(volume)?.pods.values() ?? [])]);
  }

  markConflictReported(volume: string, node: string): void {
    const entry = this.#nodes.get(node)?.get(volume);
    if (entry !== undefined) entry.isConflictReported = true;
  }
}
