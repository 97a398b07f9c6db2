import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteJournal } from "#platform/storage/sqlite-store.ts";
import { playEmbedded, traceOf } from "./embedded-suite.ts";
import { killedAfter, outages } from "./outages.ts";

const controllers = ["replicaset-controller"];

describe("an API server that is killed and restarted, on the embedded server", () => {
  playEmbedded(controllers, outages);
});

describe("wherever the kill strikes and however long it lasts: no surplus pod, no error loop", () => {
  // The batches of a scale-up are 1, 2, 4, 8, 16 and 19 pods.
  const pods = [1, 2, 7, 15, 20, 49];
  const awayMs = [0, 100, 4000, 20_000];
  const all = pods.flatMap((count) =>
    awayMs.flatMap((ms) => [false, true].map((forgetsHistory) => killedAfter(count, ms, forgetsHistory))),
  );
  playEmbedded(controllers, all);
});

describe("an API server over an SQLite file", () => {
  const directory = mkdtempSync(join(tmpdir(), "outages-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("is killed and restarted with the trace that it has over a disk in memory", async () => {
    const scenario = killedAfter(20, 4000, true);
    const path = join(directory, "store.db");
    const openJournal = () => openSqliteJournal({ path, synchronous: "normal" });
    expect(await traceOf({ controllers, openJournal }, scenario)).toEqual(await traceOf({ controllers }, scenario));
  });
});
