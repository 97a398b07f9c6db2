// The JSON log format: one object per line, fields in the order in which zap writes them.
// Upstream: k8s.io/component-base/logs/json/json.go, github.com/go-logr/zapr/zapr.go
import { errorMessage } from "./errors.ts";
import { stringifyJson } from "./json.ts";
import { isRef } from "./log-text.ts";
import type { LogEntry } from "./logger.ts";

export function jsonLine(entry: LogEntry): string {
  const { file, line } = entry.caller;
  const fields = [`"ts":${entry.timeMs}`];
  if (entry.name !== "") fields.push(`"logger":${jsonString(entry.name)}`);
  fields.push(`"caller":${jsonString(`${shortPath(file)}:${line}`)}`, `"msg":${jsonString(entry.message)}`);
  const [own = {}, ...inherited] = entry.values.toReversed();
  for (const values of inherited.reverse()) pushFields(fields, values);
  if (entry.severity === "info") fields.push(`"v":${entry.level}`);
  pushFields(fields, own);
  if (entry.err !== undefined) fields.push(`"err":${jsonString(errorMessage(entry.err))}`);
  return `{${fields.join(",")}}\n`;
}

function pushFields(fields: string[], values: Readonly<Record<string, unknown>>): void {
  for (const key in values) fields.push(`${jsonString(key)}:${jsonValue(values[key])}`);
}

function jsonValue(value: unknown): string {
  if (typeof value === "string") return jsonString(value);
  if (value instanceof Error) return jsonString(errorMessage(value));
  if (value instanceof Uint8Array) return jsonString(btoa(String.fromCharCode(...value)));
  if (typeof value === "bigint") return String(value);
  if (isRef(value)) return JSON.stringify({ name: value.name, namespace: value.namespace || undefined });
  if (Array.isArray(value)) return `[${value.map(jsonValue).join(",")}]`;
  try {
    return stringifyJson(value) ?? "null";
  } catch (error) {
    return jsonString(`<internal error: ${errorMessage(error)}>`);
  }
}

/** Like zap: control characters other than \n, \r and \t are written as \u00xx. */
function jsonString(text: string): string {
  return JSON.stringify(text).replace(/\\./g, (pair) => {
    if (pair === "\\b") return "\\u0008";
    return pair === "\\f" ? "\\u000c" : pair;
  });
}

/** The last folder and the file. */
function shortPath(file: string): string {
  return file.split("/").slice(-2).join("/");
}
