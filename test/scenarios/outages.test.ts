import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteJournal } from "#platform/storage/sqlite-store.ts";
import { openWire, type WireOptions } from "#test/stage/wire-stage.ts";
import { killedAfter, type Outage, outages } from "./outages.ts";

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** Plays the outage once, with its name as the seed; returns one line per request of the manager. */
async function traceOf(outage: Outage, options: Partial<WireOptions> = {}): Promise<readonly string[]> {
  const stage = await openWire({ controllers: ["replicaset-controller"], seed: outage.name, ...options });
  const { world, network, namespace, of, until, now, pass } = stage;
  try {
    await outage.play({
      namespace,
      of,
      until,
      now,
      pass,
      log: () => stage.log(),
      killServerAfterPods: (count) => {
        const written = new Set<string>();
        world.server.killAfterWrite(({ resource, key }) => resource === "pods" && written.add(key).size === count);
      },
      untilKilled: async () => {
        const isKilled = await world.clock.runUntil(() => !world.server.isRunning, 60_000);
        if (!isKilled) throw new Error("the server lives on");
      },
      startServer: async (how) => world.server.start(how),
      loseAnswersToPods: (count) => network.lose("POST pods", count),
      writes: () => stage.asked().flatMap((line) => VERBS[line.split(" ", 1)[0] ?? ""] ?? []),
    });
    // A sync that failed because of a mistake in our code: after a retry it could go unnoticed.
    expect(stage.log()).not.toContain(" stack=");
    return [...world.log.lines];
  } finally {
    await stage.stop();
  }
}

/** Plays each outage twice: the same seed must give the same trace. */
function playAll(all: readonly Outage[]): void {
  for (const outage of all) {
    it(outage.name, async () => {
      const trace = await traceOf(outage);
      expect(trace.length).toBeGreaterThan(2); // the informers' requests at least
      expect(await traceOf(outage)).toEqual(trace);
    });
  }
}

describe("an API server that is killed and restarted, on the embedded server", () => {
  playAll(outages);
});

describe("wherever the kill strikes and however long it lasts: no surplus pod, no error loop", () => {
  // The batches of a scale-up are 1, 2, 4, 8, 16 and 19 pods.
  const pods = [1, 2, 7, 15, 20, 49];
  const awayMs = [0, 100, 4000, 20_000];
  playAll(
    pods.flatMap((count) =>
      awayMs.flatMap((ms) => [false, true].map((forgetsHistory) => killedAfter(count, ms, forgetsHistory))),
    ),
  );
});

describe("an API server over an SQLite file", () => {
  const directory = mkdtempSync(join(tmpdir(), "outages-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("is killed and restarted with the trace that it has over a disk in memory", async () => {
    const outage = killedAfter(20, 4000, true);
    const openJournal = () => openSqliteJournal({ path: join(directory, "store.db"), synchronous: "normal" });
    expect(await traceOf(outage, { openJournal })).toEqual(await traceOf(outage));
  });
});
