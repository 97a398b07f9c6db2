// Follows the audit log of a control plane and keeps what the manager under comparison did: per namespace the writes
// and live reads of its controllers, and what it read for itself. The log is read once, from where the last look ended;
// a half written line waits for its rest.

import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import type { AuditEvent } from "#test/real/audit-log.ts";

const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const READS = new Set(["get", "list", "watch"]);

export interface AuditFollower {
  /** Finished writes of the controllers to objects in the namespace, oldest first. */
  writesIn(namespace: string): readonly AuditEvent[];
  /** Finished reads of the controllers in the namespace, oldest first. */
  readsIn(namespace: string): readonly AuditEvent[];
  /**
   * What belongs to no scenario, since the last call: what was read over all namespaces (what informers list and watch,
   * mostly), and what was written under the manager's own name or outside of all namespaces.
   */
  takeOverall(): { readonly reads: readonly AuditEvent[]; readonly writes: readonly AuditEvent[] };
}

export interface Followed {
  /** The controllers' own users. */
  readonly users: readonly string[];
  /** The manager's user, whose requests count when they came through the proxy. */
  readonly managerUser: string;
  readonly cameThroughProxy: (auditId: string) => boolean;
}

export function followAuditLog(file: string, { users, managerUser, cameThroughProxy }: Followed): AuditFollower {
  const writes = new Map<string, AuditEvent[]>();
  const reads = new Map<string, AuditEvent[]>();
  let overall: { readonly reads: AuditEvent[]; readonly writes: AuditEvent[] } = { reads: [], writes: [] };
  let position = 0;
  const keep = (events: Map<string, AuditEvent[]>, namespace: string, event: AuditEvent): void => {
    const known = events.get(namespace);
    if (known === undefined) events.set(namespace, [event]);
    else known.push(event);
  };
  const take = (line: string): void => {
    // Most lines are about others: told without parsing them.
    if (![...users, managerUser].some((user) => line.includes(`"username":"${user}"`))) return;
    const event = JSON.parse(line) as AuditEvent;
    const { username } = event.user;
    const isOurs = users.includes(username) || (username === managerUser && cameThroughProxy(event.auditID));
    // A watch is complete when it ends; that it began is what counts.
    if (!isOurs || event.stage !== (event.verb === "watch" ? "ResponseStarted" : "ResponseComplete")) return;
    const { namespace, resource } = event.objectRef ?? {};
    if (resource === undefined) return;
    if (READS.has(event.verb) && namespace === undefined) overall.reads.push(event);
    if (WRITES.has(event.verb) && (namespace === undefined || username === managerUser)) overall.writes.push(event);
    if (namespace === undefined || !users.includes(username)) return;
    if (WRITES.has(event.verb)) keep(writes, namespace, event);
    if (READS.has(event.verb)) keep(reads, namespace, event);
  };
  const catchUp = (): void => {
    const added = readFrom(file, position);
    position += Buffer.byteLength(added);
    for (const line of added.split("\n")) if (line !== "") take(line);
  };
  return {
    writesIn(namespace) {
      catchUp();
      return writes.get(namespace) ?? [];
    },
    readsIn(namespace) {
      catchUp();
      return reads.get(namespace) ?? [];
    },
    takeOverall() {
      catchUp();
      const taken = overall;
      overall = { reads: [], writes: [] };
      return taken;
    },
  };
}

/** Whole lines: what comes after the last one is left for the next look. */
function readFrom(file: string, position: number): string {
  if (!existsSync(file)) return "";
  const size = statSync(file).size - position;
  if (size <= 0) return "";
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(size);
    const read = bytes.subarray(0, readSync(descriptor, bytes, 0, size, position));
    return read.subarray(0, read.lastIndexOf("\n") + 1).toString();
  } finally {
    closeSync(descriptor);
  }
}
