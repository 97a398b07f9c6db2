// The store: all state is in memory as frozen objects, with a version chain per key and a log per table. Together they
// answer reads and watches at any revision of the retained history. With a Journal it is also durable. History expires
// by time and by the number of events per table, and sooner when the journal is full.

import type { KubeObject } from "#api/object.ts";
import { assert } from "#base/assert.ts";
import type { Clock } from "#base/clock.ts";
import type { Journal } from "./journal.ts";
import { SortedRecords } from "./sorted-records.ts";
import {
  type BuildObject,
  type ListQuery,
  type Storage,
  type StorageKey,
  StorageWriteFailed,
  type StoredVersion,
  type Table,
} from "./storage.ts";

export interface MemoryStorageOptions {
  readonly clock: Clock;
  readonly journal?: Journal;
  /** How long history is kept; upstream's etcd compaction keeps five to ten minutes. */
  readonly historyMs?: number;
  /** The most events that a table keeps: this bounds the memory of replaced versions. */
  readonly historyEventsMax?: number;
  /**
   * For tests: lists are frozen too. JavaScriptCore then keeps them as sparse maps, which are four times slower to
   * read.
   */
  readonly freezesLists?: boolean;
}

const DEFAULT_HISTORY_MS = 5 * 60_000;
const DEFAULT_HISTORY_EVENTS_MAX = 20_000;
/** The granularity of expiry. */
const AGE_STEP_MS = 15_000;
/** etcd's first write has revision 2. */
const FIRST_REVISION = 1;

interface Version extends StoredVersion {
  previous: Version | undefined;
}

/** A key and its newest version; it stays while a deletion is part of the history. */
interface KeyRecord {
  readonly key: StorageKey;
  latest: Version;
}

export class MemoryStorage implements Storage {
  onListenerError: ((error: unknown) => void) | undefined;
  readonly #clock: Clock;
  readonly #journal: Journal | undefined;
  readonly #historyMs: number;
  readonly #historyEventsMax: number;
  readonly #freezesLists: boolean;
  readonly #tables = new Map<string, MemoryTable>();
  /** The last revision at each time: ascending, at most one entry per AGE_STEP_MS. */
  readonly #ages: { readonly atMs: number; readonly revision: number }[] = [];
  /** Revisions that the journal may forget but has not forgotten yet. */
  #superseded: number[] = [];
  #revision = FIRST_REVISION;
  /** The compacted revision of all tables, including those not open yet. */
  #compaction = 0;

  constructor(options: MemoryStorageOptions) {
    this.#clock = options.clock;
    this.#journal = options.journal;
    this.#historyMs = options.historyMs ?? DEFAULT_HISTORY_MS;
    this.#historyEventsMax = options.historyEventsMax ?? DEFAULT_HISTORY_EVENTS_MAX;
    this.#freezesLists = options.freezesLists ?? false;
    if (options.journal !== undefined) this.#load(options.journal);
  }

  get revision(): number {
    return this.#revision;
  }

  table(resource: string): MemoryTable {
    let table = this.#tables.get(resource);
    if (table === undefined) {
      table = new MemoryTable({
        makeVersion: (key, build, previous, isDeletion) =>
          this.#makeVersion(resource, key, build, previous, isDeletion),
        makeRoom: () => this.#makeRoom(),
        reportListenerError: (error) => this.onListenerError?.(error),
        makeDeletionInPlace: (key, build, previous) => this.#makeDeletionInPlace(key, build, previous),
        afterWrite: (written) => this.#age(written),
      });
      table.compactedRevision = this.#compaction;
      this.#tables.set(resource, table);
    }
    return table;
  }

  compact(revision: number): void {
    this.#compactAll(Math.min(revision, this.#revision));
  }

  close(): void {
    this.#journal?.close();
  }

  #load(journal: Journal): void {
    const state = journal.load();
    this.#compaction = state.compactedRevision;
    for (const entry of state.entries) {
      const object = deepFreeze(entry.object, this.#freezesLists);
      this.table(entry.resource).restore(entry.key, entry.revision, object, entry.isDeletion);
    }
    this.#revision = Math.max(FIRST_REVISION, state.revision);
  }

