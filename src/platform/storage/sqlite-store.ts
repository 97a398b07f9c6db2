// A journal in an SQLite file, in which the API server's objects outlive the process. One table of entries and one row
// of counters, in WAL mode.
//
// Guarantees: an append that returned survives the end of the process (kill -9 included), whatever `synchronous` is.
// With "full", the default, it also survives a power failure, if the disk does what it promises. With "normal" a power
// failure may lose the last appends, but never one in the middle, and the file stays intact. A revision of a surviving
// entry is never used again. One process at a time can open the file; the operating system releases it when that
// process ends in any way. docs/durability.md is the version for users.

import { accessSync, closeSync, constants, openSync } from "node:fs";
import { dirname } from "node:path";
import { getBuiltinModule } from "node:process";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parseExactJson } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import type { Journal, JournalEntry, JournalState } from "#apiserver/storage/journal.ts";
import { StorageWriteFailed } from "#apiserver/storage/storage.ts";
import { errorMessage } from "#base/errors.ts";
import { stringifyJson } from "#base/json.ts";
import { makePrivate } from "./private-file.ts";

export interface SqliteJournalOptions {
  /** Created if missing. */
  readonly path: string;
  readonly synchronous?: "full" | "normal";
  /** Size limit of the file; a write beyond it fails. */
  readonly pagesMax?: number;
}

/** The file cannot be used as a journal: it has another format, is damaged, or may not be opened. */
export class JournalUnusable extends Error {
  override readonly name = "JournalUnusable";
}

/** Increased when the tables change. */
const FORMAT = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    revision INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    key TEXT NOT NULL,
    deletion INTEGER NOT NULL,
    object TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS counters (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    revision INTEGER NOT NULL,
    compacted INTEGER NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO counters VALUES (0, 0, 0);
`;

interface EntryRow {
  readonly revision: number;
  readonly resource: string;
  readonly key: string;
  readonly deletion: number;
  readonly object: string;
}

export function openSqliteJournal(options: SqliteJournalOptions): Journal {
  let database: DatabaseSync;
  try {
    database = openDatabase(options);
  } catch (cause) {
    const { message } = cause as Error;
    const why = message.includes("database is locked") ? "another process is using it" : message;
    throw new JournalUnusable(`cannot use ${options.path} as the store: ${why}`, { cause });
  }
  return new SqliteJournal(database, options.path);
}

function openDatabase({ path, synchronous = "full", pagesMax }: SqliteJournalOptions): DatabaseSync {
  // SQLite would report missing permissions as an I/O error. The file holds secrets, so only its owner may read it.
  accessSync(dirname(path), constants.W_OK);
  closeSync(openSync(path, "a+", 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) makePrivate(file);
  // Not a static import: Node 22 warns that node:sqlite is experimental, which concerns only users of a file.
  const { DatabaseSync } = getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${synchronous === "full" ? "FULL" : "NORMAL"}`);
    if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(pagesMax)}`);
    const { quick_check: health } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    if (health !== "ok") throw new Error(health);
    const { user_version: format } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (format !== 0 && format !== FORMAT) throw new Error(`format ${format} is not known`);
    database.exec(SCHEMA);
    // Also proves that the file is writable before anything depends on it.
    database.exec(`PRAGMA user_version = ${FORMAT}`);
    database.exec("BEGIN IMMEDIATE; UPDATE counters SET revision = revision; COMMIT");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;
  readonly #setCompacted: StatementSync;
  readonly #path: string;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#insert = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?)");
    this.#remove = database.prepare("DELETE FROM entries WHERE revision = ?");
    this.#setCompacted = database.prepare(
      "UPDATE counters SET compacted = max(compacted, ?), revision = max(revision, ?)",
    );
  }

  load(): JournalState {
    const counters = this.#database.prepare("SELECT revision, compacted FROM counters").get() as {
      revision: number;
      compacted: number;
    };
    const last = this.#database.prepare("SELECT coalesce(max(revision), 0) AS revision FROM entries").get() as {
      revision: number;
    };
    return {
      revision: Math.max(counters.revision, last.revision),
      compactedRevision: counters.compacted,
      entries: this.#entries(),
    };
  }

  *#entries(): Generator<JournalEntry> {
    const rows = this.#database.prepare("SELECT * FROM entries ORDER BY revision").iterate() as Iterable<unknown>;
    for (const row of rows as Iterable<EntryRow>) {
      const { revision, resource, key, deletion, object } = row;
      yield { revision, resource, key, isDeletion: deletion !== 0, object: this.#objectIn(row, object) };
    }
  }

  #objectIn({ revision, resource, key }: EntryRow, text: string): KubeObject {
    const fail = (why: string, cause?: unknown): never => {
      const row = `the entry of revision ${revision} (${resource} ${key}) is damaged`;
      throw new JournalUnusable(`cannot use ${this.#path} as the store: ${row}: ${why}`, { cause });
    };
    let object: unknown;
    try {
      object = parseExactJson(text);
    } catch (cause) {
      return fail(errorMessage(cause), cause);
    }
    return isObject(object) && isObject((object as KubeObject).metadata)
      ? (object as KubeObject)
      : fail("it is not an object with metadata");
  }

  append({ revision, resource, key, isDeletion, object }: JournalEntry): void {
    try {
      this.#insert.run(revision, resource, key, isDeletion ? 1 : 0, stringifyJson(object));
    } catch (cause) {
      throw new StorageWriteFailed(`the store refused a write: ${(cause as Error).message}`, { cause });
    }
  }

  /** Keeps the highest revision, even if its entry is removed or never existed. */
  compact(compactedRevision: number, superseded: readonly number[]): void {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      this.#setCompacted.run(
        compactedRevision,
        superseded.reduce((a, b) => Math.max(a, b), compactedRevision),
      );
      for (const revision of superseded) this.#remove.run(revision);
      this.#database.exec("COMMIT");
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw new StorageWriteFailed(`the store refused to be compacted: ${(cause as Error).message}`, { cause });
    }
  }

  close(): void {
    this.#database.close();
  }
}
