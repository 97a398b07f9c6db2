// The state of a cluster in one process: its store and its PKI, in memory or in a directory.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { type ClusterPki, issuePki, keptPki } from "#platform/certificates/cluster-pki.ts";
import { systemClock } from "#platform/system/system-clock.ts";

/** SQLite's pages have 4 KiB. */
const PAGES_PER_MEBIBYTE = 256;

/** The cluster cannot start, for a reason that the user can fix. */
export class ClusterNotStarted extends Error {
  override readonly name = "ClusterNotStarted";
}

export interface DataOptions {
  readonly directory: string;
  readonly synchronous: "full" | "normal";
  /** The maximum size of the store; 0: no limit. */
  readonly mebibytesMax: number;
}

export interface ClusterState {
  readonly storage: MemoryStorage;
  readonly pki: ClusterPki;
}

/**
 * The store comes first: opening it locks the directory against other processes. Clients check the PKI in real time,
 * whatever the cluster's clock says.
 */
export async function openState(clock: Clock, data: DataOptions | undefined): Promise<ClusterState> {
  if (data === undefined) {
    return { storage: new MemoryStorage({ clock }), pki: await issuePki(systemClock.now()) };
  }
  const { directory, synchronous, mebibytesMax } = data;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new ClusterNotStarted(`cannot use ${directory} as the data directory: ${errorMessage(cause)}`, { cause });
  }
  // Loaded on demand: a cluster in memory does not need it.
  const { openSqliteJournal } = await import("#platform/storage/sqlite-store.ts");
  const journal = openSqliteJournal({
    path: join(directory, "store.db"),
    synchronous,
    ...(mebibytesMax > 0 ? { pagesMax: mebibytesMax * PAGES_PER_MEBIBYTE } : {}),
  });
  try {
    const pki = await keptPki(join(directory, "pki"), systemClock.now());
    return { storage: new MemoryStorage({ clock, journal }), pki };
  } catch (error) {
    journal.close();
    throw error;
  }
}
