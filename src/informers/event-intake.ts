// Filters and transforms what a reflector receives: only objects of its kind pass, in the form that the cache keeps.

import { ref, type WatchEvent } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import { UnusableList } from "#informers/errors.ts";
import type { Transform } from "#informers/informer.ts";
import type { PagedList } from "#informers/pager.ts";

export interface EventIntakeOptions<T> {
  readonly name: string;
  readonly transform: Transform<T>;
  readonly log: Logger | undefined;
}

export class EventIntake<T extends StoredObject> {
  readonly #options: EventIntakeOptions<T>;
  /** Learnt from the server's events: items of a list carry no kind. */
  #kind: string | undefined;

  constructor(options: EventIntakeOptions<T>) {
    this.#options = options;
  }

  /** Objects of another kind, Tables and objects without metadata are logged and skipped. */
  accepts({ object }: WatchEvent<T>): boolean {
    const { kind, apiVersion, metadata } = object;
    if (metadata && !isTable(object)) {
      this.#kind ??= kind;
      if (kind === undefined || kind === this.#kind) return true;
    }
    this.#options.log?.error(undefined, "Unexpected watch event object gvk", {
      type: this.#options.name,
      expectedKind: this.#kind,
      actualKind: kind,
      actualVersion: apiVersion,
    });
    return false;
  }

  /** If the transform fails, only this event is lost. */
  transformed(object: T): T | undefined {
    try {
      return this.#options.transform(object);
    } catch (error) {
      const { log, name } = this.#options;
      log?.error(error, "Unable to add watch event object to store", { type: name, object: ref(object) });
      return undefined;
    }
  }

  /** If the transform fails, the list fails. */
  transformedItems(items: readonly T[]): readonly T[] {
    return items.map((item) => this.#options.transform(item));
  }

  /** Records the kind of a list. Tables are refused. */
  checkList(list: PagedList<T>): void {
    if (isTable(list)) {
      const gvk = `${list.apiVersion}, Kind=${list.kind}`;
      throw new UnusableList(`unsupported list gvk: ${gvk}, type: ${this.#options.name}`);
    }
    if (list.kind?.endsWith("List")) this.#kind = list.kind.slice(0, -"List".length);
  }
}

function isTable(value: { readonly kind?: string | undefined; readonly apiVersion?: string | undefined }): boolean {
  return value.kind === "Table" && (value.apiVersion?.startsWith("meta.k8s.io/") ?? false);
}
