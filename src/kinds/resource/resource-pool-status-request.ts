// Requests for the status of resource pools. Upstream: pkg/registry/resource/resourcepoolstatusrequest/strategy.go

import type * as pools from "#api/generated/types/resource-v1alpha3.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { inner, nil } from "#kinds/parts/defaulting.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { nameOf, printer, since } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import {
  validateRequest,
  validateRequestStatus,
  validateRequestUpdate,
} from "./resource-pool-status-request-validation.ts";

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

const strategy = kindStrategy<pools.ResourcePoolStatusRequest>({
  allowUnconditionalUpdate: false,
  resetFields: [["status"]],
  prepareForCreate: (request) => put(request, "status", undefined),
  validate: validateRequest,
  prepareForUpdate: (request, old) => put(request, "status", old.status),
  validateUpdate: validateRequestUpdate,
  subresources: {
    status: {
      prepareForUpdate: (request, old) => ({
        ...request,
        spec: old.spec,
        metadata: resetMetaForStatus(request.metadata, old.metadata),
      }),
      validateUpdate: validateRequestStatus,
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

export const resourcePoolStatusRequest: Kind<pools.ResourcePoolStatusRequest> = {
  key: "resourcepoolstatusrequests.resource.k8s.io",
  strategy,
  defaults: inner("spec", nil({ limit: 100 })),
  printer: printer(
    "Name|Driver|Total|Available|Allocated|Unavailable|Errors|Pools:integer|Status|Completed",
    poolStatusCells,
  ),
  unprintedSubresources: ["status"],
  returnsDeletedObject: true,
};
