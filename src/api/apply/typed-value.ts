// The common parts of walks over typed values: list elements as path elements, validation of values against atoms, and
// error texts. Upstream: structured-merge-diff typed/helpers.go, validate.go

import { goQuote } from "#api/go-text.ts";
import { goFormat, goSyntax, goType } from "#api/patch/go-format.ts";
import { isArray, isObject, type JsonArray, type JsonObject, own } from "#api/patch/json-value.ts";
import { type Atom, kindFor, type ListAtom, type MapAtom, type ScalarType } from "./atoms.ts";
import { canonicalJson, elementText } from "./path-element.ts";

export interface ValidationError {
  readonly path: string;
  readonly message: string;
}

/** An object that does not fit its schema. */
export class TypedError extends Error {
  override readonly name = "TypedError";
  constructor(errors: readonly ValidationError[]) {
    const lines = errors.map((error) => (error.path === "" ? error.message : `${error.path}: ${error.message}`));
    super(lines.length === 1 ? (lines[0] as string) : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n"));
  }
}

export function failTyped(message: string, path = ""): never {
  throw new TypedError([{ path, message }]);
}

/** Runs a step; its errors name the step. */
export function whileDoing<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof TypedError ? new TypedError([{ path: what, message: error.message }]) : error;
  }
}

/** The path key of an element of an associative list. Throws TypedError for an invalid element. */
export function elementKey(list: ListAtom, element: unknown): string {
  return list.keys.length > 0 ? keyedElementKey(list, element) : setElementKey(element);
}

/** For elements that pruning has emptied: upstream gives all elements without a key the same one. */
export function elementKeyOrNone(list: ListAtom, element: unknown): string {
  try {
    return elementKey(list, element);
  } catch (error) {
    if (error instanceof TypedError) return "?:";
    throw error;
  }
}

function keyedElementKey(list: ListAtom, element: unknown): string {
  if (element === null) failTyped("associative list with keys may not have a null element");
  if (!isObject(element)) failTyped("associative list with keys may not have non-map elements");
  let fields = "";
  for (let i = 0; i < list.keys.length; i++) {
    const name = list.keys[i] as string;
    const stated = own(element, name);
    const value = stated === undefined ? list.keyDefaults[i] : stated;
    if (value !== undefined) fields += `${fields === "" ? "" : ","}"${name}":${canonicalJson(value)}`;
  }
  if (fields === "") {
    const names = list.declaredKeys.map(goQuote).join(" ");
    failTyped(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${fields}}`;
}

function setElementKey(element: unknown): string {
  if (isObject(element)) failTyped("associative list without keys has an element that's a map type");
  if (isArray(element)) failTyped("not supported: associative list with lists as elements");
  if (element === null) failTyped("associative list without keys has an element that's an explicit null");
  return `v:${canonicalJson(element)}`;
}

/** The error of a scalar, if any. */
export function scalarError(type: ScalarType, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (type) {
    case "numeric":
      return typeof value === "number" || typeof value === "bigint"
        ? undefined
        : `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got ${wrapped(value)}`;
    case "untyped":
      return typeof value === "object" ? `expected any scalar, got ${wrapped(value)}` : undefined;
  }
}

/** Go prints the struct around the value. */
const wrapped = (value: unknown): string => `&{${goFormat(value)}}`;

export function listError(value: unknown): string | undefined {
  return value === null || isArray(value) ? undefined : `expected list, got ${wrapped(value)}`;
}

export function mapError(value: unknown): string | undefined {
  return value === null || isObject(value) ? undefined : `expected map, got ${wrapped(value)}`;
}

/** The type of a key of a map; throws if the schema does not allow it. */
export function fieldAtom(map: MapAtom, key: string): Atom {
  return map.field(key) ?? map.element ?? failTyped("field not declared in schema", `.${key}`);
}

/** Validates a whole value and reports all errors. */
export function validate(atom: Atom, value: unknown, allowDuplicates: boolean): void {
  const errors: ValidationError[] = [];
  check(atom, value, allowDuplicates, errors);
  if (errors.length > 0) throw new TypedError(errors);
}

function check(atom: Atom, value: unknown, duplicates: boolean, errors: ValidationError[]): void {
  const kind = kindFor(atom, value);
  const message =
    kind === "scalar"
      ? scalarError(atom.scalar as ScalarType, value)
      : kind === "list"
        ? listError(value)
        : mapError(value);
  if (message !== undefined) errors.push({ path: "", message });
  else if (value === null) return;
  else if (kind === "list") checkElements(atom.list as ListAtom, value as JsonArray, duplicates, errors);
  else if (kind === "map") checkFields(atom.map as MapAtom, value as JsonObject, duplicates, errors);
}

function checkElements(list: ListAtom, elements: JsonArray, duplicates: boolean, errors: ValidationError[]): void {
  const seen = new Set<string>();
  for (const [i, element] of elements.entries()) {
    let key = `i:${i}`;
    if (list.associative) {
      try {
        key = elementKey(list, element);
      } catch (error) {
        if (!(error instanceof TypedError)) throw error;
        errors.push({ path: "", message: `element ${i}: ${error.message}` });
        return;
      }
      if (seen.has(key) && !duplicates)
        errors.push({ path: "", message: `duplicate entries for key ${elementText(key)}` });
      seen.add(key);
    }
    const before = errors.length;
    check(list.element, element, duplicates, errors);
    if (errors.length > before) prefix(errors, before, elementText(key));
  }
}

function checkFields(map: MapAtom, object: JsonObject, duplicates: boolean, errors: ValidationError[]): void {
  for (const key of Object.keys(object)) {
    const atom = map.field(key) ?? map.element;
    if (atom === undefined) {
      errors.push({ path: `.${key}`, message: "field not declared in schema" });
      return;
    }
    const before = errors.length;
    check(atom, object[key], duplicates, errors);
    prefix(errors, before, `.${key}`);
  }
}

function prefix(errors: ValidationError[], from: number, path: string): void {
  for (let i = from; i < errors.length; i++) {
    const error = errors[i] as ValidationError;
    errors[i] = { path: path + error.path, message: error.message };
  }
}
