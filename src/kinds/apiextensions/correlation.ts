// Walks an object and its old version in step, because unchanged parts may stay invalid. List items correlate by their
// keys, and only in lists of type map.
// Upstream: k8s.io/apiserver/pkg/cel/common/equality.go

import { deepEqual, isArray, isObject, own } from "#api/patch/json-value.ts";
import { itemsOf, type JSONSchemaProps, propertyOf, sortedJson, valuesOf } from "#cel/json-schema.ts";

export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: JSONSchemaProps | undefined;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #isEqual: boolean | undefined;
  #oldByKey: ((item: unknown) => unknown) | undefined;

  constructor(value: unknown, old: unknown, schema: JSONSchemaProps | undefined) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  key(name: string): Correlation | undefined {
    if (this.#children.has(name)) return this.#children.get(name);
    const child = this.#makeKey(name);
    this.#children.set(name, child);
    return child;
  }

  index(i: number): Correlation | undefined {
    if (this.#children.has(i)) return this.#children.get(i);
    const child = this.#makeIndex(i);
    this.#children.set(i, child);
    return child;
  }

  get isEqual(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  #makeKey(name: string): Correlation | undefined {
    const { value, old } = this;
    if (this.#schema === undefined || !isObject(value) || !isObject(old)) return undefined;
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    const schema = propertyOf(this.#schema, name) ?? valuesOf(this.#schema);
    return schema === undefined ? undefined : new Correlation(value[name], old[name], schema);
  }

  #makeIndex(i: number): Correlation | undefined {
    const { value, old } = this;
    const items = itemsOf(this.#schema);
    if (items === undefined || !isArray(value) || !isArray(old) || value.length <= i) return undefined;
    if (this.#schema?.["x-kubernetes-list-type"] !== "map") return undefined;
    this.#oldByKey ??= mapList(this.#schema, old);
    const before = this.#oldByKey(value[i]);
    return before === undefined || before === null ? undefined : new Correlation(value[i], before, items);
  }

  #compare(): boolean {
    const { value, old } = this;
    if (value === null || value === undefined || old === null || old === undefined) {
      return (value ?? null) === (old ?? null);
    }
    if (isArray(value)) {
      if (!isArray(old) || value.length !== old.length) return false;
      for (let i = 0; i < value.length; i++) {
        const child = this.index(i);
        if (child === undefined) return this.#oldByKey === undefined && deepEqual(value, old);
        if (!child.isEqual) return false;
      }
      return true;
    }
    if (isObject(value)) {
      if (!isObject(old) || Object.keys(value).length !== Object.keys(old).length) return false;
      return Object.keys(value).every((key) => this.key(key)?.isEqual === true);
    }
    return value === old;
  }
}

/** Finds the item with the same keys, all of which must be scalars. Upstream: cel/common/maplist.go */
export function mapList(schema: JSONSchemaProps, list: readonly unknown[]): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const identify = (item: unknown): string | undefined => {
    if (!isObject(item) || keys.length === 0) return undefined;
    const values = keys.map((key) => own(item, key));
    return values.every((value) => value !== undefined && typeof value !== "object") ? sortedJson(values) : undefined;
  };
  const byKey = new Map<string, unknown>();
  for (const item of list) {
    const key = identify(item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => {
    const key = identify(item);
    return key === undefined ? undefined : byKey.get(key);
  };
}
