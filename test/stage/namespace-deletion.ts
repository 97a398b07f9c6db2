// Filters requests of the namespace controller that chance decides: while a deletion fails, the controller repeats it
// with back-off.

import type { Namespace } from "#api/generated/types/core-v1.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { identityOf } from "./requests.ts";

const IDENTITY = "namespace-controller";
const REPEATED: ReadonlySet<string> = new Set(["get", "list", "deletecollection"]);

/** If a namespace reported a failure in this phase, keeps each of the controller's reads and deletions once. */
export function roundsAsOne(phase: readonly AuditEvent[]): readonly AuditEvent[] {
  const isOwn = (event: AuditEvent): boolean => identityOf(event) === IDENTITY;
  if (!phase.some((event) => isOwn(event) && tellsOfFailure(event))) return phase;
  const seen = new Set<string>();
  return phase.filter((event) => {
    if (!isOwn(event) || !REPEATED.has(event.verb)) return true;
    const text = `${event.verb} ${event.requestURI} ${event.responseStatus?.code}`;
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

function tellsOfFailure({ objectRef, requestObject }: AuditEvent): boolean {
  if (objectRef?.resource !== "namespaces" || objectRef.subresource !== "status") return false;
  const { status } = (requestObject ?? {}) as Namespace;
  return status?.conditions?.some(({ type, status }) => /Failure$/.test(type) && status === "True") === true;
}
