// The objects that a token refers to, and whether they are still the same ones.

import type { KubeObject } from "#api/object.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import type { ServerCore } from "../core.ts";

export function storedObject(core: ServerCore, table: string, namespace: string, name: string): KubeObject | undefined {
  const row = core.registry.row(table);
  return row && core.tableOf(row).get(row.namespaced ? `${namespace}/${name}` : name)?.object;
}

/** Marked for deletion before the given time. */
export function wasDeletedBefore({ metadata }: KubeObject, time: EpochMs): boolean {
  const deleted = timeOrUndefined(metadata?.deletionTimestamp);
  return deleted !== undefined && deleted < time;
}
