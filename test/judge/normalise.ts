// What two servers may differ in without anybody noticing: identities, versions, times and random
// suffixes. Each distinct value becomes a numbered placeholder, so that relations between them still count.

import type { Answer } from "./exchange.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g;
const GENERATED_SUFFIX = /^(.*-)[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const QUOTED_SUFFIX = /("[a-z0-9.-]+-)[bcdfghjklmnpqrstvwxz2456789]{5}"/g;

export class Normaliser {
  readonly #placeholders = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #namespace: string;

  /** The namespace is "$ns" wherever it is named. */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  answer({ status, contentType, warnings, headers, body }: Answer): unknown {
    return {
      status,
      contentType: contentType.replace(/\s/g, ""),
      warnings: warnings.map((text) => this.#text(text)),
      headers: headers.etag === undefined ? headers : { ...headers, etag: "<etag>" },
      body: this.#value(body, ""),
    };
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === "string") return this.#scalar(value, key);
    if (Array.isArray(value)) {
      const items = value.filter((item) => !isPlainBookmark(item)).map((item) => this.#value(item, key));
      // Within one second they are sorted by name, else by time.
      return key === "managedFields" ? items.sort((a, b) => (managerText(a) < managerText(b) ? -1 : 1)) : items;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(inOneOrder(value as Record<string, unknown>))
      .filter(([name]) => !isVolatile(name, key))
      .map(([name, item]) => [name, this.#field(value as Record<string, unknown>, name, item)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  }

  #field(owner: Record<string, unknown>, name: string, item: unknown): unknown {
    if (name === "generateName") return item;
    // Of an object it counts which versions are the same; a list has the version of the whole store.
    const isOfObject = name === "resourceVersion" && typeof owner.uid === "string" && typeof item === "string";
    return isOfObject && item !== "" ? this.#placeholder("version", `version ${item}`) : this.#value(item, name);
  }

  #scalar(text: string, key: string): string {
    if (key === "resourceVersion") return text === "" ? "" : "<version>";
    if (key === "continue") return text === "" ? "" : "<continue>";
    if (key === "description") return ""; // prose of column definitions
    if (key === "token" && text.split(".").length === 3) return this.#text(`<token ${claimsOf(text)}>`);
    if (key === "name" && GENERATED_SUFFIX.test(text)) return text.replace(GENERATED_SUFFIX, "$1<suffix>");
    if (key === "cells" && /^(\d+[ydhms])+$/.test(text)) return "<age>";
    return this.#text(text);
  }

  #text(text: string): string {
    return text
      .replaceAll(this.#namespace, "$ns")
      .replace(UUID, (uuid) => this.#placeholder("uid", uuid))
      .replace(TIME, "<time>")
      .replace(QUOTED_SUFFIX, '$1<suffix>"')
      .replace(/resource version: \d+/gi, "resource version: <version>")
      .replace(/ResourceVersion in object meta: \d+/g, "ResourceVersion in object meta: <version>")
      .replace(/in record \(\d+\)/g, "in record (<version>)")
      .replace(/(resource version: <version>) \(\d+\)/g, "$1 (<version>)")
      .replace(/, current: \d+/g, ", current: <version>")
      .replace(/\(\d+ < \d+\)|: \d+ \(\d+\)|: \d+, current: \d+/g, "<versions>")
      .replace(/(resourceVersion\\*":\\*")\d+/g, "$1<version>")
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

const managerText = (entry: unknown): string => JSON.stringify(entry, ["manager", "operation", "subresource"]);

/** When bookmarks come is a matter of time; only the end of initial events is not. */
function isPlainBookmark(item: unknown): boolean {
  const { type, object } = (item ?? {}) as { type?: unknown; object?: { metadata?: { annotations?: object } } };
  return type === "BOOKMARK" && object?.metadata?.annotations === undefined;
}

/** Where Go goes through a map, several complaints come in any order; they are all among the causes. */
function inOneOrder(value: Record<string, unknown>): Record<string, unknown> {
  const { details, message } = value as { details?: { causes?: unknown }; message?: unknown };
  const causes = details?.causes;
  if (!Array.isArray(causes) || causes.length < 2 || typeof message !== "string") return value;
  const text = (cause: unknown): string => JSON.stringify(cause, ["field", "reason", "message"]);
  const sorted = [...causes].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return { ...value, message: message.replace(/: \[.*\]$/s, ": <causes>"), details: { ...details, causes: sorted } };
}

const TOKEN_TIMES: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "warnafter"]);

/** What a token says, its times counted from its issue. */
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

/** Ages in tables, and the hash of what a server happens to serve. */
function isVolatile(name: string, parent: string): boolean {
  return (name === "time" && parent === "managedFields") || name === "selfLink" || name === "retryAfterSeconds";
}
