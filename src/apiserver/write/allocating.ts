// Writes of kinds for which the server allocates values: addresses, ports.

import type { KubeObject } from "#api/object.ts";
import type { Allocation } from "#kinds/hooks.ts";
import type { ResourceCall } from "../core.ts";

/** Must call `stored` as soon as the object is stored. */
type Write<T> = (object: KubeObject, stored: () => void) => Promise<T>;

/** Runs the write with the allocated values; they are released unless the object is stored. */
export function allocating<T>(
  call: ResourceCall,
  object: KubeObject,
  old: KubeObject | undefined,
  dryRun: boolean,
  write: Write<T>,
): Promise<T> {
  const { row } = call.endpoint;
  // Subresources do not change allocated values.
  if (row.allocation === undefined || call.subresource !== "") return write(object, nothing);
  return settle(row.allocation(object, old, dryRun), write);
}

const nothing = (): void => {};

async function settle<T>({ object, commit, revert }: Allocation, write: Write<T>): Promise<T> {
  let isStored = false;
  const stored = (): void => {
    isStored = true;
    commit();
  };
  try {
    return await write(object, stored);
  } finally {
    if (!isStored) revert();
  }
}
