// Requests for the status of resource pools. Upstream: pkg/registry/resource/resourcepoolstatusrequest/strategy.go

import type * as pools from "#api/generated/types/resource-v1alpha3.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { inner, nil } from "#kinds/parts/defaulting.ts";
import { nameOf, printer, since } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function poolStatusCells(object: pools.ResourcePoolStatusRequest, now: EpochMs): unknown[] {
  const { spec, status } = object;
  const final = status?.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
  const list = status?.pools ?? [];
  const poolCount = status?.poolCount ?? 0;
  const isComplete = final?.type === "Complete";
  const word =
    isComplete && poolCount > list.length ? `Complete (${list.length}/${poolCount} pools)` : (final?.type ?? "Pending");
  const isCounted = status !== undefined && final?.type !== "Failed";
  const sum = (read: (pool: pools.PoolStatus) => number | undefined): string =>
    isCounted ? String(list.reduce((total, pool) => total + (read(pool) ?? 0), 0)) : "-";
  return [
    nameOf(object),
    spec?.driver ?? "",
    sum((pool) => pool.totalDevices),
    sum((pool) => pool.availableDevices),
    sum((pool) => pool.allocatedDevices),
    sum((pool) => pool.unavailableDevices),
    sum((pool) => (pool.validationError === undefined ? 0 : 1)),
    poolCount,
    word,
    isComplete ? since(final?.lastTransitionTime, now) : "<none>",
  ];
}

export const resourcePoolStatusRequest: SchemaOnlyKind<pools.ResourcePoolStatusRequest> = {
  key: "resourcepoolstatusrequests.resource.k8s.io",
  strategy: schemaOnly(),
  defaults: inner("spec", nil({ limit: 100 })),
  printer: printer(
    "Name|Driver|Total|Available|Allocated|Unavailable|Errors|Pools:integer|Status|Completed",
    poolStatusCells,
  ),
};
