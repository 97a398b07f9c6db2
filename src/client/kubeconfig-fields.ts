// Reads a decoded document field by field. Errors name the place of the mistake.

/** A document that is not a kubeconfig. */
export class KubeconfigSyntaxError extends Error {
  override readonly name = "KubeconfigSyntaxError";
}

/** The fields of a document. A value of the wrong type is an error that names its place. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #place: string;

  constructor(value: unknown, place: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new KubeconfigSyntaxError(`${place} is not an object`);
    }
    this.#values = value as Readonly<Record<string, unknown>>;
    this.#place = place;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "string") return value || undefined;
    return this.#refuse(name, "a string");
  }

  flag(name: string): boolean | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "boolean") return value || undefined;
    return this.#refuse(name, "a boolean");
  }

  base64(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    try {
      return atob(value);
    } catch (cause) {
      throw new KubeconfigSyntaxError(`${this.#place}.${name} is not base64`, { cause });
    }
  }

  texts(name: string): readonly string[] {
    const value = this.#get(name) ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    return this.#refuse(name, "a list of strings");
  }

  textLists(name: string): Readonly<Record<string, readonly string[]>> {
    const fields = this.child(name, (child) => child);
    if (!fields) return {};
    return Object.fromEntries(Object.keys(fields.#values).map((key) => [key, fields.texts(key)]));
  }

  child<R>(name: string, read: (fields: Fields) => R): R | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : read(new Fields(value, `${this.#place}.${name}`));
  }

  list<R>(name: string, read: (fields: Fields) => R): readonly R[] {
    const value = this.#get(name) ?? [];
    if (!Array.isArray(value)) return this.#refuse(name, "a list");
    return value.map((item, i) => read(new Fields(item, `${this.#place}.${name}[${i}]`)));
  }

  named<R>(listName: string, fieldName: string, read: (fields: Fields) => R): ReadonlyMap<string, R> {
    const entries = this.list(listName, (entry): [string, R] => [
      entry.text("name") ?? "",
      entry.child(fieldName, read) ?? read(new Fields({}, fieldName)),
    ]);
    const result = new Map<string, R>();
    for (const [name, value] of entries) {
      if (result.has(name)) throw new KubeconfigSyntaxError(`duplicate name "${name}" in list ${listName}`);
      result.set(name, value);
    }
    return result;
  }

  extension(name: string): unknown {
    const found = this.list("extensions", (entry) => entry).find((entry) => entry.text("name") === name);
    return found ? found.#get("extension") : undefined;
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined;
  }

  #refuse(name: string, wanted: string): never {
    throw new KubeconfigSyntaxError(`${this.#place}.${name} is not ${wanted}`);
  }
}
