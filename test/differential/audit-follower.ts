// Follows the audit log of a control plane and keeps, per namespace, the writes of the controllers under
// comparison. The log is read once, from where the last look ended; a half written line waits for its rest.

import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import type { AuditEvent } from "#test/real/audit-log.ts";

const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);

export interface AuditFollower {
  /** Finished writes of these users to objects in the namespace, oldest first. */
  writesIn(namespace: string): readonly AuditEvent[];
}

export function followAuditLog(file: string, users: readonly string[]): AuditFollower {
  const byNamespace = new Map<string, AuditEvent[]>();
  let position = 0;
  const take = (line: string): void => {
    // Most lines are about others: told without parsing them.
    if (!users.some((user) => line.includes(`"username":"${user}"`))) return;
    const event = JSON.parse(line) as AuditEvent;
    const { namespace } = event.objectRef ?? {};
    if (event.stage !== "ResponseComplete" || namespace === undefined || !WRITES.has(event.verb)) return;
    if (!users.includes(event.user.username)) return;
    const events = byNamespace.get(namespace) ?? [];
    events.push(event);
    byNamespace.set(namespace, events);
  };
  const catchUp = (): void => {
    const added = readFrom(file, position);
    position += Buffer.byteLength(added);
    for (const line of added.split("\n")) if (line !== "") take(line);
  };
  return {
    writesIn(namespace) {
      catchUp();
      return byNamespace.get(namespace) ?? [];
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
