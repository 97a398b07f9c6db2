// Shared definitions of the controllers that make endpoints from Services.

import type { Pods, Services } from "#api/generated/resources/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";

export type Pod = ObjectOf<typeof Pods>;
export type Service = ObjectOf<typeof Services>;

/** The time of the change that caused the write. */
export const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
/** On the endpoints of Services without a cluster IP. */
export const HEADLESS = "service.kubernetes.io/headless";

/** A selector without labels counts as no selector: it selects nothing, and users write the endpoints. */
export function hasSelector({ spec }: Service): boolean {
  for (const _ in spec?.selector) return true;
  return false;
}

export function hasClusterIp({ spec }: Service): boolean {
  const { clusterIP = "" } = spec ?? {};
  return clusterIP !== "" && clusterIP !== "None";
}

/** True if controllers make endpoints for the Service. */
export function isManaged(service: Service): boolean {
  return service.spec?.type !== "ExternalName" && hasSelector(service);
}

/** The labels or annotations without these keys. */
export function withoutKeys(
  map: Readonly<Record<string, string>> = {},
  ...keys: readonly string[]
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}
