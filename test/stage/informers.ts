// The lists and watches of informers, recorded from Go's manager per cast, so that ours can be compared without Go.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AuditEvent } from "#test/real/audit-log.ts";
import type { Cast } from "./casts.ts";
import type { Item } from "./items.ts";
import type { Profile } from "./profiles.ts";
import { distinct, type Read, readItem } from "./reads.ts";
import { identityOf, isFinished } from "./requests.ts";

const PLAY = /play\d{4}/;

/** The manager's lists and watches over all namespaces, each once. */
export function informerItems(events: readonly AuditEvent[]): readonly Item[] {
  const isOfInformer = (event: AuditEvent): boolean => {
    const { resource, namespace } = event.objectRef ?? {};
    const isOverAll = resource !== undefined && namespace === undefined && /^(list|watch)$/.test(event.verb);
    // Kinds that a scenario defined belong to its play.
    const isOfPlay = PLAY.test(event.requestURI);
    return isOverAll && !isOfPlay && isFinished(event) && identityOf(event) !== undefined;
  };
  return distinct(events.filter(isOfInformer).map((event) => asOneForm(readItem(event))));
}

/** Deviation: where no other controller needs whole objects, ours caches metadata alone. Go's caches whole objects. */
function asOneForm({ label, value }: Item): Item {
  const read = value as Read;
  return { label, value: { ...read, agent: read.agent.replace(/metadata-informers$/, "shared-informers") } };
}

/** The items without an equal item among the others. */
export function withoutEqual(items: readonly Item[], others: readonly Item[]): readonly Item[] {
  const texts = new Set(others.map((item) => JSON.stringify(item)));
  return items.filter((item) => !texts.has(JSON.stringify(item)));
}

function fileOf(cast: Cast, profile: Profile): string {
  return join(import.meta.dirname, "recorded", `informers-${cast}-${profile}.json`);
}

function recorded(cast: Cast, profile: Profile): readonly Item[] | undefined {
  const file = fileOf(cast, profile);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly Item[]) : undefined;
}

/** Adds the items of a run of Go's manager to the recording. */
export function recordInformers(cast: Cast, profile: Profile, items: readonly Item[]): void {
  const file = fileOf(cast, profile);
  const text = (item: Item): string => JSON.stringify(item);
  const all = distinct([...(recorded(cast, profile) ?? []), ...items]).toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(all, undefined, 1)}\n`);
}

/** The lists and watches that Go's informers do not make; empty if Go's are not recorded. */
export function strangeReads(cast: Cast, profile: Profile, events: readonly AuditEvent[]): readonly string[] {
  const known = recorded(cast, profile);
  if (known === undefined) return [];
  return withoutEqual(informerItems(events), known).map((item) => JSON.stringify(item));
}
