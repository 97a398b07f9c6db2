// For tests: checks for each event that the handler's history is possible. Versions never go back, no addition or
// deletion comes twice, and a recreated object is never an update.

import { type ObjectKey, objectKey } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { compareResourceVersions } from "#api/resource-version.ts";
import type { EventHandler } from "#informers/informer.ts";

export class EventModel<T extends StoredObject> implements EventHandler<T> {
  readonly objects: Map<ObjectKey, T> = new Map();
  readonly faults: string[] = [];
  counts: { adds: number; updates: number; deletes: number; repeats: number } = {
    adds: 0,
    updates: 0,
    deletes: 0,
    repeats: 0,
  };

  onAdd(object: T): void {
    const key = objectKey(object);
    const known = this.objects.get(key);
    if (known) this.#fault(`added ${show(object)} while ${show(known)} is there`);
    this.objects.set(key, object);
    this.counts.adds++;
  }

  onUpdate(old: T, object: T): void {
    const key = objectKey(object);
    const known = this.objects.get(key);
    if (known !== old) this.#fault(`updated from ${show(old)} while ${known ? show(known) : "nothing"} is there`);
    if (old.metadata.uid !== object.metadata.uid) this.#fault(`update from ${show(old)} to ${show(object)}`);
    const order = compareResourceVersions(version(object), version(old));
    if (order < 0) this.#fault(`went back from ${show(old)} to ${show(object)}`);
    this.objects.set(key, object);
    if (order === 0) this.counts.repeats++;
    else this.counts.updates++;
  }

  onDelete(object: T): void {
    const key = objectKey(object);
    const known = this.objects.get(key);
    if (!known) this.#fault(`deleted ${show(object)}, which is not there`);
    else if (known.metadata.uid !== object.metadata.uid)
      this.#fault(`deleted ${show(object)} but ${show(known)} is there`);
    else if (compareResourceVersions(version(object), version(known)) < 0) {
      this.#fault(`deleted ${show(object)}, older than ${show(known)}`);
    }
    this.objects.delete(key);
    this.counts.deletes++;
  }

  #fault(text: string): void {
    this.faults.push(text);
  }
}

function version(object: StoredObject): string {
  return object.metadata.resourceVersion;
}

function show(object: StoredObject): string {
  return `${objectKey(object)} ${object.metadata.uid} at ${version(object)}`;
}
