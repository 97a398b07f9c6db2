// Compares the queue with a very simple model over random histories.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neverAborted, testClock } from "#base/testing.ts";
import { itemExponentialLimiter } from "./rate-limiters.ts";
import { createRateLimitingQueue } from "./rate-limiting-queue.ts";

type Step =
  | { kind: "add" | "done" | "forget" | "addRateLimited"; key: string }
  | { kind: "addAfter"; key: string; ms: number }
  | { kind: "advance"; ms: number }
  | { kind: "get" }
  | { kind: "giveUp" }
  | { kind: "shutDown" };

/** Plain arrays, searched from front to back. */
class Model {
  queued: string[] = [];
  dirty: string[] = [];
  processing: string[] = [];
  delayed: { key: string; at: number }[] = [];
  failures: string[] = [];
  waiting: number[] = [];
  results: (string | undefined)[] = [];
  isShutDown = false;
  now = 0;

  add(key: string): void {
    if (this.isShutDown || this.dirty.includes(key)) return;
    this.dirty.push(key);
    if (!this.processing.includes(key)) this.enqueue(key);
  }

  enqueue(key: string): void {
    this.queued.push(key);
    this.serve();
  }

  serve(): void {
    while (this.waiting.length > 0 && (this.queued.length > 0 || this.isShutDown)) {
      const key = this.queued.shift();
      this.results[this.waiting.shift() as number] = key ?? "shut down";
      if (key === undefined) continue;
      this.processing.push(key);
      this.dirty = this.dirty.filter((other) => other !== key);
    }
  }

  done(key: string): void {
    this.processing = this.processing.filter((other) => other !== key);
    if (this.dirty.includes(key)) this.enqueue(key);
  }

  addAfter(key: string, ms: number): void {
    if (this.isShutDown) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const known = this.delayed.find((entry) => entry.key === key);
    if (known === undefined) this.delayed.push({ key, at: this.now + ms });
    else known.at = Math.min(known.at, this.now + ms);
  }

  addRateLimited(key: string): void {
    const before = this.failures.filter((other) => other === key).length;
    this.failures.push(key);
    this.addAfter(key, Math.min(5 * 2 ** before, 40));
  }

  advance(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const due = this.delayed.filter((entry) => entry.at <= until);
      if (due.length === 0) break;
      const at = Math.min(...due.map((entry) => entry.at));
      const entry = due.find((candidate) => candidate.at === at) as { key: string; at: number };
      this.delayed = this.delayed.filter((other) => other !== entry);
      this.now = at;
      this.add(entry.key);
    }
    this.now = until;
  }

  shutDown(): void {
    this.isShutDown = true;
    this.delayed = [];
    this.serve();
  }
}

const key = fc.constantFrom("a", "b", "c", "d");
const ms = fc.integer({ min: -1, max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("add" as const), key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("get" as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("done" as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("addAfter" as const), key, ms }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("addRateLimited" as const, "forget" as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("giveUp" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("shutDown" as const) }) },
);

describe("the queue and its model", () => {
  it("machinery/5.6.1 agree on every history of adds, gets, delays, failures and shutdowns", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        const clock = testClock(0);
        const queue = createRateLimitingQueue<string>({
          clock,
          limiter: itemExponentialLimiter({ baseMs: 5, maxMs: 40 }),
        });
        const model = new Model();
        const results: (string | undefined)[] = [];
        const controllers: AbortController[] = [];
        for (const each of steps) {
          if (each.kind === "get") {
            const index = controllers.length;
            const controller = new AbortController();
            controllers.push(controller);
            results.push(undefined);
            queue.get(controller.signal).then(
              (got) => {
                results[index] = got ?? "shut down";
              },
              () => {
                results[index] = "gave up";
              },
            );
            model.results.push(undefined);
            model.waiting.push(index);
            model.serve();
          } else if (each.kind === "giveUp") {
            const index = model.waiting.pop();
            if (index === undefined) continue;
            controllers[index]?.abort();
            model.results[index] = "gave up";
          } else if (each.kind === "advance") {
            model.advance(each.ms);
            await clock.advance(each.ms);
          } else if (each.kind === "shutDown") {
            model.shutDown();
            queue.shutDown();
          } else if (each.kind === "forget") {
            model.failures = model.failures.filter((other) => other !== each.key);
            queue.forget(each.key);
          } else if (each.kind === "addAfter") {
            model.addAfter(each.key, each.ms);
            queue.addAfter(each.key, each.ms);
          } else if (each.kind === "addRateLimited") {
            model.addRateLimited(each.key);
            queue.addRateLimited(each.key);
          } else if (each.kind === "add" || model.processing.includes(each.key)) {
            model[each.kind](each.key);
            queue[each.kind](each.key);
          }
          await clock.settle();
          expect(results).toEqual(model.results);
          expect(queue.length()).toBe(model.queued.length);
          expect(queue.isShuttingDown()).toBe(model.isShutDown);
          for (const name of ["a", "b", "c", "d"]) {
            expect(queue.numRequeues(name)).toBe(model.failures.filter((other) => other === name).length);
          }
        }
        expect(clock.pendingCount).toBe(model.delayed.length > 0 ? 1 : 0);
      }),
      { numRuns: 300, seed: 20260101 },
    );
  }, 30_000);

  it("machinery/5.6.1 many workers under random delays: each key's work is exclusive and ends after its last add", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, fc.nat({ max: 50 })), { minLength: 1, maxLength: 80, size: "max" }),
        async (adds) => {
          const clock = testClock(0);
          const queue = createRateLimitingQueue<string>({ clock });
          const active = new Set<string>();
          const startedAt = new Map<string, number>();
          const worker = async (pause: number): Promise<void> => {
            for (;;) {
              const got = await queue.get(neverAborted());
              if (got === undefined) return;
              expect(active.has(got)).toBe(false);
              active.add(got);
              startedAt.set(got, clock.now());
              await clock.sleep(pause, neverAborted());
              active.delete(got);
              queue.done(got);
            }
          };
          const workers = [3, 7, 1].map(worker);
          const addedAt = new Map<string, number>();
          for (const [name, delay] of adds) {
            await clock.advance(delay);
            addedAt.set(name, clock.now());
            queue.add(name);
          }
          await clock.run("idle");
          for (const [name, at] of addedAt) expect(startedAt.get(name)).toBeGreaterThanOrEqual(at);
          queue.shutDown();
          await Promise.all(workers);
        },
      ),
      { numRuns: 100, seed: 20260102 },
    );
  }, 30_000);
});
