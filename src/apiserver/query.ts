// The query string, parsed like Go's net/url, and its parameters converted like upstream's parameter codec. Only the
// first value of a parameter is used, unless a list is expected.

import { parseInt64 } from "#api/go-text.ts";
import { type Int64, int64From } from "#api/int64.ts";
import { newBadRequest } from "#api/status-error.ts";

export class Query {
  static readonly empty: Query = new Query(new Map());
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  text(name: string): string {
    return this.#values.get(name)?.[0] ?? "";
  }

  /** False if absent, "false" or "0"; any other value, even "", is true. */
  flag(name: string): boolean {
    return this.optionalFlag(name) ?? false;
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.#values.get(name)?.[0];
    return value === undefined ? undefined : value !== "0" && value.toLowerCase() !== "false";
  }

  /** Throws a 400 if the value is not an int64. */
  optionalInt64(name: string): Int64 | undefined {
    const value = this.#values.get(name)?.[0];
    if (value === undefined) return undefined;
    const parsed = parseInt64(value);
    if ("error" in parsed) throw newBadRequest(parsed.error);
    return int64From(parsed.value);
  }

  /** Like optionalInt64, rounded beyond 2^53. */
  optionalInteger(name: string): number | undefined {
    const value = this.optionalInt64(name);
    return value === undefined ? undefined : Number(value);
  }
}

/** Pairs that cannot be decoded, or that contain a semicolon, are dropped. */
export function parseQuery(text: string): Query {
  if (text === "") return Query.empty;
  const values = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return new Query(values);
}

function decode(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodePercent(spaced) : spaced;
}

const WELL_ESCAPED = /^(?:[^%]|%[0-9A-Fa-f]{2})*$/;
const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** Like Go: invalid UTF-8 becomes replacement characters; undefined for a broken escape. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (!WELL_ESCAPED.test(text)) return undefined;
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "%") {
      bytes.push(Number.parseInt(text.slice(i + 1, i + 3), 16));
      i += 2;
    } else {
      const char = String.fromCodePoint(text.codePointAt(i) as number);
      bytes.push(...utf8.encode(char));
      i += char.length - 1;
    }
  }
  return decoder.decode(new Uint8Array(bytes));
}
