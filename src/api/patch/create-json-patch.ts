// A JSON Patch that turns one document into another: members by name, arrays by their differing middle.

import type { JsonPatchOperation } from "./json-patch.ts";
import { deepEqual, isArray, isObject, type JsonArray, type JsonObject } from "./json-value.ts";

export function createJsonPatch(original: unknown, modified: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diff(original, modified, "", operations);
  return operations;
}

function diff(original: unknown, modified: unknown, path: string, out: JsonPatchOperation[]): void {
  if (original === modified) return;
  if (isObject(original) && isObject(modified)) diffObjects(original, modified, path, out);
  else if (isArray(original) && isArray(modified)) diffArrays(original, modified, path, out);
  else if (!deepEqual(original, modified)) out.push({ op: "replace", path, value: modified });
}

function diffObjects(original: JsonObject, modified: JsonObject, path: string, out: JsonPatchOperation[]): void {
  for (const key of Object.keys(original)) {
    if (!Object.hasOwn(modified, key)) out.push({ op: "remove", path: child(path, key) });
  }
  for (const key of Object.keys(modified)) {
    if (Object.hasOwn(original, key)) diff(original[key], modified[key], child(path, key), out);
    else out.push({ op: "add", path: child(path, key), value: modified[key] });
  }
}

function diffArrays(original: JsonArray, modified: JsonArray, path: string, out: JsonPatchOperation[]): void {
  const shorter = Math.min(original.length, modified.length);
  let head = 0;
  while (head < shorter && deepEqual(original[head], modified[head])) head++;
  let tail = 0;
  while (tail < shorter - head && deepEqual(original.at(-1 - tail), modified.at(-1 - tail))) tail++;
  const oldEnd = original.length - tail;
  const newEnd = modified.length - tail;
  const common = Math.min(oldEnd, newEnd);
  for (let i = head; i < common; i++) diff(original[i], modified[i], `${path}/${i}`, out);
  // Removed from the end, so that earlier indices stay valid.
  for (let i = oldEnd - 1; i >= common; i--) out.push({ op: "remove", path: `${path}/${i}` });
  for (let i = common; i < newEnd; i++) out.push({ op: "add", path: `${path}/${i}`, value: modified[i] });
}

const child = (path: string, key: string): string => `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