  #makeVersion(
    resource: string,
    key: StorageKey,
    build: BuildObject,
    previous: Version | undefined,
    isDeletion: boolean,
  ): Version {
    const revision = this.#revision + 1;
    const object = deepFreeze(build(revision), this.#freezesLists);
    this.#journal?.append({ revision, resource, key, object, isDeletion });
    this.#revision = revision;
    return { key, revision, object, isDeletion, previous, renderings: undefined };
  }

  /** A deletion that needs no room: the journal forgets the object instead of recording its deletion. */
  #makeDeletionInPlace(key: StorageKey, build: BuildObject, previous: Version): Version {
    const revision = this.#revision + 1;
    const object = deepFreeze(build(revision), this.#freezesLists);
    this.#journal?.compact(revision, [...this.#superseded, previous.revision]);
    this.#superseded = [];
    this.#revision = revision;
    return { key, revision, object, isDeletion: true, previous, renderings: undefined };
  }

  /** The journal is full: drops the expired history, or else all of it. False when that frees nothing. */
  #makeRoom(): boolean {
    const expired = this.#expiredRevision();
    if (expired !== undefined && this.#compactAll(expired)) return true;
    return this.#compactAll(this.#revision);
  }

  /** History expires on writes: an idle store has no timer. */
  #age(table: MemoryTable): void {
    const now = this.#clock.now();
    const newest = this.#ages[this.#ages.length - 1];
    if (newest === undefined || now - newest.atMs >= AGE_STEP_MS) {
      this.#ages.push({ atMs: now, revision: this.#revision - 1 });
      const expired = this.#expiredRevision();
      if (expired !== undefined) this.#compactAll(expired);
    }
    if (table.historyLength >= this.#historyEventsMax) this.#compactTable(table);
  }

  /** The revision up to which history has expired. */
  #expiredRevision(): number | undefined {
    const limitMs = this.#clock.now() - this.#historyMs;
    let expired: number | undefined;
    for (let [oldest] = this.#ages; oldest !== undefined && oldest.atMs <= limitMs; [oldest] = this.#ages) {
      expired = oldest.revision;
      this.#ages.shift();
    }
    return expired;
  }

  #compactAll(revision: number): boolean {
    this.#compaction = Math.max(this.#compaction, revision);
    for (const table of this.#tables.values()) table.compact(revision, this.#superseded);
    return this.#compactJournal(revision);
  }

  /** Drops a quarter at a time, so that a full history costs little per write. */
  #compactTable(table: MemoryTable): void {
    const revision = table.revisionOfEvent(table.historyLength >> 2);
    table.compact(revision, this.#superseded);
    this.#compactJournal(revision);
  }

  /**
   * Returns whether anything was dropped. A full disk must not fail the write that triggered the compaction: the rest
   * is dropped next time.
   */
  #compactJournal(revision: number): boolean {
    const hasSuperseded = this.#superseded.length > 0;
    try {
      this.#journal?.compact(revision, this.#superseded);
      this.#superseded = [];
      return hasSuperseded;
    } catch (error) {
      if (!(error instanceof StorageWriteFailed)) throw error;
      return false;
    }
  }
}

interface TableHost {
  /** Assigns the next revision and makes the write durable. */
  makeVersion(key: StorageKey, build: BuildObject, previous: Version | undefined, isDeletion: boolean): Version;
  /** After a write that failed for lack of room: whether to try again. May drop history of the table. */
  makeRoom(): boolean;
  reportListenerError(error: unknown): void;
  /** For a deletion that still has no room. */
  makeDeletionInPlace(key: StorageKey, build: BuildObject, previous: Version): Version;
  afterWrite(table: MemoryTable): void;
}

class MemoryTable implements Table {
  compactedRevision = 0;
  size = 0;
  readonly #host: TableHost;
  readonly #records = new Map<StorageKey, KeyRecord>();
  readonly #order = new SortedRecords<KeyRecord>();
  /** The records whose latest version is a deletion. */
  readonly #deleted = new SortedRecords<KeyRecord>();
  readonly #listeners = new Set<(version: StoredVersion) => void>();
  /** Versions after compactedRevision, ascending; those before #logStart are dropped. */
  #log: Version[] = [];
  #logStart = 0;

  constructor(host: TableHost) {
    this.#host = host;
  }

  get historyLength(): number {
    return this.#log.length - this.#logStart;
  }

  /** Keys that reads at a retained revision can find. */
  get keyCount(): number {
    return this.#records.size;
  }

  revisionOfEvent(index: number): number {
    return (this.#log[this.#logStart + index] as Version).revision;
  }

  get(key: StorageKey): StoredVersion | undefined {
    const latest = this.#records.get(key)?.latest;
    return latest === undefined || latest.isDeletion ? undefined : latest;
  }

  *scan(query: ListQuery): Generator<StoredVersion> {
    this.#requireHistory(query);
    for (const record of this.#order.from(startOf(query))) {
      if (!record.key.startsWith(query.prefix)) return;
      const version = liveAt(record, query.revision);
      if (version !== undefined) yield version;
    }
  }

  count(query: ListQuery): number {
    this.#requireHistory(query);
    if (query.revision === undefined) {
      const [from, end] = [startOf(query), endOf(query)];
      return Math.max(0, this.#order.countBetween(from, end) - this.#deleted.countBetween(from, end));
    }
    let count = 0;
    this.#order.visit(startOf(query), (record) => {
      if (!record.key.startsWith(query.prefix)) return false;
      if (liveAt(record, query.revision) !== undefined) count++;
      return true;
    });
    return count;
  }

  create(key: StorageKey, build: BuildObject): StoredVersion | undefined {
    const record = this.#records.get(key);
    if (record !== undefined && !record.latest.isDeletion) return undefined;
    return this.#write(key, build, false);
  }

  update(expected: StoredVersion, build: BuildObject): StoredVersion | undefined {
    return this.#replace(expected, build, false);
  }

