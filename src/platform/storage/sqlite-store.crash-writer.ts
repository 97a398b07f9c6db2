// The process that sqlite-store.crash.test.ts kills. It opens the store, prints the entries it found, then writes as
// fast as it can and prints each acknowledged write.

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
  // A synchronous write to a pipe: every line that the parent reads was acknowledged before the kill.
  process.stdout.write(`${written.revision} ${key}\n`);
  if (i % 7 === 3) {
    const gone = table.delete(written, (revision) => ({ metadata: { name: key, resourceVersion: String(revision) } }));
    process.stdout.write(`${gone?.revision} -${key}\n`);
  }
  if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
}
