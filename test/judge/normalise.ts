// Normalises the irrelevant differences of two servers: identities, versions, times and random suffixes. Each distinct
// value becomes a numbered placeholder, so that relations between values still count.

import { stringifyJson } from "#base/json.ts";
import { NOT_ENFORCED } from "#kinds/admissionregistration/registration-strategy.ts";
import type { Answer } from "./exchange.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g;
const GENERATED_SUFFIX = /^(.*-)[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/**
 * A deleted definition becomes Terminating twice, before and after its instances are deleted. The second writer owns
 * the time if it writes in another second than the first.
 */
const TERMINATING = 'k:{"type":"Terminating"}';
const QUOTED_TERMINATING = /(Terminating\\+"\}\\+":\{)\\+"f:lastTransitionTime\\+":\{\},/g;
const QUOTED_MANAGERS = /(\\"managedFields\\":\[)([^[\]]*)(?=\])/g;
const QUOTED_SUFFIX = /("[$a-z0-9.-]+-)[bcdfghjklmnpqrstvwxz2456789]{5}"/g;

/**
 * Random addresses and ports of services: the upper parts of their ranges. Another service may get a released one by
 * chance, so they are distinguished only within an object.
 */
const DRAWN_IP = /\b10\.0\.0\.(1[7-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-4])\b/g;
const DRAWN_PORTS = { from: 30_086, to: 32_767 };
const isDrawn = (port: number): boolean => port >= DRAWN_PORTS.from && port <= DRAWN_PORTS.to;
const DUPLICATE_PORT = /(Duplicate value: )(3\d{4})\b/g;
const PORT_IN_CELL = /(:)(3\d{4})(\/)/g;
const PORT_FIELDS: ReadonlySet<string> = new Set(["nodePort", "healthCheckNodePort"]);

/** The fields that contain the name of an object. */
const GENERATED_NAMES: ReadonlySet<string> = new Set([
  "name",
  "cells",
  "kubernetes.io/metadata.name",
  "job-name",
  "batch.kubernetes.io/job-name",
]);

export class Normaliser {
  readonly #placeholders = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #namespace: string;
  /** The UID of the current object. */
  #owner = "";

  /** Every occurrence of the namespace becomes "$ns". */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  answer({ status, contentType, warnings, headers, body }: Answer): unknown {
    return {
      status,
      contentType: contentType.replace(/\s/g, ""),
      warnings: warnings.filter((text) => !text.includes(NOT_ENFORCED)).map((text) => this.#text(text)),
      headers: headers.etag === undefined ? headers : { ...headers, etag: "<etag>" },
      body: this.#value(body, ""),
    };
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === "string") return this.#scalar(value, key);
    if (Array.isArray(value)) {
      const items = value.filter((item) => !isPlainBookmark(item)).map((item) => this.#value(item, key));
      return key === "managedFields" ? inManagerOrder(items, value) : items;
    }
    if (typeof value === "number" && PORT_FIELDS.has(key)) return this.#port(value);
    if (typeof value !== "object" || value === null) return value;
    const before = this.#owner;
    this.#owner = uidOf(value) ?? before;
    const normal = this.#object(value as Record<string, unknown>, key);
    this.#owner = before;
    return normal;
  }

  #object(value: Record<string, unknown>, key: string): unknown {
    const entries = Object.entries(inOneOrder(value))
      .filter(([name]) => !(key === TERMINATING && name === "f:lastTransitionTime"))
      // Placeholders are numbered in this order.
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, this.#field(value, name, item)] as const);
    return Object.fromEntries(entries);
  }

  #field(owner: Record<string, unknown>, name: string, item: unknown): unknown {
    if (name === "generateName") return String(item).replaceAll(this.#namespace, "$ns");
    if (name === "finalizers" && isOfNamespace(owner)) return inFinalizerOrder(this.#value(item, name) as unknown[]);
    // For an object, equal versions count; a list has the version of the whole store.
    const isOfObject = name === "resourceVersion" && typeof owner.uid === "string" && typeof item === "string";
    return isOfObject && item !== "" ? this.#placeholder("version", `version ${item}`) : this.#value(item, name);
  }

  #scalar(given: string, key: string): string {
    const text = given.replaceAll(this.#namespace, "$ns");
    if (key === "resourceVersion") return text === "" ? "" : "<version>";
    if (key === "continue") return text === "" ? "" : "<continue>";
    // Columns have our own descriptions: upstream's prose must enter neither the program nor the records.
    if (key === "description") return "";
    if (key === "token" && text.split(".").length === 3) return this.#text(`<token ${claimsOf(text)}>`);
    if (GENERATED_NAMES.has(key) && GENERATED_SUFFIX.test(text))
      return this.#text(text.replace(GENERATED_SUFFIX, "$1<suffix>"));
    if (key !== "cells") return this.#text(text);
    if (/^(\d+[ydhms])+$/.test(text)) return "<age>"; // relative to the time of the request
    return this.#text(
      text.replace(PORT_IN_CELL, (_, before, port, after) => `${before}${this.#port(Number(port))}${after}`),
    );
  }

  #port(port: number): number | string {
    return isDrawn(port) ? this.#placeholder("port", `${this.#owner} ${port}`) : port;
  }

  #text(text: string): string {
    return text
      .replace(DRAWN_IP, (ip) => this.#placeholder("ip", `${this.#owner} ${ip}`))
      .replace(DUPLICATE_PORT, (text, before: string, port: string) =>
        isDrawn(Number(port)) ? `${before}<port>` : text,
      )
      .replaceAll(this.#namespace, "$ns")
      .replace(UUID, (uuid) => this.#placeholder("uid", uuid))
      .replace(TIME, "<time>")
      .replace(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=<hash>")
      .replace(QUOTED_SUFFIX, '$1<suffix>"')
      .replace(/resource version: \d+/gi, "resource version: <version>")
      .replace(/ResourceVersion in object meta: \d+/g, "ResourceVersion in object meta: <version>")
      .replace(/in record \(\d+\)/g, "in record (<version>)")
      .replace(/(resource version: <version>) \(\d+\)/g, "$1 (<version>)")
      .replace(/, current: \d+/g, ", current: <version>")
      .replace(/\(\d+ < \d+\)|: \d+ \(\d+\)|: \d+, current: \d+/g, "<versions>")
      .replace(/(resourceVersion\\*":\\*")\d+/g, "$1<version>")
      .replace(QUOTED_TERMINATING, "$1")
      .replace(QUOTED_MANAGERS, (_, before: string, entries: string) => before + inTextOrder(entries))
      .replace(/etcdserver: mvcc: /g, "");
  }

  #placeholder(kind: string, value: string): string {
    let placeholder = this.#placeholders.get(value);
    if (placeholder === undefined) {
      const count = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, count);
      placeholder = `<${kind} ${count}>`;
      this.#placeholders.set(value, placeholder);
    }
    return placeholder;
  }
}

/** Entries of an object inside a message: which second a write falls into is chance. */
const inTextOrder = (entries: string): string =>
  entries
    .split(/(?<=\}),(?=\{\\"manager\\")/)
    .toSorted()
    .join(",");

interface Entry {
  readonly operation?: string;
  readonly time?: string;
  readonly manager?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/**
 * Upstream sorts by operation, second, manager, version and subresource. Which second a write falls into is chance. So
 * the comparison checks this order, and then compares the entries without their times.
 */
function inManagerOrder(normal: readonly unknown[], given: readonly Entry[]): readonly unknown[] {
  const keyOf = ({ operation = "", manager = "", apiVersion = "", subresource = "" }: Entry, second: string): string =>
    JSON.stringify([operation, second, manager, apiVersion, subresource]);
  const keys = given.map((entry) => keyOf(entry, entry.time ?? ""));
  const isSorted = keys.every((key, index) => index === 0 || (keys[index - 1] as string) <= key);
  const text = (entry: unknown): string => keyOf(entry as Entry, "") + stringifyJson(entry);
  const sorted = [...normal].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return isSorted ? sorted : ["not in upstream's order", ...sorted];
}

/** The UID of an object, or of the object of a table row. */
function uidOf(value: object): string | undefined {
  const { metadata, object } = value as {
    metadata?: { uid?: string } | null;
    object?: { metadata?: { uid?: string } };
  };
  return metadata?.uid ?? object?.metadata?.uid;
}

/** Every namespace has this label, and no other object gets it by default. */
function isOfNamespace(metadata: Record<string, unknown>): boolean {
  return (metadata.labels as Record<string, unknown> | undefined)?.["kubernetes.io/metadata.name"] !== undefined;
}

/** The deletion of a namespace adds a finalizer through a map, which gives the finalizers a random order. */
function inFinalizerOrder(finalizers: readonly unknown[]): readonly unknown[] {
  const isMixed = finalizers.includes("orphan") || finalizers.includes("foregroundDeletion");
  return isMixed ? finalizers.toSorted() : finalizers;
}

/**
 * Upstream's bookmark timers are jittered by a second or more; only the end of initial events does not depend on them.
 */
function isPlainBookmark(item: unknown): boolean {
  const { type, object } = (item ?? {}) as { type?: unknown; object?: { metadata?: { annotations?: object } } };
  return type === "BOOKMARK" && object?.metadata?.annotations === undefined;
}

/** The groups of all kinds that the cases define. */
const CUSTOM_GROUPS = ".example";

interface Cause {
  readonly reason?: string;
  readonly field?: string;
}

/**
 * Where Go visits a map, the order of the causes is random: conflicts by manager, resource amounts by key, removed
 * stored versions, the sources of a metric, the attributes of a device, and schema errors of a custom resource by
 * property. All other causes have a fixed order, which counts.
 */
function inOneOrder(value: Record<string, unknown>): Record<string, unknown> {
  const { details, message } = value as { details?: { causes?: unknown; group?: string }; message?: unknown };
  if (!Array.isArray(details?.causes) || typeof message !== "string") return value;
  const causes = details.causes as readonly Cause[];
  const isCustom = details.group?.endsWith(CUSTOM_GROUPS) === true;
  const groups = causes.map((cause) => (isCustom ? CUSTOM_GROUPS : mapOf(cause)));
  const isOfOneMap = (index: number): boolean =>
    index > 0 && groups[index] !== "" && groups[index] === groups[index - 1];
  if (!causes.some((_, index) => isOfOneMap(index))) return value;
  const runs: Cause[][] = [];
  for (const [index, cause] of causes.entries()) {
    if (isOfOneMap(index)) runs.at(-1)?.push(cause);
    else runs.push([cause]);
  }
  const text = (cause: Cause): string => JSON.stringify(cause, ["field", "reason", "message"]);
  const sorted = runs.flatMap((run) => run.sort((a, b) => (text(a) < text(b) ? -1 : 1)));
  return { ...value, message: message.replace(/: \[.*\]$/s, ": <causes>"), details: { ...details, causes: sorted } };
}

/** For a device: causes about both the keys and the values of the map. */
const DEVICE_ATTRIBUTES = /^spec\.devices\[\d+\](?:\.basic)?\.(?:attributes|capacity)(?=\[|$)/;

/** For a metric with several sources: upstream keeps them as a set. */
const METRIC_SOURCE = /(?<=^spec\.metrics\[\d+\])\.[a-zA-Z]+$/;

/** The map of a cause, "" for none. */
function mapOf({ reason, field = "" }: Cause): string {
  if (reason === "FieldManagerConflict") return reason;
  const attributes = DEVICE_ATTRIBUTES.exec(field)?.[0];
  if (attributes !== undefined) return attributes;
  if (reason === "FieldValueForbidden" && METRIC_SOURCE.test(field)) return field.replace(METRIC_SOURCE, "");
  return /^(.*\.(?:requests|limits|hard|used|capacity|allocatable|storedVersions))\[[^\]]*\]$/.exec(field)?.[1] ?? "";
}

const TOKEN_TIMES: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "warnafter"]);

/** The claims of a token, with times relative to its issue. */
function claimsOf(token: string): string {
  const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  try {
    const { iat } = JSON.parse(payload) as { iat?: number };
    return JSON.stringify(JSON.parse(payload), (name, value) =>
      TOKEN_TIMES.has(name) ? Number(value) - Number(iat) : value,
    );
  } catch {
    return payload;
  }
}
