// JSON Patch (RFC 6902) in the dialect of the API server, gopkg.in/evanphx/json-patch.v4: a "replace" of a missing key
// adds it, a missing value is null, negative indices count from the end, and text before the first slash of a path is
// ignored. The rfc6902 library follows the RFC in all of these, so this is hand-written; it is also smaller than an
// adapter would be. The document may be frozen: containers are copied once, on their first change.
// Upstream: k8s.io/apiserver pkg/endpoints/handlers/patch.go, applyJSPatch

import { byteLength, goJson, parseInt64 } from "#api/go-text.ts";
import { newBadRequest, newRequestEntityTooLarge } from "#api/status-error.ts";
import {
  cloneJson,
  deepEqual,
  guardDepth,
  isArray,
  isObject,
  type JsonObject,
  jsonKind,
  own,
  setOwn,
  unprocessable,
} from "./json-value.ts";

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export const jsonPatchOperationsMax = 10_000;
/** Upstream: k8s.io/apiserver pkg/server/config.go, JSONPatchMaxCopyBytes */
export const jsonPatchCopyBytesMax: number = 3 * 1024 * 1024;

/** Why an operation does not apply; the client sees only a 422 with it as the cause. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
}

/** Applies a decoded patch body of any shape. Throws ApiError 400, 413 or 422. */
export function applyJsonPatch(
  document: JsonObject,
  patch: unknown,
  copyBytesMax: number = jsonPatchCopyBytesMax,
): unknown {
  const operations = decodeJsonPatch(patch);
  try {
    return guardDepth(() => new Application(document, copyBytesMax).run(operations));
  } catch (error) {
    throw error instanceof JsonPatchError ? unprocessable(error) : error;
  }
}

