// Makes the reads of two runs comparable by user, URL and parameters. Resource versions, times and the number of
// attempts are chance. Which kinds are listed and watched, how, and which objects are read live, is not.

import { stringifyJson } from "#base/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { agentOf, type Item, withoutPem } from "./items.ts";
import { isWrite } from "./requests.ts";

/** Parameters whose values are chance. The versions "" and "0" have a meaning. */
const CHANCE = new Set(["resourceVersion", "timeout", "timeoutSeconds", "continue"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const MEANINGFUL = new Set(["", "0"]);
/**
 * The hash of an OpenAPI document. The document has the names of the play's custom resources, and a read may come before
 * the server has published all schemas of a group.
 */
const OPENAPI_HASH = /^[0-9A-F]{128}$/;

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
        // In ours, discovery has a separate deadline (docs/deviations.md).
        .filter(([name]) => event.verb !== "get" || name !== "timeout")
        .map(([name, given]) => [name, plain(name, given, text)]),
    ),
  };
  return { label: `${event.verb} ${text(path)}`, value };
}

/**
 * A write that the manager makes for itself. Which writes there are is compared; how often is chance. Go sends
 * protobuf, which does not distinguish an empty list from a missing one.
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

/** Whether the object had changed since it was read. The other 409, a name that is taken, is not chance. */
export function isConflict({ responseStatus: { code, reason } = {} }: AuditEvent): boolean {
  return code === 409 && reason === "Conflict";
}

/** Each item once: how often an informer starts again is chance. */
export function distinct(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [stringifyJson(item), item])).values()];
}

/**
 * Live reads without those that a failed write explains. The number of conflicts, and whether an object is already gone,
 * is chance. After a conflict the writer reads the newest object once. An object that is gone was read before.
 * The phase has reads and writes in their order.
 */
export function unprovoked(reads: readonly AuditEvent[], phase: readonly AuditEvent[]): readonly AuditEvent[] {
  const left = new Map<string, number>();
  const expect = (event: AuditEvent, change: number): void => {
    left.set(targetOf(event), (left.get(targetOf(event)) ?? 0) + change);
  };
  const hasFailed = (event: AuditEvent): boolean => isWrite(event) && (event.responseStatus?.code ?? 0) >= 400;
  for (const event of phase) if (hasFailed(event) && !isConflict(event)) expect(event, 1);
  const live = new Set(reads.filter(({ verb }) => verb === "get"));
  const provoked = new Set<AuditEvent>();
  for (const event of phase) {
    if (hasFailed(event) && isConflict(event)) expect(event, 1);
    if (!live.has(event) || (left.get(targetOf(event)) ?? 0) === 0) continue;
    expect(event, -1);
    provoked.add(event);
  }
  return reads.filter((read) => !provoked.has(read));
}

/** Whether both patches have the same user and the same answer. */
export function isRepeatedPatch(previous: AuditEvent, event: AuditEvent): boolean {
  const text = ({ verb, requestURI, requestObject, responseStatus, user }: AuditEvent): string =>
    JSON.stringify([verb, requestURI, requestObject, responseStatus?.code, user.username]);
  return event.verb === "patch" && previous.requestURI === event.requestURI && text(previous) === text(event);
}

/**
 * The reads without those that precede a repeated equal patch. A controller that adopts reads the owner first; it does
 * both again when its cache does not show the patch yet.
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
  if (name === "hash" && OPENAPI_HASH.test(value)) return "{hash}";
  return CHANCE.has(name) && !MEANINGFUL.has(value) ? `{${name}}` : text(value);
}
