// Which updates may free quota, so that the controller counts again.
// Upstream: pkg/quota/v1/install/update_filter.go

import { semanticEqual } from "#api/equality.ts";
import type { ContainerStatus, Pod, Service } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { GroupResource } from "#api/status-error.ts";
import type { EpochMs } from "#base/clock.ts";
import { isChargeable } from "#rules/quota/pods.ts";
import { hasDeadline } from "#rules/quota/scopes.ts";
import { chargedServiceType } from "#rules/quota/services.ts";

export function mayFreeQuota(resource: GroupResource, old: KubeObject, updated: KubeObject, now: EpochMs): boolean {
  if (resource.group !== "") return false;
  switch (resource.resource) {
    case "pods":
      return podMayFreeQuota(old as Pod, updated as Pod, now);
    case "services":
      return chargedServiceType(old as Service) !== chargedServiceType(updated as Service);
    case "persistentvolumeclaims":
      // Upstream compares the addresses of two fresh copies of the allocated storage, which always differ.
      return true;
    default:
      return false;
  }
}

function podMayFreeQuota(old: Pod, updated: Pod, now: EpochMs): boolean {
  if (haveResourcesChanged(old.status?.containerStatuses, updated.status?.containerStatuses)) return true;
  if (haveResourcesChanged(old.status?.initContainerStatuses, updated.status?.initContainerStatuses)) return true;
  if (hasDeadline(old) !== hasDeadline(updated)) return true;
  return isChargeable(old, now) && !isChargeable(updated, now);
}

function haveResourcesChanged(old: readonly ContainerStatus[] = [], updated: readonly ContainerStatus[] = []): boolean {
  const schema = schemaOfType("core.v1", "ResourceRequirements");
  return old.some((before) => {
    const after = updated.find(({ name }) => name === before.name);
    return after !== undefined && !semanticEqual(before.resources, after.resources, schema);
  });
}
