// The kinds of requests that managers make: account, verb and resource. Names, namespaces and parameters do not count.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf } from "#test/stage/requests.ts";
import type { AuditEvent } from "./audit-log.ts";

const RECORDINGS = join(import.meta.dirname, "../scenarios/*/recorded/*.json");
/** It reads and deletes objects of any kind. */
const COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector";
/** Subresources of a namespace, not kinds of objects in it. */
const OF_NAMESPACE: ReadonlySet<string> = new Set(["status", "finalize"]);

/** The kinds of requests of managers in an audit log. */
export function requestKindsOf(events: readonly AuditEvent[]): ReadonlySet<string> {
  return new Set(
    events
      .filter((event) => identityOf(event) !== undefined)
      .map(({ user, verb, requestURI }) => kindOf(user.username, verb, requestURI)),
  );
}

interface RecordedRequest {
  readonly who: string;
  readonly verb?: string;
  readonly path?: string;
}

interface Recording {
  readonly sections: readonly { readonly items: readonly { readonly label: string; readonly value: unknown }[] }[];
}

/** The kinds of requests that the Go manager made in the recorded scenarios. */
export function recordedRequestKinds(): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const file of globSync(RECORDINGS)) {
    const { sections } = JSON.parse(readFileSync(file, "utf8")) as Recording;
    for (const { label, value } of sections.flatMap(({ items }) => items)) {
      // The label of a read has its verb and path.
      const [readVerb = "", readPath = ""] = label.split(" ");
      for (const { who, verb = readVerb, path = readPath } of [value].flat().filter(isRequest)) {
        kinds.add(kindOf(who, verb, path));
      }
    }
  }
  return kinds;
}

const isRequest = (value: unknown): value is RecordedRequest =>
  typeof value === "object" && value !== null && "who" in value;

function kindOf(who: string, verb: string, uri: string): string {
  const [path = ""] = uri.split("?");
  const [, root, ...words] = path.split("/");
  const [group = "", , ...rest] = root === "api" ? ["", ...words] : words;
  if ((root !== "api" && root !== "apis") || rest[0] === undefined) return `${who} ${verb} ${path}`;
  const isNamespaced = rest[0] === "namespaces" && rest[2] !== undefined && !OF_NAMESPACE.has(rest[2]);
  const [resource, , subresource] = isNamespaced ? rest.slice(2) : rest;
  const target = [group, resource, subresource].filter((part) => part !== undefined && part !== "").join("/");
  return `${who} ${verb} ${who === COLLECTOR ? "any object" : target}`;
}
