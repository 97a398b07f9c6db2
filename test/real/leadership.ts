// Leaders and writers over time, read from the audit log, for tests of leader election.

import type { AuditEvent } from "./audit-log.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Side } from "./daemon.ts";

/** Short enough for tests, long enough for a busy machine. */
export const shortLease = {
  durationMs: 6000,
  flags: [
    "--leader-elect=true",
    "--leader-elect-lease-duration=6s",
    "--leader-elect-renew-deadline=4s",
    "--leader-elect-retry-period=500ms",
  ],
} as const;

/** The Go program is built without its version; ours reports the version that it is compatible with. */
export function sideOf({ userAgent = "" }: AuditEvent): Side | undefined {
  if (!userAgent.startsWith("kube-controller-manager/")) return undefined;
  return userAgent.startsWith("kube-controller-manager/v1.36.4 ") ? "ours" : "go";
}

const writingVerbs = new Set(["create", "update", "patch", "delete", "deletecollection"]);
/** Reviews, which are POSTs that change nothing, and the lease itself, which the API server guards by its version. */
const harmless = new Set(["tokenreviews", "subjectaccessreviews", "leases"]);

/** The writes of the managers, including failed ones, in the order of arrival. */
export function writesOf(events: readonly AuditEvent[]): readonly (AuditEvent & { readonly side: Side })[] {
  return inOrder(events).flatMap((event) => {
    const side = sideOf(event);
    const isWrite = writingVerbs.has(event.verb) && !harmless.has(event.objectRef?.resource ?? "");
    return side !== undefined && isWrite ? [{ ...event, side }] : [];
  });
}

/** A successful write of a lease. */
export interface LeaseWrite {
  readonly side: Side;
  readonly holder: string;
  readonly receivedAt: string;
}

export function leaseWrites(events: readonly AuditEvent[], name: string): readonly LeaseWrite[] {
  return inOrder(events).flatMap((event) => {
    const side = sideOf(event);
    const { resource, name: written } = event.objectRef ?? {};
    const lease = event.responseObject as LeaseObject | undefined;
    const isOf = resource === "leases" && (written ?? lease?.metadata?.name) === name && writingVerbs.has(event.verb);
    const isDone = (event.responseStatus?.code ?? 0) < 300;
    if (side === undefined || !isOf || !isDone) return [];
    return [{ side, holder: lease?.spec?.holderIdentity ?? "", receivedAt: event.requestReceivedTimestamp }];
  });
}

/** The takeovers of the lease, in order. */
export function reigns(writes: readonly LeaseWrite[]): readonly LeaseWrite[] {
  return writes.filter(({ holder }, index) => holder !== writes[index - 1]?.holder);
}

interface LeaseObject {
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly holderIdentity?: string };
}

export async function holderOf(plane: ControlPlane, name: string): Promise<string> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
  const { status, text } = await plane.request("GET", path);
  return status === 200 ? ((JSON.parse(text) as LeaseObject).spec?.holderIdentity ?? "") : "";
}

/** Timestamps of the audit log compare as text: they have six digits and one time zone. */
function inOrder(events: readonly AuditEvent[]): readonly AuditEvent[] {
  return events
    .filter(({ stage }) => stage === "ResponseComplete")
    .toSorted((a, b) => (a.requestReceivedTimestamp < b.requestReceivedTimestamp ? -1 : 1));
}
