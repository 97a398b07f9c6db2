// The resource label of informer metrics: upstream guesses the plural from the kind, wrongly at times,
// and dashboards have learnt to live with it.

import type { GroupVersionResource } from "#api/object.ts";
import { resourceOf } from "#api/resource-table.ts";

export function informerResourceLabel(gvr: GroupVersionResource): string {
  const kind = resourceOf(gvr)?.kind;
  return kind ? `${kind.toLowerCase()}s` : gvr.resource;
}
