// Judges a hand-over against the same hand-over between two Go managers.

import type { KubeObject } from "#api/object.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import type { Side } from "#test/real/daemon.ts";
import { type LeaseWrite, leaseWrites, reigns, sideOf, writesOf } from "#test/real/leadership.ts";
import { identityOf, isDecision } from "#test/stage/requests.ts";
import { labelOf } from "./cluster-state.ts";
import { type HandOver, LEASE } from "./story.ts";

const isDone = ({ responseStatus: { code = 0 } = {} }: AuditEvent): boolean => code >= 200 && code < 300;
const uidOf = ({ responseObject }: AuditEvent): string | undefined => {
  const { metadata, details } = (responseObject ?? {}) as KubeObject & { details?: { uid?: string } };
  return metadata?.uid ?? details?.uid;
};

/** The successful decisions of controllers with this verb. */
function carriedOut({ audit }: HandOver, verb: string): readonly AuditEvent[] {
  return audit.filter(
    (event) =>
      event.verb === verb &&
      isDecision(event) &&
      isDone(event) &&
      sideOf(event) !== undefined &&
      event.objectRef?.subresource === undefined,
  );
}

/**
 * Created objects other than pods, by label: those in the answers to controllers, and those that exist at the end,
 * because a killed server does not log every answer. Pods are counted with a watch.
 */
export function createdIn(handOver: HandOver): readonly string[] {
  const born = new Map(handOver.added);
  for (const event of carriedOut(handOver, "create")) {
    const { resource = "", apiGroup = "" } = event.objectRef ?? {};
    const created = event.responseObject as KubeObject;
    born.set(created.metadata?.uid ?? "", labelOf(apiGroup === "" ? resource : `${resource}.${apiGroup}`, created));
  }
  return [...born.values()].filter((label) => !label.startsWith("pods ") && !isLateEndpoints(label)).sort();
}

/**
 * The API server deletes the Endpoints of a deleted Service itself. A controller that sees this before the deletion of
 * the Service creates them again and then deletes them. Both programs do so, by chance.
 */
function isLateEndpoints(label: string): boolean {
  return /^endpoints team-3\/moved-/.test(label);
}

/** Objects that were deleted more than once, each with its deletes. */
function deletedAgain(handOver: HandOver): readonly (readonly AuditEvent[])[] {
  const deletions = Map.groupBy(carriedOut(handOver, "delete"), (event) => uidOf(event) ?? "");
  deletions.delete("");
  return [...deletions.values()].filter((deletes) => deletes.length > 1);
}

/** Objects that were deleted more than once, at least once by ours. Those that only Go deletes again do not count. */
export function deletedTwice(handOver: HandOver): readonly string[] {
  return deletedAgain(handOver)
    .filter((deletes) => deletes.some((event) => sideOf(event) === "ours") && !isEvictedAnew(handOver, deletes))
    .map((deletes) => deletes.map(whoDeleted).join(" and "));
}

/** Objects that only Go deleted again, for the report. */
export function deletedTwiceByGo(handOver: HandOver): readonly string[] {
  return deletedAgain(handOver)
    .filter((deletes) => deletes.every((event) => sideOf(event) === "go") && !isEvictedAnew(handOver, deletes))
    .map((deletes) => deletes.map(whoDeleted).join(" and "));
}

/** Pods that the next manager evicts again, for the report. */
export function evictedAnew(handOver: HandOver): number {
  return deletedAgain(handOver).filter((deletes) => isEvictedAnew(handOver, deletes)).length;
}

const whoDeleted = (event: AuditEvent): string => {
  const { resource, namespace, name } = event.objectRef ?? {};
  return `${sideOf(event)} ${identityOf(event)}: ${resource} ${namespace ?? ""}/${name}`;
};

/**
 * Taint eviction. A manager that takes over deletes all pods of a tainted node, including terminating ones, and a
 * failed node keeps its pods long enough for the next manager to see them. That manager removes the NoExecute taints of
 * all nodes, taints the failed node again, and deletes its pods again. Go does so when it takes over from Go.
 */
function isEvictedAnew(handOver: HandOver, deletes: readonly AuditEvent[]): boolean {
  const [takeover] = takeoversOf(handOver);
  if (takeover === undefined) return false;
  const before = deletes.filter((event) => event.requestReceivedTimestamp < takeover.receivedAt).length;
  const isOfBoth = before <= 1 && deletes.length - before <= 2;
  return isOfBoth && deletes.every((event) => identityOf(event) === EVICTOR && event.objectRef?.resource === "pods");
}

const EVICTOR = "node-controller";

const takeoversOf = ({ audit, previousHolder }: HandOver): readonly LeaseWrite[] =>
  reigns(leaseWrites(audit, LEASE)).filter(({ holder }) => holder !== previousHolder && holder !== "");

/** Creates that were refused because the object already existed. */
export function createdAgain({ audit }: HandOver): readonly string[] {
  return audit
    .filter(({ verb, responseStatus }) => verb === "create" && responseStatus?.reason === "AlreadyExists")
    .filter((event) => isDecision(event) && sideOf(event) !== undefined)
    .map((event) => {
      const { resource, namespace } = event.objectRef ?? {};
      const { metadata } = (event.requestObject ?? {}) as KubeObject;
      return `${identityOf(event)}: ${resource} ${namespace ?? ""}/${metadata?.name ?? ""}`;
    });
}

/** Writes of a manager that did not lead at that time. Only for a hand-over between the two programs. */
export function writesOutOfTurn(handOver: HandOver): readonly string[] {
  const { audit, from, to } = handOver;
  const takeovers = takeoversOf(handOver);
  const [takeover, ...more] = takeovers;
  if (takeover?.side !== to || more.length > 0) {
    return [`the lease went to ${takeovers.map(({ side, holder }) => `${side} ${holder}`).join(", ")}`];
  }
  const leaderAt = (time: string): Side => (time < takeover.receivedAt ? from : to);
  return writesOf(audit)
    .filter(({ side, requestReceivedTimestamp }) => side !== leaderAt(requestReceivedTimestamp))
    .map(
      ({ side, verb, requestURI, requestReceivedTimestamp }) =>
        `${side} ${verb} ${requestURI} ${requestReceivedTimestamp}`,
    );
}

/** Requests that RBAC refused. */
export function forbidden({ audit }: HandOver): readonly string[] {
  return (
    audit
      .filter(({ responseStatus }) => responseStatus?.code === 403)
      // The server refuses creates in a terminating namespace with the same status.
      .filter(({ responseStatus }) => responseStatus?.message?.includes("because it is being terminated") !== true)
      .map(({ user, verb, requestURI }) => `${user.username} ${verb} ${requestURI}`)
  );
}

/** The entries that one list has more often than the other. */
export function countDifferences(control: readonly string[], swapped: readonly string[]): readonly string[] {
  const count = new Map<string, number>();
  for (const text of swapped) count.set(text, (count.get(text) ?? 0) + 1);
  for (const text of control) count.set(text, (count.get(text) ?? 0) - 1);
  return [...count]
    .filter(([, difference]) => difference !== 0)
    .map(
      ([text, difference]) => `${Math.abs(difference)} ${difference > 0 ? "more" : "fewer"} than the control: ${text}`,
    )
    .sort();
}
