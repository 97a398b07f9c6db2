// Makes two runs of one scenario comparable: what chance and time decided (UIDs, versions, times, generated
// names) becomes placeholders, what runs in parallel becomes an unordered set of sequences per object.
// Not compared, because nobody promises it: the order of writes to different objects; how often a status was written
// and what the ones in between counted (a controller sees any prefix of what happens to its pods; statuses.ts has what is
// true of all of them); writes that met a conflict, and the live reads that follow them. What an object's controller does
// while the object ends is compared like the rest: there the scenario decides what it sees first (scenarios-endings.ts).

import type { KubeObject } from "#api/object.ts";
import { stringifyJson } from "#base/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { agentOf, type Item, type Section } from "./items.ts";
import type { Recording } from "./play.ts";
import { distinct, isConflict, readItem, unprovoked } from "./reads.ts";
import { brokenRules, isStatusWrite } from "./statuses.ts";
import { patchTypeOf } from "./watching-proxy.ts";

/** What a run of one scenario comes down to. */
export interface Normalised {
  readonly sections: readonly Section[];
  /** How many status writes succeeded: not compared, timing decides, but told. */
  readonly statusWrites: number;
}

interface Write {
  readonly who: string;
  readonly agent: string;
  readonly verb: string;
  readonly path: string;
  readonly patchType: string;
  readonly code: number;
  readonly body: unknown;
}

export function normalise(recording: Recording): Normalised {
  const words = new Vocabulary(recording);
  const objectItem = (object: KubeObject): Item => {
    const value = words.value(object) as KubeObject;
    return { label: `${value.kind} ${value.metadata?.name}`, value };
  };
  const eventItem = (event: KubeObject): Item => {
    const value = words.value(event) as KubeObject & { reason?: string };
    return { label: `${value.reason} ${value.metadata?.name}`, value };
  };
  const asRead = (event: AuditEvent): Item => readItem(event, (text) => words.text(text));
  const sections: Section[] = [
    { name: "objects", items: recording.objects.map(objectItem) },
    { name: "events", items: recording.events.map(eventItem) },
    { name: "broken rules of statuses", items: brokenRules(recording.phases.flat()) },
  ];
  for (const [index, phase] of recording.phases.entries()) {
    const number = index + 1;
    sections.push({ name: `writes of phase ${number}`, items: sequences(phase, words) });
    const reads = unprovoked(recording.reads[index] ?? [], phase);
    const isRepeated = ({ objectRef }: AuditEvent): boolean =>
      recording.repeated.has(`${number} ${objectRef?.resource} ${objectRef?.name}`);
    const once = reads.filter((event) => !isRepeated(event)).map(asRead);
    const often = distinct(reads.filter(isRepeated).map(asRead));
    sections.push({ name: `reads of phase ${number}`, items: [...once, ...often] });
  }
  return { sections, statusWrites: recording.phases.flat().filter(isStatusWrite).length };
}

/**
 * The writes to each object in order. Left out is what chance decides: a write that met a conflict, because it was
 * repeated or given up and shows in what followed; and of status writes in a row all but the last, whose number says
 * how often the controller looked, not what it saw (they are held against rules: statuses.ts).
 */
