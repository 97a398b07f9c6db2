// The start of a delete: preconditions, the grace period, and whether an earlier delete is in progress.
// Upstream: k8s.io/apiserver/pkg/registry/rest/delete.go, BeforeDelete

import { type Int64, int64Of, wrappedSecondsMs } from "#api/int64.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newConflict } from "#api/status-error.ts";
import { formatTime, parseTime } from "#api/time.ts";
import type { StrategyContext } from "#kinds/strategy.ts";
import type { KindRow } from "../registry.ts";

export type DeletionStart =
  /** Only finalizers can keep the object. */
  | { readonly kind: "immediate"; readonly object: KubeObject }
  /** An earlier delete ends no later than this one would. */
  | { readonly kind: "pending"; readonly object: KubeObject }
  /** The marked object stays for the grace period. */
  | { readonly kind: "graceful"; readonly object: KubeObject; readonly graceSeconds: Int64 };

/** Throws a 409 if a precondition fails. */
export function beginDeletion(
  row: KindRow,
  given: KubeObject,
  options: DeleteOptions,
  ctx: StrategyContext,
): DeletionStart {
  checkPreconditions(row, given, options);
  const requested =
    options.gracePeriodSeconds === undefined ? undefined : atLeastOneIfNegative(options.gracePeriodSeconds);
  const object = repairGracePeriod(given);
  if (row.strategy.gracefulDelete === undefined) return { kind: "immediate", object };
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation = 0 } = object.metadata ?? {};
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === 0) return { kind: "immediate", object };
    if (requested === undefined || requested >= deletionGracePeriodSeconds) return { kind: "pending", object };
    return shorten(object, deletionTimestamp, deletionGracePeriodSeconds, requested, ctx);
  }
  const effective = requested === undefined ? options : { ...options, gracePeriodSeconds: requested };
  const graceSeconds = row.strategy.gracefulDelete.checkGracefulDelete(object, effective, ctx);
  if (graceSeconds === undefined) return { kind: "immediate", object };
  const marked = withMeta(object, {
    deletionTimestamp: formatTime(ctx.now + wrappedSecondsMs(graceSeconds)),
    deletionGracePeriodSeconds: graceSeconds,
    ...(generation > 0 ? { generation: nextGeneration(generation) } : {}),
  });
  return { kind: "graceful", object: marked, graceSeconds };
}

/** A second delete can only shorten the grace period, at most to now. */
function shorten(
  object: KubeObject,
  end: string,
  graceSeconds: Int64,
  requested: Int64,
  ctx: StrategyContext,
): DeletionStart {
  const shortened = parseTime(end) + wrappedSecondsMs(requested) - wrappedSecondsMs(graceSeconds);
  const isPast = shortened < ctx.now;
  const period = isPast && requested !== 0 ? 1 : requested;
  const marked = withMeta(object, {
    deletionTimestamp: formatTime(isPast ? ctx.now : shortened),
    deletionGracePeriodSeconds: period,
  });
  return { kind: "graceful", object: marked, graceSeconds: requested };
}

function checkPreconditions(row: KindRow, object: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid = "", resourceVersion = "", name = "" } = object.metadata ?? {};
  // As upstream, the kind is used in place of the resource.
  const what = { group: row.stored.group, resource: row.stored.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const record = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid})`;
    throw newConflict(what, name, `${record}. The object might have been deleted and then recreated`);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const given = `the ResourceVersion in the precondition (${preconditions.resourceVersion})`;
    const record = `${given} does not match the ResourceVersion in record (${resourceVersion})`;
    throw newConflict(what, name, `${record}. The object might have been modified`);
  }
}

const atLeastOneIfNegative = (seconds: Int64): Int64 => (seconds < 0 ? 1 : seconds);

function repairGracePeriod(object: KubeObject): KubeObject {
  return (object.metadata?.deletionGracePeriodSeconds ?? 0) < 0
    ? withMeta(object, { deletionGracePeriodSeconds: 1 })
    : object;
}

/** Users may set the generation of kinds that do not manage it, and Go's int64 wraps around. */
function nextGeneration(generation: Int64): number {
  if (typeof generation === "number" && generation < Number.MAX_SAFE_INTEGER) return generation + 1;
  return int64Of(BigInt.asIntN(64, BigInt(generation) + 1n)) as number;
}

/** Marks an object that only finalizers keep. Upstream: registry/generic/registry/store.go, markAsDeleting */
export function markAsDeleting(object: KubeObject, now: number): KubeObject {
  const { deletionTimestamp, generation = 0 } = object.metadata ?? {};
  const isFirst = deletionTimestamp === undefined;
  return withMeta(object, {
    deletionTimestamp: isFirst || parseTime(deletionTimestamp) > now ? formatTime(now) : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
    ...(isFirst && generation > 0 ? { generation: nextGeneration(generation) } : {}),
  });
}
