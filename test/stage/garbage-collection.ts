// Filters requests of the garbage collector that chance decides. The collector reads the owners of objects that its
// watches show in an unlucky order, and it repeats a write until its watch shows the change.

import type { KubeObject } from "#api/object.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { identityOf, isWrite } from "./requests.ts";

const IDENTITY = "generic-garbage-collector";

/**
 * Whether the write changes nothing: a delete of an object that is already being deleted, or a patch that sets nothing.
 */
export function isRepetition(previous: AuditEvent | undefined, event: AuditEvent): boolean {
  if (identityOf(event) !== IDENTITY) return false;
  return (event.verb === "delete" && previous?.verb === "delete") || (event.verb === "patch" && setsNothing(event));
}

function setsNothing({ requestObject, responseStatus }: AuditEvent): boolean {
  const { metadata, ...rest } = (requestObject ?? {}) as KubeObject;
  return responseStatus?.code === 200 && Object.keys({ ...metadata, ...rest }).join() === "uid";
}

/** The writes without those that change nothing. */
export function withoutRepetitions(writes: readonly AuditEvent[]): readonly AuditEvent[] {
  const last = new Map<string, AuditEvent>();
  return writes.filter((event) => {
    const path = pathOf(event);
    const isNew = !isRepetition(last.get(path), event);
    last.set(path, event);
    return isNew;
  });
}

/**
 * The live reads that are compared: of the garbage collector, each successful read of an object that it also writes,
 * once; of other controllers, all.
 */
export function readsThatCount(phase: readonly AuditEvent[]): readonly AuditEvent[] {
  const isOwn = (event: AuditEvent): boolean => identityOf(event) === IDENTITY;
  const written = new Set(phase.filter((event) => isWrite(event) && isOwn(event)).map(pathOf));
  const counted = new Set<string>();
  return phase.filter((event) => {
    if (isWrite(event) || event.verb === "watch") return false;
    if (!isOwn(event)) return true;
    const path = pathOf(event);
    if (!written.has(path) || counted.has(path) || event.responseStatus?.code !== 200) return false;
    counted.add(path);
    return true;
  });
}

function pathOf({ requestURI }: AuditEvent): string {
  return requestURI.split("?", 1)[0] ?? "";
}
