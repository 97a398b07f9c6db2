import { beforeEach, describe, expect, it } from "vitest";
import { AssertionFailed } from "#base/assert.ts";
import { Aborted, TerminalError } from "#base/errors.ts";
import { type Logger, noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { KeyQueue } from "./key-queue.ts";
import type { SyncOutcome, SyncRecord } from "./trace.ts";
import { backOff, done, requeueAfter, runWorkers, type SyncResult, type WorkerOptions } from "./worker-loop.ts";

let clock: VirtualClock;
let queue: KeyQueue;
let stop: AbortController;
/** The synced keys, each with its time. */
let syncs: string[];
const traced: { record: SyncRecord; outcome: SyncOutcome }[] = [];
const started: AbortSignal[] = [];

beforeEach(() => {
  clock = testClock();
  stop = new AbortController();
  syncs = [];
  traced.length = 0;
  started.length = 0;
  const trace = {
    queued: () => undefined,
    started: (_: SyncRecord, signal: AbortSignal) => void started.push(signal),
    finished: (record: SyncRecord, outcome: SyncOutcome) => void traced.push({ record, outcome }),
  };
  queue = new KeyQueue({ context: { clock, metrics: noMetrics, trace }, controller: "test", name: "" });
});

function start(
  sync: (key: string, signal: AbortSignal) => SyncResult | Promise<SyncResult>,
  more: Partial<WorkerOptions> = {},
): Promise<void> {
  const startMs = clock.monotonicMs();
  return runWorkers(
    {
      queue,
      log: noLog,
      workers: 2,
      sync: async (key, signal) => {
        syncs.push(`${key}@${clock.monotonicMs() - startMs}`);
        return sync(key, signal);
      },
      ...more,
    },
    stop.signal,
  );
}

async function end(ended: Promise<void>): Promise<void> {
  stop.abort();
  await clock.settle();
  await ended;
}

const add = (key: string): void => queue.add(key, { kind: "resync" });

describe("the worker loop", () => {
  it("retries a sync that was aborted from inside", async () => {
    let tries = 0;
    const ended = start(() => {
      if (++tries === 1) throw new Aborted("by an inner deadline");
      return done;
    });
    add("a");
    await clock.advance(5);
    expect(syncs).toEqual(["a@0", "a@5"]);
    await end(ended);
  });

  it.each([
    { what: "a mistake in our code", error: new TypeError("undefined is not an object"), hasStack: true },
    { what: "anything else", error: new Error("conflict"), hasStack: false },
  ])("says where it happened of $what: $hasStack", async ({ error, hasStack }) => {
    const logged: unknown[] = [];
    const log: Logger = { ...noLog, error: (_, __, values) => void logged.push(values?.stack !== undefined) };
    const ended = start(() => Promise.reject(error), { log });
    add("a");
    await clock.advance(1);
    expect(logged).toEqual([hasStack]);
    await end(ended);
  });

  it("machinery/5.6.10 comes back when the sync says so, and after a failure with back-off that a success ends", async () => {
    let failures = 3;
    const ended = start(() => {
      if (failures-- > 0) throw new Error("no");
      return failures === -1 ? requeueAfter(1_000, "later") : done;
    });
    add("a");
    await clock.advance(60_000);
    // 5, 10 and 20 ms of back-off, then the requested second.
    expect(syncs).toEqual(["a@0", "a@5", "a@15", "a@35", "a@1035"]);
    expect(queue.retries("a")).toBe(0);
    expect(traced.map(({ outcome }) => outcome.kind)).toEqual(["failed", "failed", "failed", "requeued", "done"]);
    expect(traced.map(({ record }) => record.causes[0]?.kind)).toEqual(["resync", "retry", "retry", "retry", "timer"]);
    await end(ended);
  });

  it("counts the failures of a key on after a wait that keeps them", async () => {
    let tries = 0;
    const ended = start(() => {
      if (++tries === 3) return requeueAfter(1_000, "later", { keepsFailures: true });
      if (tries < 5) throw new Error("no");
      return done;
    });
    add("a");
    await clock.advance(60_000);
    expect(syncs).toEqual(["a@0", "a@5", "a@15", "a@1015", "a@1035"]);
    expect(queue.retries("a")).toBe(0);
    await end(ended);
  });

  it("backs off without a failure when the sync asks for it", async () => {
    const errors: unknown[] = [];
    let tries = 0;
    const ended = start(() => (++tries < 4 ? backOff("not observed yet") : done), {
      onError: (error) => errors.push(error),
    });
    add("a");
    await clock.advance(60_000);
    expect([syncs, errors]).toEqual([["a@0", "a@5", "a@15", "a@35"], []]);
    expect(traced[0]?.outcome).toEqual({ kind: "backedOff", reason: "not observed yet" });
    expect(queue.retries("a")).toBe(0);
    await end(ended);
  });

  it("logs and traces the text of a key that is no string", async () => {
    const logged: unknown[] = [];
    const log: Logger = { ...noLog, error: (_, __, values) => void logged.push(values?.key) };
    const trace = { queued: () => undefined, started: (record: SyncRecord) => void logged.push(record.key) };
    const context = { clock, metrics: noMetrics, trace: { ...trace, finished: () => undefined } };
    const nodes = new KeyQueue<{ id: number }>({ context, controller: "test", name: "", text: ({ id }) => `#${id}` });
    const synced: number[] = [];
    const sync = async ({ id }: { id: number }): Promise<SyncResult> => {
      synced.push(id);
      throw new TerminalError("never");
    };
    const ended = runWorkers({ queue: nodes, log, workers: 1, sync }, stop.signal);
    nodes.add({ id: 7 }, { kind: "resync" });
    await clock.settle();
    expect([synced, logged]).toEqual([[7], ["#7", "#7"]]);
    await end(ended);
  });

  it("drops a key that can never succeed, or has been tried often enough, until an event brings it back", async () => {
    const errors: unknown[] = [];
    const ended = start(
      (key) => {
        throw key === "hopeless" ? new TerminalError("never") : new Error("no");
      },
      { retriesMax: 2, onError: (error, key) => errors.push(`${key}: ${(error as Error).message}`) },
    );
    add("hopeless");
    add("tried");
    await clock.advance(60_000);
    expect(syncs).toEqual(["hopeless@0", "tried@0", "tried@5", "tried@15"]);
    expect(errors).toEqual(["hopeless: never", "tried: no", "tried: no", "tried: no"]);
    expect(queue.retries("tried")).toBe(0);
    add("hopeless");
    await clock.settle();
    expect(syncs.at(-1)).toBe("hopeless@60000");
    await end(ended);
  });

  it("machinery/5.6.10 syncs several keys at a time, but no key twice at once", async () => {
    const gate = Promise.withResolvers<void>();
    const ended = start(async () => {
      await gate.promise;
      return done;
    });
    for (const key of ["a", "a", "b", "c"]) add(key);
    await clock.settle();
    expect(syncs).toEqual(["a@0", "b@0"]);
    add("a");
    gate.resolve();
    await clock.settle();
    expect(syncs).toEqual(["a@0", "b@0", "c@0", "a@0"]);
    await end(ended);
  });

  it("machinery/5.6.10 ends when its signal aborts: a sync under way is aborted and waited for, and is no failure", async () => {
    const errors: unknown[] = [];
    let isOver = false;
    const ended = start(
      async (_, signal) => {
        try {
          await clock.sleep(60_000, signal);
        } finally {
          isOver = true;
        }
        return done;
      },
      { onError: (error) => errors.push(error) },
    );
    add("a");
    await clock.settle();
    await end(ended);
    expect([isOver, errors]).toEqual([true, []]);
    add("b");
    await clock.settle();
    expect(syncs).toEqual(["a@0"]);
    expect(await queue.take(neverAborted())).toBeUndefined(); // shut down
  });

  it("gives each traced sync a separate signal, which identifies its requests", async () => {
    const signals: AbortSignal[] = [];
    const ended = start((_, signal) => {
      signals.push(signal);
      return done;
    });
    add("a");
    add("b");
    await clock.settle();
    expect(signals).toEqual(started);
    expect(new Set([...signals, stop.signal]).size).toBe(3);
    await end(ended);
  });

  it("does the same without a trace", async () => {
    queue = new KeyQueue({ context: { clock, metrics: noMetrics }, controller: "test", name: "" });
    let tries = 0;
    const ended = start(() => {
      if (++tries === 1) throw new Error("no");
      return requeueAfter(100, "again");
    });
    add("a");
    await clock.advance(110);
    expect([syncs, traced]).toEqual([["a@0", "a@5", "a@105"], []]);
    await end(ended);
  });

  it("ends with a broken invariant: nothing can be trusted after it", async () => {
    const ended = start(() => {
      throw new AssertionFailed("broken");
    });
    const outcome = ended.catch((error: unknown) => error);
    add("a");
    await clock.settle();
    expect(await outcome).toBeInstanceOf(AssertionFailed);
  });
});
