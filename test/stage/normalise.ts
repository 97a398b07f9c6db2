// Makes two plays of one scenario comparable. Placeholders replace values that chance and time decide: UIDs, resource
// versions, times, generated names. Parallel work becomes an unordered set of sequences per identity and object. Not
// compared, because upstream does not promise them: the order of writes to different objects; the number of status
// writes and the values between the first and the last (statuses.ts checks rules for all of them); writes that met a
// conflict, and the live reads after them; equal patches in a row, and the live reads before each.

import type { KubeObject } from "#api/object.ts";
import { stringifyJson } from "#base/json.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { certificateInWords } from "./certificate-in-words.ts";
import { isRepetition, readsThatCount } from "./garbage-collection.ts";
import { agentOf, type Item, type Section, withoutPem } from "./items.ts";
import { roundsAsOne } from "./namespace-deletion.ts";
import type { Play } from "./play.ts";
import { distinct, isConflict, isRepeatedPatch, readItem, unprovoked, withoutRepeatedLooks } from "./reads.ts";
import { identityOf, isEventWrite, isWrite } from "./requests.ts";
import { brokenRules, isStatusWrite } from "./statuses.ts";
import { patchTypeOf } from "./watching-proxy.ts";

/** The trace of a play, as the server recorded it. */
export interface Traces {
  readonly tag: string;
  /** The requests of the controllers under comparison, by phase. */
  readonly phases: readonly (readonly AuditEvent[])[];
  /** Live reads that a controller repeats while nothing changes: "1 replicasets web" in phase 1; "*" for all. */
  readonly repeated: ReadonlySet<string>;
  /** The scenario's symbolic names of generated names. */
  readonly symbols: ReadonlyMap<string, string>;
  /** The objects that the scenario wrote, by UID: "ConfigMap web". */
  readonly written: ReadonlyMap<string, string>;
  /** The play's objects at its end. On the embedded server they are not compared. */
  readonly objects: readonly KubeObject[];
  readonly events: readonly KubeObject[];
}

/** The requests of a play, without its final objects. */
export function tracesOf(play: Play, tag: string): Omit<Traces, "objects" | "events"> {
  const { repeated, symbols, written } = play;
  return { tag, phases: play.phases(), repeated, symbols, written };
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

export function normalise(traces: Traces): readonly Section[] {
  const words = new Vocabulary(traces);
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
    { name: "objects", items: traces.objects.map(objectItem) },
    { name: "events", items: traces.events.map(eventItem) },
    { name: "broken rules of statuses", items: brokenRules(traces.phases.flat().filter(isWrite)) },
  ];
  // A controller writes its Events one after the other, at its own pace, across all plays.
  const events = traces.phases.flat().filter(isEventWrite);
  sections.push({ name: "writes of Events", items: sequences(events, words) });
  for (const [index, requests] of traces.phases.entries()) {
    const number = index + 1;
    const phase = roundsAsOne(requests);
    const writes = phase.filter(isWrite);
    const decisions = writes.filter((event) => !isEventWrite(event));
    sections.push({ name: `writes of phase ${number}`, items: sequences(decisions, words) });
    const live = withoutRepeatedLooks(readsThatCount(phase), phase);
    const isRepeated = ({ objectRef }: AuditEvent): boolean =>
      traces.repeated.has("*") || traces.repeated.has(`${number} ${objectRef?.resource} ${objectRef?.name}`);
    const reads = unprovoked(live, phase);
    const once = reads.filter((event) => !isRepeated(event)).map(asRead);
    const often = distinct(reads.filter(isRepeated).map(asRead));
    sections.push({ name: `reads of phase ${number}`, items: [...once, ...often] });
  }
  return sections;
}

