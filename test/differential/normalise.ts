// Makes two runs of one scenario comparable: what chance and time decided (UIDs, versions, times, generated
// names) becomes placeholders, what runs in parallel becomes an unordered set of sequences per object.

import type { KubeObject } from "#api/object.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { agentOf, type Item, type Section } from "./items.ts";
import { patchTypeOf } from "./patch-type-proxy.ts";
import type { Recording } from "./play.ts";
import { distinct, readItem, unprovoked } from "./reads.ts";

/** What a run of one scenario comes down to. */
export interface Normalised {
  readonly sections: readonly Section[];
  /** Statuses of objects, and live reads, while the scenario waited for their end: only their form is comparable. */
  readonly lastWords: readonly Item[];
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
  const isOfEnding = ({ objectRef }: AuditEvent, phase: number): boolean =>
    recording.ended.has(`${phase} ${objectRef?.resource} ${objectRef?.name}`);
  const isLastWord = (event: AuditEvent, phase: number): boolean =>
    event.objectRef?.subresource === "status" && isOfEnding(event, phase);
  const asRead = (event: AuditEvent): Item => readItem(event, (text) => words.text(text));
  const sections: Section[] = [
    { name: "objects", items: recording.objects.map(objectItem) },
    { name: "events", items: recording.events.map(eventItem) },
  ];
  const lastWords: Item[] = [];
  for (const [index, phase] of recording.phases.entries()) {
    const number = index + 1;
    const writes = phase.filter((event) => !isLastWord(event, number));
    sections.push({ name: `writes of phase ${number}`, items: sequences(writes, words) });
    const reads = unprovoked(recording.reads[index] ?? [], phase);
    const expected = reads.filter((event) => !isOfEnding(event, number));
    sections.push({ name: `reads of phase ${number}`, items: expected.map(asRead) });
    const last = phase.filter((event) => isLastWord(event, number) && event.responseStatus?.code === 200);
    lastWords.push(...last.map((event) => ({ label: "status", value: withoutNumbers(words.write(event)) })));
    lastWords.push(...reads.filter((event) => isOfEnding(event, number)).map(asRead));
  }
  const statusWrites = recording.phases
    .flat()
    .filter(({ objectRef, responseStatus }) => objectRef?.subresource === "status" && responseStatus?.code === 200);
  return { sections, lastWords: distinct(lastWords), statusWrites: statusWrites.length };
}

/** How far an object had come is chance. */
function withoutNumbers(value: unknown): unknown {
  const text = JSON.stringify(value, (key, child: unknown) =>
    typeof child === "number" && key !== "code" ? "{number}" : child,
  );
  return JSON.parse(text);
}

/** The writes to each object in order. A conflict was repeated or given up, and shows in what followed. */
function sequences(events: readonly AuditEvent[], words: Vocabulary): readonly Item[] {
  const byObject = new Map<string, AuditEvent[]>();
  const conflicts = new Set<string>();
  for (const given of events) {
    const id = objectOf(given);
    if (given.responseStatus?.code === 409) {
      conflicts.add(id);
      continue;
    }
    // Objects from a cache carry no managed fields, those read live after a conflict do.
    const event = conflicts.delete(id) ? { ...given, requestObject: withoutHistory(given.requestObject) } : given;
    const sequence = byObject.get(id) ?? [];
    // Of consecutive status writes only the last counts: how many there are is a matter of timing.
    if (event.objectRef?.subresource === "status" && sequence.at(-1)?.objectRef?.subresource === "status")
      sequence.pop();
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
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000 UTC|Z)/g;
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
      .replace(TIME, "{time}")
      .replace(EVENT_NAME, ".{?}")
      .replace(TOKEN_VOLUME, "kube-api-access-{?}");
    if (this.#generated !== undefined) {
      result = result.replace(this.#generated, (name, prefix) => `${prefix}{${this.#symbols.get(name) ?? "?"}}`);
    }
    return result;
  }

  value(value: unknown, key = ""): unknown {
    if (typeof value === "string") return key === "resourceVersion" ? "{version}" : this.text(value);
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
  const text = (item: object): string => JSON.stringify(item);
  return items.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

function withoutHistory(body: unknown): unknown {
  const { metadata } = (body ?? {}) as KubeObject;
  if (metadata?.managedFields === undefined) return body;
  const { managedFields: _, ...rest } = metadata;
  return { ...(body as object), metadata: rest };
}
