// The resource label of informer metrics. Upstream guesses the plural from the kind, sometimes wrongly, and existing
// dashboards rely on the result.

import type { GroupVersionKind } from "#api/object.ts";

export function informerResourceLabel({ kind }: GroupVersionKind): string {
  return `${kind.toLowerCase()}s`;
}
