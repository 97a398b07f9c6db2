// The resource label of informer metrics: upstream guesses the plural from the kind, wrongly at times,
// and dashboards have learnt to live with it.

import type { GroupVersionKind } from "#api/object.ts";

export function informerResourceLabel({ kind }: GroupVersionKind): string {
  return `${kind.toLowerCase()}s`;
}
