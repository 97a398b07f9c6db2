// Repeated kill -9 under write load on one file: no acknowledged write is lost, and no revision is used twice.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { systemClock } from "../system/system-clock.ts";
import { openSqliteJournal } from "./sqlite-store.ts";

/** CRASH_ROUNDS=20 for the long run. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 4);
const directory = mkdtempSync(join(tmpdir(), "crash-"));
const writer = new URL("./sqlite-store.crash-writer.ts", import.meta.url).pathname;

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a writer until it has printed enough lines, kills it, and returns the lines. */
async function runUntilKilled(path: string, round: number, linesMin: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, path, String(round)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    text += chunk;
    if (!child.killed && text.split("\n").length > linesMin) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.on("close", resolve));
  // The last line may be incomplete.
  return text.split("\n").slice(0, -1);
}

describe("sqlite journal under kill -9", () => {
  it(`keeps every acknowledged write through ${ROUNDS} kills`, async () => {
    const path = join(directory, "store.db");
    const live = new Set<string>();
    const revisions = new Set<number>();
    let highest = 1;
    for (let round = 0; round < ROUNDS; round++) {
      const [opened = "", ...lines] = await runUntilKilled(path, round, 200 + round * 37);
      const [, revision, size] = opened.split(" ");
      expect(Number(revision)).toBeGreaterThanOrEqual(highest);
      expect(Number(size)).toBeGreaterThanOrEqual(live.size - 1);
      for (const line of lines) {
        const [written = "", key = ""] = line.split(" ");
        expect(revisions.has(Number(written))).toBe(false);
        revisions.add(Number(written));
        highest = Math.max(highest, Number(written));
        if (key.startsWith("-")) live.delete(key.slice(1));
        else live.add(key);
      }
      const storage = new MemoryStorage({
        clock: systemClock,
        journal: openSqliteJournal({ path, synchronous: "normal" }),
      });
      const table = storage.table("things");
      expect(storage.revision).toBeGreaterThanOrEqual(highest);
      const lost = [...live].filter((key) => table.get(key) === undefined);
      // One delete, the last, may have happened without being acknowledged.
      expect(lost.length).toBeLessThanOrEqual(1);
      for (const key of lost) live.delete(key);
      highest = storage.revision;
      storage.close();
    }
    expect(live.size).toBeGreaterThan(ROUNDS * 50);
  }, 120_000);
});
