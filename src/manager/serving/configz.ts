// /configz: the component configuration in the form of encoding/json, with durations as Go prints them.
// Upstream: component-base/configz/configz.go.

import { formatDuration } from "#api/go-duration.ts";
import type { HttpResponse } from "#base/http.ts";
import type { ComponentConfig } from "../options/config.ts";
import { textResponse } from "./responses.ts";

const NAME = "kubecontrollermanager.config.k8s.io";

export function configzText(config: ComponentConfig): string {
  return `{${JSON.stringify(NAME)}:${encoded(config)}}`;
}

export function configzResponse(text: string): HttpResponse {
  return textResponse(200, text, { "content-type": "application/json", "x-content-type-options": "nosniff" });
}

function encoded(value: unknown): string {
  if (typeof value === "bigint") return JSON.stringify(formatDuration(value));
  if (typeof value === "number") return goNumber(value);
  if (typeof value === "string") return goString(value);
  if (Array.isArray(value)) return `[${value.map(encoded).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${encoded(item)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value);
}

/**
 * encoding/json uses exponents below 1e-6 and from 1e21 on. JSON.stringify does the same, but writes "e-7" for "e-07".
 */
function goNumber(value: number): string {
  const single = Math.fround(value) === value && !Number.isInteger(value) ? shortSingle(value) : JSON.stringify(value);
  return single.replace(/e-(\d)$/, "e-0$1");
}

/** Rates are float32 in the configuration, so they are printed with the digits of a float32. */
function shortSingle(value: number): string {
  for (let precision = 1; precision <= 9; precision++) {
    const shown = Number(value.toPrecision(precision));
    if (Math.fround(shown) === value) return JSON.stringify(shown);
  }
  return JSON.stringify(value);
}

/** encoding/json also escapes characters with a meaning in HTML. */
function goString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