function sequences(events: readonly AuditEvent[], words: Vocabulary): readonly Item[] {
  const byObject = new Map<string, AuditEvent[]>();
  const conflicts = new Set<string>();
  for (const given of events) {
    const id = objectOf(given);
    if (isConflict(given)) {
      conflicts.add(id);
      continue;
    }
    // Objects from a cache carry no managed fields, those read live after a conflict do.
    const event = conflicts.delete(id) ? { ...given, requestObject: withoutHistory(given.requestObject) } : given;
    const sequence = byObject.get(id) ?? [];
    const previous = sequence.at(-1);
    // A status that the server refused is no chance.
    if (previous !== undefined && isStatusWrite(previous) && isStatusWrite(event)) sequence.pop();
    sequence.push(event);
    byObject.set(id, sequence);
  }
  return [...byObject].map(([id, sequence]) => ({
    label: words.text(id.replace(/ #.*/, "")),
    value: sequence.map((event) => words.write(event)),
  }));
}

/** Resource and name; a create that was refused is an object of its own. */
function objectOf({ auditID, objectRef, responseObject }: AuditEvent): string {
  const { resource, name } = objectRef ?? {};
  const created = (responseObject as KubeObject | undefined)?.metadata?.name;
  const known = name ?? created;
  return known === undefined ? `${resource} refused #${auditID}` : `${resource} ${known}`;
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** In objects: seconds, or six digits of a second. In messages: whatever Go prints. The forms are told apart. */
const TIME = /\b\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?( \+0000 UTC|Z)/g;
const EVENT_NAME = /\.[0-9a-f]{16}\b/g;
/** What the server appends to a generateName. */
const SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]{5}";
const PREFIX_CHARACTERS_MAX = 58;
const TOKEN_VOLUME = new RegExp(`\\bkube-api-access-${SUFFIX}\\b`, "g");

/** The placeholders of one recording. */
class Vocabulary {
  readonly #namespace: string;
  readonly #symbols: ReadonlyMap<string, string>;
  readonly #generated: RegExp | undefined;
  readonly #uids = new Map<string, string>();

  constructor({ namespace, symbols, objects, phases }: Recording) {
    this.#namespace = namespace;
    this.#symbols = symbols;
    const answers = phases.flat().map(({ responseObject }) => responseObject as KubeObject | undefined);
    const requests = phases.flat().map(({ requestObject }) => requestObject as KubeObject | undefined);
    const prefixes = new Set<string>();
    for (const object of [...requests, ...answers, ...objects]) {
      const prefix = object?.metadata?.generateName;
      if (prefix !== undefined) prefixes.add(prefix.slice(0, PREFIX_CHARACTERS_MAX));
    }
    if (prefixes.size > 0) this.#generated = new RegExp(`\\b(${[...prefixes].join("|")})(${SUFFIX})\\b`, "g");
    const counts = new Map<string, number>();
    for (const object of [...answers, ...objects]) {
      const { uid, name } = object?.metadata ?? {};
      if (uid === undefined || name === undefined || this.#uids.has(uid)) continue;
      const who = `${object?.kind} ${this.text(name)}`;
      const isGenerated = who.includes("{");
      const count = (counts.get(who) ?? 0) + 1;
      counts.set(who, count);
      // Successors of one name are told apart by their order.
      this.#uids.set(uid, isGenerated || count === 1 ? `{uid of ${who}}` : `{uid of ${who}, ${count}}`);
    }
  }

  text(text: string): string {
    let result = text
      .replaceAll(this.#namespace, "{ns}")
      .replace(UUID, (uid) => this.#uids.get(uid) ?? "{uid}")
      .replace(TIME, (_, between, digits = "", zone) => `{time${between}${digits.replace(/\d/g, "0")}${zone}}`)
      .replace(EVENT_NAME, ".{?}")
      .replace(TOKEN_VOLUME, "kube-api-access-{?}");
    if (this.#generated !== undefined) {
      result = result.replace(this.#generated, (name, prefix) => `${prefix}{${this.#symbols.get(name) ?? "?"}}`);
    }
    return result;
  }

  value(value: unknown, key = ""): unknown {
    // "" and "0" are versions that mean something.
    if (typeof value === "string") return key === "resourceVersion" && +value > 0 ? "{version}" : this.text(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.value(item));
      return key === "managedFields" ? inOrder(items.map((item) => ({ ...(item as object), time: undefined }))) : items;
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [this.text(name), this.value(child, name)]));
  }

  write(event: AuditEvent): Write {
    return {
      who: event.user.username,
      agent: agentOf(event),
      verb: event.verb,
      path: this.text(event.requestURI),
      patchType: patchTypeOf(event.auditID),
      code: event.responseStatus?.code ?? 0,
      body: this.value(event.requestObject),
    };
  }
}

/** Entries of one second have no order that anybody chose. */
function inOrder(items: readonly object[]): readonly object[] {
  const text = (item: object): string => stringifyJson(item);
  return items.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

function withoutHistory(body: unknown): unknown {
  const { metadata } = (body ?? {}) as KubeObject;
  if (metadata?.managedFields === undefined) return body;
  const { managedFields: _, ...rest } = metadata;
  return { ...(body as object), metadata: rest };
}
