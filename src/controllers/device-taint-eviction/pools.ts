// The published devices, by pool. Only the slices of a pool's newest generation count; older ones stay until the driver
// deletes them.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, pool.

import { semanticEqual } from "#api/equality.ts";
import type { Device } from "#api/generated/types/resource-v1.ts";
import { newestSlices } from "#families/devices/newest-slices.ts";
import { type AllocatedDevice, NO_EXECUTE, type Slice, type TaintSource } from "./taints.ts";

type PoolId = Omit<AllocatedDevice, "device">;

export class Pools {
  /** By driver and pool; a pool is its slices by name. */
  readonly #pools = new Map<string, Map<string, Slice>>();

  /** Returns the devices whose NoExecute taints changed. */
  change(old: Slice | undefined, slice: Slice | undefined): ReadonlySet<string> {
    const id = poolOf((slice ?? old) as Slice);
    const pool = this.#pools.get(idText(id)) ?? new Map<string, Slice>();
    const before = taintsByDevice(newestOf(pool));
    if (old !== undefined) pool.delete(old.metadata.name);
    if (slice !== undefined) pool.set(slice.metadata.name, slice);
    if (pool.size === 0) this.#pools.delete(idText(id));
    else this.#pools.set(idText(id), pool);
    const after = taintsByDevice(newestOf(pool));
    const names = [...before.keys(), ...after.keys()];
    return new Set(names.filter((name) => !semanticEqual(before.get(name), after.get(name))));
  }

  /** The NoExecute taints of a published device. */
  taintsOf(allocated: AllocatedDevice): readonly TaintSource[] {
    for (const slice of newestOf(this.#pools.get(idText(allocated)) ?? new Map())) {
      const device = slice.spec.devices?.find(({ name }) => name === allocated.device);
      if (device === undefined) continue;
      return (device.taints ?? []).flatMap((taint, index) =>
        taint.effect === NO_EXECUTE ? [{ kind: "slice", slice, device: device.name, index, taint }] : [],
      );
    }
    return [];
  }

  /** The number of published devices that match. */
  count(matches: (device: AllocatedDevice) => boolean): number {
    let count = 0;
    for (const pool of this.#pools.values()) {
      for (const slice of newestOf(pool)) {
        const id = poolOf(slice);
        count += (slice.spec.devices ?? []).filter(({ name }) => matches({ ...id, device: name })).length;
      }
    }
    return count;
  }
}

export function poolOf({ spec }: Slice): PoolId {
  return { driver: spec.driver, pool: spec.pool.name };
}

function idText({ driver, pool }: PoolId): string {
  return `${driver}/${pool}`;
}

function newestOf(pool: ReadonlyMap<string, Slice>): readonly Slice[] {
  return newestSlices([...pool.values()]);
}

function taintsByDevice(slices: readonly Slice[]): ReadonlyMap<string, NonNullable<Device["taints"]>> {
  const devices = slices.flatMap(({ spec }) => spec.devices ?? []);
  const tainted = devices.map(
    ({ name, taints = [] }) => [name, taints.filter(({ effect }) => effect === NO_EXECUTE)] as const,
  );
  return new Map(tainted.filter(([, taints]) => taints.length > 0));
}
