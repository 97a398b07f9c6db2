// Events of a controller that repeats its work: which Events it sends is compared, how often is not.

import type { Item, Section } from "./items.ts";
import { distinct } from "./reads.ts";
import type { Scenario } from "./scenario.ts";

/** Keeps each Event once, without its count, if the scenario says that the controller repeats Events. */
export function withEventsOnce(sections: readonly Section[], { repeatsEvents }: Scenario): readonly Section[] {
  if (repeatsEvents === undefined) return sections;
  return sections.map(({ name, items }) => {
    if (name === "writes of Events") return { name, items: distinct(items.map(firstWrite)) };
    if (name === "events") return { name, items: distinct(items.map(withoutCount)) };
    return { name, items };
  });
}

/** The create, by its reason. The patches after it only count. */
function firstWrite({ label, value }: Item): Item {
  const [first] = value as readonly { readonly body?: { readonly reason?: string } }[];
  return { label: `${label} ${first?.body?.reason}`, value: [first] };
}

function withoutCount({ label, value }: Item): Item {
  const { count: _, ...event } = value as Readonly<Record<string, unknown>>;
  return { label, value: event };
}