  delete(expected: StoredVersion, build: BuildObject): StoredVersion | undefined {
    return this.#replace(expected, build, true);
  }

  since(revision: number): readonly StoredVersion[] {
    assert(revision >= this.compactedRevision, "watch below the retained history");
    let low = this.#logStart;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle] as Version).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#log.slice(low);
  }

  subscribe(listener: (version: StoredVersion) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Restores an entry of a journal, in revision order. */
  restore(key: StorageKey, revision: number, object: KubeObject, isDeletion: boolean): void {
    const record = this.#records.get(key);
    this.#append(record, { key, revision, object, isDeletion, previous: record?.latest, renderings: undefined });
  }

  /** Adds the revisions that no read can reach any more to `superseded`. */
  compact(revision: number, superseded: number[]): void {
    if (revision <= this.compactedRevision) return;
    this.compactedRevision = revision;
    let start = this.#logStart;
    for (; start < this.#log.length; start++) {
      const version = this.#log[start] as Version;
      if (version.revision > revision) break;
      this.#forget(version, superseded);
    }
    this.#logStart = start;
    if (start > 64 && start > this.#log.length >> 1) {
      this.#log = this.#log.slice(start);
      this.#logStart = 0;
    }
  }

  #forget(version: Version, superseded: number[]): void {
    version.renderings = undefined;
    if (version.previous !== undefined) {
      superseded.push(version.previous.revision);
      version.previous = undefined;
    }
    if (!version.isDeletion) return;
    const record = this.#records.get(version.key);
    if (record?.latest === version) {
      superseded.push(version.revision);
      this.#records.delete(version.key);
      this.#order.remove(version.key);
      this.#deleted.remove(version.key);
    }
  }

  #requireHistory({ revision }: ListQuery): void {
    assert(revision === undefined || revision >= this.compactedRevision, "list below the retained history");
  }

  #replace(expected: StoredVersion, build: BuildObject, isDeletion: boolean): StoredVersion | undefined {
    const record = this.#records.get(expected.key);
    if (record === undefined || record.latest !== expected || expected.isDeletion) return undefined;
    return this.#write(expected.key, build, isDeletion);
  }

  #write(key: StorageKey, build: BuildObject, isDeletion: boolean): StoredVersion {
    const version = this.#makeVersion(key, build, isDeletion);
    this.#append(this.#records.get(key), version);
    this.#notify(version);
    this.#host.afterWrite(this);
    return version;
  }

  /** The write stays valid, and every listener is called, even if one of them throws. */
  #notify(version: StoredVersion): void {
    for (const listener of this.#listeners) {
      try {
        listener(version);
      } catch (error) {
        this.#host.reportListenerError(error);
      }
    }
  }

  #makeVersion(key: StorageKey, build: BuildObject, isDeletion: boolean): Version {
    for (;;) {
      const latest = this.#records.get(key)?.latest;
      try {
        return this.#host.makeVersion(key, build, latest, isDeletion);
      } catch (error) {
        if (!(error instanceof StorageWriteFailed)) throw error;
        if (this.#host.makeRoom()) continue;
        if (!isDeletion || latest === undefined) throw error;
        return this.#host.makeDeletionInPlace(key, build, latest);
      }
    }
  }

  #append(record: KeyRecord | undefined, version: Version): void {
    if (record === undefined) {
      const added = { key: version.key, latest: version };
      this.#records.set(version.key, added);
      this.#order.insert(added);
      if (version.isDeletion) this.#deleted.insert(added);
    } else {
      if (version.isDeletion !== record.latest.isDeletion) {
        if (version.isDeletion) this.#deleted.insert(record);
        else this.#deleted.remove(record.key);
      }
      record.latest = version;
    }
    if (version.isDeletion) this.size--;
    else if (version.previous === undefined || version.previous.isDeletion) this.size++;
    if (version.revision > this.compactedRevision) this.#log.push(version);
  }
}

function startOf({ prefix, from }: ListQuery): StorageKey {
  return from === undefined || from < prefix ? prefix : from;
}

/** The first key after all keys with the prefix; undefined: there is none. */
function endOf({ prefix }: ListQuery): StorageKey | undefined {
  if (prefix === "") return undefined;
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** The object's version at a revision; undefined when it did not exist. */
function liveAt({ latest }: KeyRecord, revision: number | undefined): Version | undefined {
  let version: Version | undefined = latest;
  if (revision !== undefined) while (version !== undefined && version.revision > revision) version = version.previous;
  return version?.isDeletion ? undefined : version;
}

/** Freezes objects recursively and stops at frozen ones, so that shared parts cost nothing. */
function deepFreeze<T extends object>(value: T, freezesLists: boolean): T {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) freezeChild(value[i], freezesLists);
    return freezesLists ? Object.freeze(value) : value;
  }
  if (Object.isFrozen(value)) return value;
  for (const key in value) freezeChild(value[key], freezesLists);
  return Object.freeze(value);
}

function freezeChild(child: unknown, freezesLists: boolean): void {
  if (typeof child === "object" && child !== null) deepFreeze(child, freezesLists);
}
