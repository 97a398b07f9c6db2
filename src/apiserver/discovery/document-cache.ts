// Documents derived from the registry, encoded once per registry generation, with an entity tag.

import { lazy } from "#api/lazy.ts";
import { stringifyJson } from "#base/json.ts";
import type { Registry } from "../registry.ts";

/** Encoded when it is first sent over a network. A client in this process gets the value. */
export class CachedDocument {
  readonly value: unknown;
  readonly #encoded: () => { readonly bytes: Uint8Array; readonly etag: string };

  constructor(value: unknown) {
    this.value = value;
    this.#encoded = lazy(() => {
      const text = `${stringifyJson(value)}\n`;
      return { bytes: new TextEncoder().encode(text), etag: hashOf(text) };
    });
  }

  get bytes(): Uint8Array {
    return this.#encoded().bytes;
  }

  get etag(): string {
    return this.#encoded().etag;
  }
}

export class DocumentCache {
  readonly #registry: Registry;
  #documents = new Map<string, CachedDocument>();
  #generation = -1;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get(name: string, make: (registry: Registry) => unknown): CachedDocument {
    if (this.#generation !== this.#registry.generation) {
      this.#documents = new Map();
      this.#generation = this.#registry.generation;
    }
    let document = this.#documents.get(name);
    if (document === undefined) {
      document = new CachedDocument(make(this.#registry));
      this.#documents.set(name, document);
    }
    return document;
  }
}

/** A 128-bit hash to tell documents apart. It is not cryptographic and need not be. */
export function hashOf(text: string): string {
  const lanes = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const lane = i & 3;
    lanes[lane] = Math.imul((lanes[lane] as number) ^ unit, 0x01000193);
  }
  // Mixes the lanes, so that a change of one character affects all of them.
  for (let round = 0; round < 8; round++) {
    const lane = round & 3;
    const next = lanes[(lane + 1) & 3] as number;
    lanes[lane] = Math.imul((lanes[lane] as number) ^ (next >>> 15) ^ (text.length + round), 0x01000193);
  }
  return lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, "0").toUpperCase()).join("");
}
