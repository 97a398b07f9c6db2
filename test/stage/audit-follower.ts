// Follows the audit log of a control plane and assigns each finished request of a controller to the play that it is
// about. Each call reads on from the end of the previous read. An incomplete last line stays for the next read.

import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { parseExactJson } from "#api/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { identityOf, isDirected, isEventWrite, isFinished, isForAccounts, MANAGER_USER } from "./requests.ts";

/** The tag of a play, as it appears in names. */
const TAG = /\bplay\d{4}\b|-play\d{4}\b/g;
const USERS = ['"username":"system:serviceaccount:kube-system:', `"username":"${MANAGER_USER}"`];
const ABOUT_MANY: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

export interface AuditFollower {
  /** Finished requests about the play, oldest first. */
  requestsOf(tag: string): readonly AuditEvent[];
  /** Finished requests about any play. */
  all(): readonly AuditEvent[];
  /** How many Events the controllers have written. */
  eventsWritten(): number;
  /** From now on, requests about no play belong to this play; with undefined, to none. */
  setAlone(tag: string | undefined): void;
  /** How many requests belong to no play. */
  restCount(): number;
  /**
   * The requests that belong to no play, since the last call: lists and watches of informers, and writes that the
   * manager makes for itself.
   */
  takeRest(): readonly AuditEvent[];
}

/** Follows the requests for which `counts` returns true. */
export function followAuditLog(file: string, counts: (event: AuditEvent) => boolean): AuditFollower {
  const byTag = new Map<string, AuditEvent[]>();
  let rest: AuditEvent[] = [];
  let alone: string | undefined;
  let position = 0;
  let eventsWritten = 0;
  const keep = (tag: string, event: AuditEvent): void => {
    const known = byTag.get(tag);
    if (known === undefined) byTag.set(tag, [event]);
    else known.push(event);
  };
  const take = (line: string): void => {
    // Skips the lines of other users without parsing them.
    if (!USERS.some((user) => line.includes(user))) return;
    const event = parseExactJson(line) as AuditEvent;
    if (!isFinished(event) || identityOf(event) === undefined || !counts(event)) return;
    if (isEventWrite(event)) eventsWritten++;
    const told = ABOUT_MANY.has(event.verb) || event.objectRef === undefined ? event.requestURI : line;
    const tags = new Set(Array.from(told.matchAll(TAG), ([tag]) => tag.replace("-", "")));
    // The namespace controller deletes another play's custom resources from a namespace: the request is about neither
    // play.
    if (tags.size > 1 && ABOUT_MANY.has(event.verb)) return;
    if (tags.size > 0) for (const tag of tags) keep(tag, event);
    else if (alone !== undefined && isDirected(event) && !isForAccounts(event)) keep(alone, event);
    else rest.push(event);
  };
  const catchUp = (): void => {
    const added = readFrom(file, position);
    position += Buffer.byteLength(added);
    for (const line of added.split("\n")) if (line !== "") take(line);
  };
  return {
    requestsOf(tag) {
      catchUp();
      return byTag.get(tag) ?? [];
    },
    all() {
      catchUp();
      return [...byTag.values()].flat();
    },
    eventsWritten() {
      catchUp();
      return eventsWritten;
    },
    setAlone(tag) {
      catchUp();
      alone = tag;
    },
    restCount() {
      catchUp();
      return rest.length;
    },
    takeRest() {
      catchUp();
      const taken = rest;
      rest = [];
      return taken;
    },
  };
}

/** Reads whole lines. The text after the last line end stays for the next read. */
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
