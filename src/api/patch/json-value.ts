// JSON values for patches and apply: plain data, possibly frozen, possibly hostile. Keys are always read and written as
// own properties, so "__proto__" is an ordinary key.

import { newGenericServerResponse } from "#api/server-response.ts";
import { ApiError, newBadRequest } from "#api/status-error.ts";

export type JsonObject = Readonly<Record<string, unknown>>;
export type JsonArray = readonly unknown[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isArray: (value: unknown) => value is JsonArray = Array.isArray;

/** The name of a value's type in Go's JSON decoder. */
export function jsonKind(value: unknown): string {
  if (value === null) return "null";
  if (isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "number" : typeof value;
}

/** The value of an own key; undefined means absent, because JSON has no undefined. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key on an object under construction. Plain assignment of "__proto__" would change the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]));
}

/** A copy that shares nothing. */
export function cloneJson(value: unknown): unknown {
  if (isArray(value)) return value.map(cloneJson);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy;
}

/** Runs a recursive algorithm; nesting beyond the stack gives the error of Go's JSON decoder. */
export function guardDepth<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw newBadRequest("exceeded max depth");
    throw error;
  }
}

/** A 422 whose reason stays on the server: upstream hides it behind a general message; here it is the cause. */
export function unprocessable(cause: Error): ApiError {
  return new ApiError(newGenericServerResponse({ code: 422, verb: "" }).status, { cause });
}
