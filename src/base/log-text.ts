// klog's text format: Lmmdd hh:mm:ss.uuuuuu threadid file:line] "message" key="value".
// Upstream: k8s.io/klog/v2/internal/{buffer/buffer,serialize/keyvalues}.go, textlogger/textlogger.go
import { errorMessage } from "./errors.ts";
import { goJson, goQuote, goQuoteBytes } from "./go-text.ts";
import type { LogEntry } from "./logger.ts";

/** One line, or more where a value has line breaks; ends with a line break. */
export function textLine(entry: LogEntry, pid: number, utcOffsetMs: number): string {
  const text = entry.isPlain ? entry.message : goQuote(entry.message);
  return `${header(entry, pid, utcOffsetMs)}${text}${pairs(entry)}\n`;
}

function header(entry: LogEntry, pid: number, utcOffsetMs: number): string {
  const micros = Math.round((entry.timeMs + utcOffsetMs) * 1000);
  const date = new Date(Math.floor(micros / 1000));
  const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`);
  const fraction = String(micros % 1_000_000).padStart(6, "0");
  const day = two(date.getUTCMonth() + 1) + two(date.getUTCDate());
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}.${fraction}`;
  const { file, line } = entry.caller;
  const base = file.slice(file.lastIndexOf("/") + 1);
  return `${letter(entry)}${day} ${time} ${String(pid).padStart(7)} ${base}:${line}] `;
}

function letter({ severity, isWarning }: LogEntry): string {
  if (severity === "error") return "E";
  return isWarning ? "W" : "I";
}

/**
 * Key and value pairs without duplicates. A pair equal to an earlier one is dropped. A pair with the same key and
 * another value replaces the earlier one and stays at its own position.
 */
function pairs(entry: LogEntry): string {
  const texts = new Map<string, string>();
  const put = (key: string, value: unknown): void => {
    const text = ` ${key}${textValue(value)}`;
    if (texts.get(key) === text) return;
    texts.delete(key);
    texts.set(key, text);
  };
  if (entry.err !== undefined) put("err", entry.err);
  if (entry.name !== "") put("logger", entry.name);
  for (const values of entry.values) for (const key in values) put(key, values[key]);
  return [...texts.values()].join("");
}

function textValue(value: unknown): string {
  if (typeof value === "string") return textString(value);
  if (value instanceof Error) return textString(errorMessage(value));
  if (value instanceof Uint8Array) return `=${goQuoteBytes(value)}`;
  if (typeof value === "bigint") return `=${value}`;
  if (isRef(value)) return `=${refText(value)}`;
  if (Array.isArray(value) && value.length > 0 && value.every(isRef)) return `=[${value.map(refText).join(",")}]`;
  try {
    return `=${goJson(value)}`;
  } catch (error) {
    return `="<internal error: ${errorMessage(error)}>"`;
  }
}

/** A string with line breaks is shown as a block, so that it stays readable. */
function textString(text: string): string {
  if (!text.includes("\n")) return `=${goQuote(text)}`;
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  return `=<\n${lines.map((line) => `\t${line}\n`).join("")} >`;
}

interface Ref {
  readonly name: string;
  readonly namespace?: string;
}

/** True if the value is only a reference to an API object. */
export function isRef(value: unknown): value is Ref {
  if (typeof value !== "object" || value === null || typeof (value as Ref).name !== "string") return false;
  const { namespace } = value as Ref;
  const count = Object.keys(value).length;
  return namespace === undefined ? count === 1 : typeof namespace === "string" && count === 2;
}

function refText({ name, namespace }: Ref): string {
  return namespace ? `"${namespace}/${name}"` : `"${name}"`;
}
