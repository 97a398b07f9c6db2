// Reading response headers: media types, Retry-After, Warning.

import type { HttpHeaders } from "#base/http.ts";

export function headerValue(headers: HttpHeaders, name: string): string {
  const value = headers[name];
  if (value === undefined) return "";
  return typeof value === "string" ? value : (value[0] ?? "");
}

export function headerValues(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

export interface MediaType {
  /** Lower case, for example "application/json". */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export function parseMediaType(contentType: string): MediaType {
  const [type = "", ...rest] = contentType.split(";");
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const value = part.slice(equals + 1).trim();
    parameters.set(part.slice(0, equals).trim().toLowerCase(), value.replace(/^"(.*)"$/, "$1"));
  }
  return { type: type.trim().toLowerCase(), parameters };
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*/;

/** Why a content type cannot be read; undefined when it can, or when there is none. */
// Upstream: Go's mime.ParseMediaType, checkMediaTypeDisposition
export function mediaTypeProblem(contentType: string): string | undefined {
  if (contentType === "") return undefined;
  const text = (contentType.split(";")[0] ?? "").trim();
  const type = TOKEN.exec(text)?.[0] ?? "";
  if (type === "") return "mime: no media type";
  if (type === text) return undefined;
  if (text[type.length] !== "/") return "mime: expected slash after first token";
  const subtype = TOKEN.exec(text.slice(type.length + 1))?.[0] ?? "";
  if (subtype === "") return "mime: expected token after slash";
  return type.length + 1 + subtype.length < text.length ? "mime: unexpected content after media subtype" : undefined;
}

/** Only whole seconds are read; a date is ignored. */
export function retryAfterSeconds(headers: HttpHeaders): number | undefined {
  const value = headerValue(headers, "retry-after");
  return /^[+-]?\d+$/.test(value) ? Number(value) : undefined;
}

export interface Warning {
  readonly code: number;
  readonly agent: string;
  readonly text: string;
}

const WARNING = /\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/y;

/** Reads warnings up to the first malformed one, as other clients do. */
// Upstream: apimachinery/pkg/util/net/http.go, ParseWarningHeaders
export function parseWarnings(headers: HttpHeaders): Warning[] {
  const warnings: Warning[] = [];
  for (const value of headerValues(headers, "warning")) {
    WARNING.lastIndex = 0;
    while (WARNING.lastIndex < value.length) {
      const match = WARNING.exec(value);
      if (!match) return warnings;
      const [, code = "", agent = "", text = ""] = match;
      warnings.push({ code: Number(code), agent, text: text.replace(/\\(.)/g, "$1") });
    }
  }
  return warnings;
}