/**
 * The writes of each identity to each object, in order. Writes that chance decides are left out. A write that met a
 * conflict was repeated or given up, and later writes show which. Of consecutive status writes only the last counts:
 * their number depends on how often the controller looked. An equal patch right after the first is sent when another
 * controller's update arrives before the cache shows the first patch.
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
    // Objects from a cache have no managedFields; objects read live after a conflict have.
    const event = conflicts.delete(id) ? { ...given, requestObject: withoutHistory(given.requestObject) } : given;
    const sequence = byObject.get(id) ?? [];
    const previous = sequence.at(-1);
    if (isRepetition(previous, event)) continue;
    if (previous !== undefined && isRepeatedPatch(previous, event)) continue;
    // Chance does not decide whether the server refuses a status.
    if (previous !== undefined && isStatusWrite(previous) && isStatusWrite(event)) sequence.pop();
    sequence.push(event);
    byObject.set(id, sequence);
  }
  return [...byObject].map(([id, sequence]) => ({
    label: words.text(id.replace(/ #.*/, "")),
    value: sequence.map((event) => words.write(event)),
  }));
}

/** Identity, resource and name. A refused create counts as a separate object. */
function objectOf(event: AuditEvent): string {
  const { auditID, objectRef, responseObject } = event;
  const { resource, name, namespace } = objectRef ?? {};
  const created = (responseObject as KubeObject | undefined)?.metadata?.name;
  const known = name ?? created;
  const where = namespace === undefined ? resource : `${namespace} ${resource}`;
  const who = identityOf(event);
  return known === undefined ? `${who}: ${where} refused #${auditID}` : `${who}: ${where} ${known}`;
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** In objects: seconds, or microseconds. In messages: any precision that Go prints. The placeholder keeps the form. */
const TIME = /\b\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?( \+0000 UTC|Z)/g;
/** A date, as in a label. */
const DATE = /\b20\d\d-\d\d-\d\d\b/g;
const EVENT_NAME = /\.[0-9a-f]{16}\b/g;
/** The suffix that the server appends to a generateName. */
const SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]{5}";
const PREFIX_CHARACTERS_MAX = 58;
const TOKEN_VOLUME = new RegExp(`\\bkube-api-access-${SUFFIX}\\b`, "g");

/** A PEM block in base64: "-----BEGIN". */
const PEM_IN_BASE64 = /\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g;
/** A JSON web token, plain or in base64. */
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bZXlK[A-Za-z0-9+/=]+/g;

const UNSUPPORTED_MEDIA_TYPE = 415;

/** The placeholders of one play. */
export class Vocabulary {
  readonly #tag: string;
  readonly #symbols: ReadonlyMap<string, string>;
  readonly #generated: RegExp | undefined;
  readonly #uids = new Map<string, string>();

