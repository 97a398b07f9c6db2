// A table whose objects may have been written under an earlier schema: each is converted to the current form when it is
// first read. New writes already have this form.

import type { KubeObject } from "#api/object.ts";
import type { BuildObject, ListQuery, StorageKey, StoredVersion, Table } from "../storage/storage.ts";

export class NormalizingTable implements Table {
  readonly #table: Table;
  /** Versions up to this revision are older than the schema. */
  readonly #revision: number;
  readonly #normalize: (object: KubeObject) => KubeObject;
  readonly #views = new WeakMap<StoredVersion, StoredVersion>();
  readonly #sources = new WeakMap<StoredVersion, StoredVersion>();

  constructor(table: Table, revision: number, normalize: (object: KubeObject) => KubeObject) {
    this.#table = table;
    this.#revision = revision;
    this.#normalize = normalize;
  }

  get compactedRevision(): number {
    return this.#table.compactedRevision;
  }

  get size(): number {
    return this.#table.size;
  }

  get(key: StorageKey): StoredVersion | undefined {
    return this.#view(this.#table.get(key));
  }

  *scan(query: ListQuery): Generator<StoredVersion> {
    for (const version of this.#table.scan(query)) yield this.#view(version);
  }

  count(query: ListQuery): number {
    return this.#table.count(query);
  }

  create(key: StorageKey, build: BuildObject): StoredVersion | undefined {
    return this.#table.create(key, build);
  }

  update(expected: StoredVersion, build: BuildObject): StoredVersion | undefined {
    return this.#table.update(this.#sources.get(expected) ?? expected, build);
  }

  delete(expected: StoredVersion, build: BuildObject): StoredVersion | undefined {
    return this.#table.delete(this.#sources.get(expected) ?? expected, build);
  }

  since(revision: number): readonly StoredVersion[] {
    return this.#table.since(revision).map((version) => this.#view(version));
  }

  subscribe(listener: (version: StoredVersion) => void): Disposable {
    return this.#table.subscribe((version) => listener(this.#view(version)));
  }

  #view<T extends StoredVersion | undefined>(version: T): T {
    if (version === undefined || version.revision > this.#revision) return version;
    let view = this.#views.get(version);
    if (view === undefined) {
      view = this.#makeView(version);
      this.#views.set(version, view);
      this.#sources.set(view, version);
    }
    return view as T;
  }

  /** A separate version, because its cached renderings depend on the schema too. */
  #makeView(version: StoredVersion): StoredVersion {
    const { key, revision, isDeletion } = version;
    const object = this.#normalize(version.object);
    const previous = (): StoredVersion | undefined => this.#view(version.previous);
    return {
      key,
      revision,
      object,
      isDeletion,
      get previous() {
        return previous();
      },
      renderings: undefined,
    };
  }
}
