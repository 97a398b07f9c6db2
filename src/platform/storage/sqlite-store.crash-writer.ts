// The victim of sqlite-store.crash.test.ts: opens the store, says what it found, then writes as fast
// as it can and says each write once it is acknowledged, until it is killed.

import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { systemClock } from "../system/system-clock.ts";
import { openSqliteJournal } from "./sqlite-store.ts";

const [path = "", round = "0"] = process.argv.slice(2);
const storage = new MemoryStorage({ clock: systemClock, journal: openSqliteJournal({ path, synchronous: "normal" }) });
const table = storage.table("things");
process.stdout.write(`open ${storage.revision} ${table.size}\n`);
const filler = "x".repeat(2_000);
for (let i = 0; ; i++) {
  const key = `ns/${round}-${i}`;
  const written = table.create(key, (revision) => ({
    metadata: { name: key, resourceVersion: String(revision), annotations: { filler } },
  }));
  if (written === undefined) throw new Error(`${key} exists`);
  // A synchronous write to a pipe: what the parent has read was acknowledged before the kill.
  process.stdout.write(`${written.revision} ${key}\n`);
  if (i % 7 === 3) {
    const gone = table.delete(written, (revision) => ({ metadata: { name: key, resourceVersion: String(revision) } }));
    process.stdout.write(`${gone?.revision} -${key}\n`);
  }
  if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
}