/** The operations of a patch body; null elements are operations without members, as in Go. */
export function decodeJsonPatch(patch: unknown): readonly (JsonObject | null)[] {
  if (patch === null) return [];
  if (!isArray(patch))
    throw newBadRequest(`json: cannot unmarshal ${jsonKind(patch)} into Go value of type jsonpatch.Patch`);
  for (const operation of patch) {
    if (operation !== null && !isObject(operation)) {
      throw newBadRequest(`json: cannot unmarshal ${jsonKind(operation)} into Go value of type jsonpatch.Operation`);
    }
  }
  if (patch.length > jsonPatchOperationsMax) {
    throw newRequestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${patch.length}`,
    );
  }
  return patch as (JsonObject | null)[];
}

const MEMBERS: readonly string[] = ["op", "path", "from", "value"];

/** The errors of fieldValidation Strict and Warn about the patch itself. */
export function jsonPatchStrictErrors(operations: readonly (JsonObject | null)[]): string[] {
  return operations.flatMap((operation, i) =>
    Object.keys(operation ?? {})
      .filter((key) => !MEMBERS.includes(key))
      .map((key) => `json patch unknown field "[${i}].${key}"`),
  );
}

type Container = Record<string, unknown> | unknown[];

class Application {
  private root: unknown;
  private copiedBytes = 0;
  /** Containers that this application created, which no other code can see yet. */
  private readonly fresh = new WeakSet<object>();
  private readonly copyBytesMax: number;

  constructor(document: JsonObject, copyBytesMax: number) {
    this.root = document;
    this.copyBytesMax = copyBytesMax;
  }

  run(operations: readonly (JsonObject | null)[]): unknown {
    for (const operation of operations) this.apply(operation ?? {});
    return this.root;
  }

  private apply(operation: JsonObject): void {
    const kind = own(operation, "op");
    const value = own(operation, "value");
    if (kind === "add") this.add(pathOf(operation, "add"), value);
    else if (kind === "remove") this.remove(pathOf(operation, "remove"));
    else if (kind === "replace") this.replace(member(operation, "path", "replace"), value);
    else if (kind === "move") this.move(operation);
    else if (kind === "test") this.test(member(operation, "path", "test"), value);
    else if (kind === "copy") this.copy(operation);
    else fail(`Unexpected kind: ${typeof kind === "string" ? kind : "unknown"}`);
  }

  private add(path: string, value: unknown): void {
    const target = this.find(path);
    if (target === undefined) fail(`add operation does not apply: doc is missing path: "${path}": missing value`);
    inContext(`error in add for path: '${path}'`, () => insert(target.container, target.key, value ?? null));
  }

  private remove(path: string): void {
    const target = this.find(path);
    if (target === undefined) fail(`remove operation does not apply: doc is missing path: "${path}": missing value`);
    inContext(`error in remove for path: '${path}'`, () => discard(target.container, target.key));
  }

  private replace(path: string, value: unknown): void {
    if (path === "") {
      if (typeof value !== "object" || value === null) {
        fail("replace operation value must be object or array: %!w(<nil>)");
      }
      this.root = value;
      return;
    }
    const target = this.find(path);
    if (target === undefined) fail(`replace operation does not apply: doc is missing path: ${path}: missing value`);
    const { container, key } = target;
    if (!isArray(container)) {
      setOwn(container, key, value ?? null);
      return;
    }
    const index = existingIndex(container, key);
    if (typeof index === "string") fail(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    container[index] = value ?? null;
  }

  private move(operation: JsonObject): void {
    const from = member(operation, "from", "move");
    const source = this.find(from);
    if (source === undefined) fail(`move operation does not apply: doc is missing from path: ${from}: missing value`);
    const value = inContext(`error in move for path: '${source.key}'`, () => {
      const found = read(source.container, source.key);
      discard(source.container, source.key);
      return found;
    });
    const path = member(operation, "path", "move");
    const target = this.find(path);
    if (target === undefined) {
      fail(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    inContext(`error in move for path: '${path}'`, () => insert(target.container, target.key, value ?? null));
  }

  private copy(operation: JsonObject): void {
    const from = member(operation, "from", "copy");
    const source = this.find(from);
    if (source === undefined) fail(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
    const value = inContext(`error in copy for from: '${from}'`, () => read(source.container, source.key)) ?? null;
    const path = pathOf(operation, "copy");
    const target = this.find(path);
    if (target === undefined) {
      fail(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    if (value !== null) this.copiedBytes += byteLength(goJson(value));
    if (this.copiedBytes > this.copyBytesMax) {
      const size = `the accumulated size increase of copy is ${this.copiedBytes}, exceeding the limit ${this.copyBytesMax}`;
      fail(`Unable to complete the copy, ${size}`);
    }
    inContext("error while adding value during copy", () => insert(target.container, target.key, cloneJson(value)));
  }

  /** Deviation: numbers and strings are compared by value, not by their spelling in the patch ("1.0" equals "1"). */
  private test(path: string, expected: unknown): void {
    let actual = this.root;
    if (path !== "") {
      const target = this.find(path, true);
      if (target === undefined) fail(`test operation does not apply: is missing path: ${path}: missing value`);
      actual = inContext(`error in test for path: '${path}'`, () => read(target.container, target.key));
    }
    if (!deepEqual(actual ?? null, expected ?? null) || (expected === undefined && (actual ?? null) !== null)) {
      fail(`testing value ${path} failed: test failed`);
    }
  }

  /** The container at the end of a path; writable unless only reading. */
  private find(path: string, readOnly = false): { container: Container; key: string } | undefined {
    const tokens = path.split("/");
    if (tokens.length < 2) return undefined;
    const key = unescapeToken(tokens.at(-1) as string);
    if (!readOnly) this.root = this.writable(this.root as Container);
    let container = this.root as Container;
    for (const token of tokens.slice(1, -1).map(unescapeToken)) {
      const slot = isArray(container) ? existingIndex(container, token) : token;
      const next = isArray(container)
        ? typeof slot === "number"
          ? container[slot]
          : undefined
        : own(container, token);
      if (typeof next !== "object" || next === null) return undefined;
      if (readOnly) {
        container = next as Container;
        continue;
      }
      const copy = this.writable(next as Container);
      if (copy !== next) {
        if (isArray(container)) container[slot as number] = copy;
        else setOwn(container, token, copy);
      }
      container = copy;
    }
    return { container, key };
  }

  private writable(container: Container): Container {
    if (this.fresh.has(container)) return container;
    const copy = isArray(container) ? [...container] : { ...container };
    this.fresh.add(copy);
    return copy;
  }
}

function read(container: Container, key: string): unknown {
  if (!isArray(container)) return own(container, key);
  const index = existingIndex(container, key);
  return typeof index === "string" ? fail(index) : container[index];
}

function insert(container: Container, key: string, value: unknown): void {
  if (!isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  const index = key === "-" ? container.length : parseIndex(key);
  if (typeof index === "string") fail(`value was not a proper array index: '${key}': ${index}`);
  const length = container.length + 1;
  if (index >= length || index < -length) fail(invalidIndex(index));
  container.splice(index < 0 ? index + length : index, 0, value);
}

function discard(container: Container, key: string): void {
  if (isArray(container)) {
    const index = existingIndex(container, key);
    if (typeof index === "string") fail(index);
    container.splice(index, 1);
    return;
  }
  if (!Object.hasOwn(container, key)) fail(`Unable to remove nonexistent key: ${key}: missing value`);
  delete container[key];
}

/** The index of an element that exists, or the text of the error. */
function existingIndex(array: readonly unknown[], key: string): number | string {
  const index = parseIndex(key);
  if (typeof index === "string") return index;
  if (index >= array.length || index < -array.length) return invalidIndex(index);
  return index < 0 ? index + array.length : index;
}

const invalidIndex = (index: number): string => `Unable to access invalid index: ${index}: invalid index referenced`;

function parseIndex(key: string): number | string {
  const parsed = parseInt64(key, "Atoi");
  return "error" in parsed ? parsed.error : Number(parsed.value);
}

const unescapeToken = (token: string): string =>
  token.includes("~") ? token.replace(/~[01]/g, (code) => (code === "~1" ? "/" : "~")) : token;

/** Some operations report any bad path as missing, others report the exact error. */
function pathOf(operation: JsonObject, kind: string): string {
  const path = own(operation, "path");
  return typeof path === "string" ? path : fail(`${kind} operation failed to decode path: missing value`);
}

function member(operation: JsonObject, name: "path" | "from", kind: string): string {
  const value = own(operation, name);
  if (typeof value === "string") return value;
  const failure = `${kind} operation failed to decode ${name}`;
  if (value === undefined || value === null) {
    return fail(`${failure}: operation${name === "from" ? "," : ""} missing ${name} field: missing value`);
  }
  return fail(`${failure}: json: cannot unmarshal ${jsonKind(value)} into Go value of type string`);
}

function inContext<T>(context: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof JsonPatchError) throw new JsonPatchError(`${context}: ${error.message}`);
    throw error;
  }
}

function fail(message: string): never {
  throw new JsonPatchError(message);
}