  constructor({ tag, symbols, written, objects, phases }: Traces) {
    this.#tag = tag;
    this.#symbols = symbols;
    // Without reads: whether a read happens may be chance.
    const writes = phases.flat().filter(isWrite);
    const answers = writes.map(({ responseObject }) => responseObject as KubeObject | undefined);
    const requests = writes.map(({ requestObject }) => requestObject as KubeObject | undefined);
    const prefixes = new Set<string>();
    for (const object of [...requests, ...answers, ...objects]) {
      const prefix = object?.metadata?.generateName;
      if (prefix !== undefined && prefix !== "") prefixes.add(escaped(prefix.slice(0, PREFIX_CHARACTERS_MAX)));
    }
    if (prefixes.size > 0) this.#generated = new RegExp(`\\b(${[...prefixes].join("|")})(${SUFFIX})\\b`, "g");
    const counts = new Map<string, number>();
    const learn = (uid: string, text: string): void => {
      if (this.#uids.has(uid)) return;
      const who = this.text(text);
      const isGenerated = who.includes("{?}");
      const count = (counts.get(who) ?? 0) + 1;
      counts.set(who, count);
      // Objects that had the same name one after the other are numbered in order.
      this.#uids.set(uid, isGenerated || count === 1 ? `{uid of ${who}}` : `{uid of ${who}, ${count}}`);
    };
    for (const [uid, who] of written) learn(uid, who);
    for (const object of [...answers, ...objects]) {
      const { uid, name } = object?.metadata ?? {};
      if (uid !== undefined && name !== undefined) learn(uid, `${object?.kind} ${name}`);
    }
  }

  text(text: string): string {
    let result = withoutPem(text)
      .replaceAll(this.#tag, "{play}")
      .replaceAll(btoa(this.#tag), "{play in base64}")
      .replace(UUID, (uid) => this.#uids.get(uid) ?? "{uid}")
      .replace(TIME, (_, between, digits = "", zone) => `{time${between}${digits.replace(/\d/g, "0")}${zone}}`)
      .replace(DATE, "{date}")
      .replace(PEM_IN_BASE64, "{PEM in base64}")
      .replace(TOKEN, "{token}")
      .replace(EVENT_NAME, ".{?}")
      .replace(TOKEN_VOLUME, "kube-api-access-{?}");
    if (this.#generated !== undefined) {
      result = result.replace(this.#generated, (name, prefix) => `${prefix}{${this.#symbols.get(name) ?? "?"}}`);
    }
    return withSymbols(result, this.#symbols);
  }

  value(value: unknown, key = ""): unknown {
    // The versions "" and "0" have a meaning.
    if (typeof value === "string") {
      if (key === "clusterIP") return clusterIp(value);
      if (key === "certificate") return this.text(certificateInWords(value));
      return key === "resourceVersion" && +value > 0 ? "{version}" : this.text(value);
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => this.value(item));
      if (key === "managedFields") return inOrder(items.map((item) => ({ ...(item as object), time: undefined })));
      if (key === "clusterIPs") return items.map(clusterIp);
      // Go writes the endpoints of a slice in any order, and subsets in an order that depends on UIDs.
      return key === "endpoints" || key === "subsets" ? inOrder(items as object[]) : items;
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [this.text(name), this.value(child, name)]));
  }

  write(event: AuditEvent): Write {
    const code = event.responseStatus?.code ?? 0;
    return {
      who: event.user.username,
      agent: agentOf(event),
      verb: event.verb,
      path: this.text(event.requestURI),
      patchType: patchTypeOf(event.auditID),
      code,
      // A real server does not decode a body whose content type it refuses.
      body:
        code === UNSUPPORTED_MEDIA_TYPE
          ? undefined
          : this.value(isPlainUpdate(event) ? withoutStatus(event.requestObject) : event.requestObject),
    };
  }
}

const GENERATED_NAME = new RegExp(`-${SUFFIX}$`);

/**
 * Replaces computed names, such as hashes, by the scenario's symbolic names. Names with a generated suffix are skipped
 * here.
 */
export function withSymbols(text: string, symbols: ReadonlyMap<string, string>): string {
  let result = text;
  for (const [name, symbol] of symbols) {
    if (!GENERATED_NAME.test(name)) result = result.replaceAll(name, `{${symbol}}`);
  }
  return result;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The server chooses the addresses of Services at random. */
function clusterIp(value: unknown): unknown {
  return value === "None" || value === "" ? value : "{cluster IP}";
}

/** The order of entries with the same second is arbitrary. */
function inOrder(items: readonly object[]): readonly object[] {
  const text = (item: object): string => stringifyJson(item);
  return items.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** The server ignores the status in such an update, and the age of the cached status is chance. */
function isPlainUpdate({ verb, objectRef }: AuditEvent): boolean {
  return verb === "update" && objectRef?.subresource === undefined;
}

function withoutStatus(body: unknown): unknown {
  const { status: _, ...rest } = (body ?? {}) as { readonly status?: unknown };
  return rest;
}

function withoutHistory(body: unknown): unknown {
  const { metadata } = (body ?? {}) as KubeObject;
  if (metadata?.managedFields === undefined) return body;
  const { managedFields: _, ...rest } = metadata;
  return { ...(body as object), metadata: rest };
}
