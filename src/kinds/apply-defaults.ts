// Fills in what the API server fills in for fields that a client left out. One table from version
// and kind to a rule; kinds that are missing, and all lists, have no defaults.

import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { apiVersionOf } from "#api/object.ts";
import type { DefaultingContext, JsonObject, Rule } from "#kinds/parts/defaulting.ts";
import { CORE } from "./defaults-core.ts";
import { OTHER_GROUPS } from "./defaults-other-groups.ts";
import { APPS, AUTOSCALING_V1, AUTOSCALING_V2, BATCH } from "./defaults-workloads.ts";

const RULES: ReadonlyMap<string, ReadonlyMap<string, Rule>> = new Map(
  Object.entries({
    v1: CORE,
    "apps/v1": APPS,
    "batch/v1": BATCH,
    "autoscaling/v1": AUTOSCALING_V1,
    "autoscaling/v2": AUTOSCALING_V2,
    ...OTHER_GROUPS,
  }).map(([apiVersion, kinds]) => [apiVersion, new Map(Object.entries(kinds))]),
);

/** The object with defaults: the same object when nothing was missing, else a copy that shares all unchanged parts. */
export function applyDefaults<T extends KubeObject>(gvk: GroupVersionKind, object: T, ctx: DefaultingContext): T {
  const rule = RULES.get(apiVersionOf(gvk))?.get(gvk.kind);
  return rule === undefined ? object : (rule(object as JsonObject, ctx) as T);
}

/** Does this kind have defaults at all? */
export function hasDefaults(gvk: GroupVersionKind): boolean {
  return RULES.get(apiVersionOf(gvk))?.has(gvk.kind) === true;
}
