// Shared by benchmarks on a real control plane: the administrator's client, waiting, and the calls of controllers.

import { stdout } from "node:process";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { AuditLog } from "#test/real/audit-log.ts";
import type { ControlPlane } from "#test/real/control-plane.ts";

const POLL_MS = 50;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function adminClient(plane: ControlPlane): Promise<Client> {
  const { certificatePem: cert, keyPem: key } = plane.admin;
  const transport = await createHttpClient({ baseUrl: plane.server, ca: plane.pki.ca.certificatePem, cert, key });
  return createClient({ transport, clock: systemClock, userAgent: "bench" });
}

/** A server that logs its requests. */
export interface Audited {
  readonly audit: Pick<AuditLog, "mark" | "since">;
}

/** Waits until the audit log has not grown for this long. */
export async function quiet(plane: Audited, quietMs: number): Promise<void> {
  let size = plane.audit.mark();
  for (let since = performance.now(); performance.now() - since < quietMs; await sleep(POLL_MS)) {
    const now = plane.audit.mark();
    if (now !== size) since = performance.now();
    size = now;
  }
}

/** By request and status code: "update endpoints 200". */
export type Calls = Readonly<Record<string, number>>;

/** The finished calls, without watches, of the users whose names match. */
export function callsSince(plane: Audited, mark: number, users: RegExp): Calls {
  const calls = plane.audit
    .since(mark)
    .filter(({ stage, user, verb }) => stage === "ResponseComplete" && verb !== "watch" && users.test(user.username))
    .map(({ verb, objectRef, responseStatus }) => {
      const { resource, subresource } = objectRef ?? {};
      const what = subresource === undefined ? resource : `${resource}/${subresource}`;
      return `${verb} ${what} ${responseStatus?.code}`;
    });
  return Object.fromEntries(Array.from(Map.groupBy(calls.toSorted(), String), ([call, all]) => [call, all.length]));
}

const sum = (calls: Calls): number => Object.values(calls).reduce((total, count) => total + count, 0);

/** The calls of all parts of the work. */
export const totalCalls = (parts: Readonly<Record<string, Calls>>): number =>
  Object.values(parts).reduce((total, calls) => total + sum(calls), 0);

export function tellCalls(manager: string, parts: Readonly<Record<string, Calls>>): void {
  stdout.write(`${manager}: ${totalCalls(parts)} calls\n`);
  for (const [part, calls] of Object.entries(parts)) {
    const shown = Object.entries(calls).map(([call, count]) => `${count} ${call}`);
    stdout.write(`  ${part}: ${sum(calls)} (${shown.join(", ")})\n`);
  }
}
