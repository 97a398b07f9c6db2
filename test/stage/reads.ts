// Makes the reads of two runs comparable: what was asked, by whom, with which parameters. Versions, times and the
// number of tries are chance; which kinds are listed and watched, how, and what is read live, is not.

import { stringifyJson } from "#base/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { agentOf, type Item, withoutPem } from "./items.ts";

/** Parameters whose values are chance. "" and "0" are versions that mean something. */
const CHANCE = new Set(["resourceVersion", "timeout", "timeoutSeconds", "continue"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const MEANINGFUL = new Set(["", "0"]);

export interface Read {
  readonly who: string;
  readonly agent: string;
  readonly code: number;
  /** Parameters by name. */
  readonly query: Readonly<Record<string, string>>;
}

export function readItem(event: AuditEvent, text: (text: string) => string = (text) => text): Item {
  const [path = "", query = ""] = event.requestURI.split("?", 2);
  const value: Read = {
    who: event.user.username,
    agent: agentOf(event),
    code: event.responseStatus?.code ?? 0,
    query: Object.fromEntries(
      [...new URLSearchParams(query)]
        // Discovery has a deadline of its own in ours (docs/deviations.md).
        .filter(([name]) => event.verb !== "get" || name !== "timeout")
        .map(([name, given]) => [name, plain(name, given, text)]),
    ),
  };
  return { label: `${event.verb} ${text(path)}`, value };
}

/**
 * A write of the manager's own: which there are is compared, how often is chance. Go's bodies come as protobuf, which
 * does not tell an empty list from none.
 */
export function overallWriteItem(event: AuditEvent): Item {
  const { label, value } = readItem(event);
  const text = JSON.stringify(event.requestObject, (_, child: unknown) => {
    if (typeof child === "string") return withoutPem(child).replace(TIME, "{time}");
    if (Array.isArray(child)) return child.length === 0 ? null : child;
    if (typeof child !== "object" || child === null) return child;
    return Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return { label, value: { ...(value as Read), body: JSON.parse(text ?? "null") } };
}

/** The object had changed since it was read. Not the other 409: that a name is taken is no chance. */
export function isConflict({ responseStatus: { code, reason } = {} }: AuditEvent): boolean {
  return code === 409 && reason === "Conflict";
}

/** Each once: how often an informer begins anew is chance. */
export function distinct(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [stringifyJson(item), item])).values()];
}

/**
 * Live reads, without those that follow a failed write: how many conflicts there are, and whether an object is gone
 * already, is chance, and each failure costs its writer one look at the newest object.
 */
export function unprovoked(reads: readonly AuditEvent[], writes: readonly AuditEvent[]): readonly AuditEvent[] {
  const provoked = new Map<string, number>();
  for (const write of writes) {
    const hasFailed = (write.responseStatus?.code ?? 0) >= 400;
    if (hasFailed) provoked.set(targetOf(write), (provoked.get(targetOf(write)) ?? 0) + 1);
  }
  return reads.filter((read) => {
    const left = provoked.get(targetOf(read)) ?? 0;
    if (read.verb !== "get" || left === 0) return true;
    provoked.set(targetOf(read), left - 1);
    return false;
  });
}

/** Of the same user, with the same answer. */
export function isRepeatedPatch(previous: AuditEvent, event: AuditEvent): boolean {
  const text = ({ verb, requestURI, requestObject, responseStatus, user }: AuditEvent): string =>
    JSON.stringify([verb, requestURI, requestObject, responseStatus?.code, user.username]);
  return event.verb === "patch" && previous.requestURI === event.requestURI && text(previous) === text(event);
}

/**
 * The reads without those that led to an equal patch once more: a controller that adopts looks at the owner first, and
 * does both again when its cache has not seen the patch yet.
 */
export function withoutRepeatedLooks(
  reads: readonly AuditEvent[],
  phase: readonly AuditEvent[],
): readonly AuditEvent[] {
  const repeated = new Set<AuditEvent>();
  for (const [index, patch] of phase.entries()) {
    const first = phase.slice(0, index).findLastIndex((event) => isRepeatedPatch(event, patch));
    if (first < 0) continue;
    const isLook = (event: AuditEvent): boolean =>
      event.verb === "get" && phase.slice(0, first).some((earlier) => targetOf(earlier) === targetOf(event));
    const look = phase.slice(first, index).findLast(isLook);
    if (look !== undefined) repeated.add(look);
  }
  return reads.filter((read) => !repeated.has(read));
}

function targetOf({ user, objectRef }: AuditEvent): string {
  return `${user.username} ${objectRef?.resource} ${objectRef?.name}`;
}

function plain(name: string, value: string, text: (text: string) => string): string {
  return CHANCE.has(name) && !MEANINGFUL.has(value) ? `{${name}}` : text(value);
}
