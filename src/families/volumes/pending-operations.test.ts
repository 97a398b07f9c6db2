import { expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { testClock } from "#base/testing.ts";
import { PendingOperations } from "./pending-operations.ts";

const fail = () => Promise.reject(new Error("no"));

async function withOperations(
  body: (operations: PendingOperations, pass: (ms: number) => Promise<void>) => Promise<void>,
) {
  const clock = testClock();
  const operations = new PendingOperations(clock, noLog);
  const controller = new AbortController();
  const life = operations.run(controller.signal);
  await body(operations, (ms) => clock.advance(ms));
  controller.abort();
  await life.catch(() => undefined);
}

it("runs one operation of a name at a time", () =>
  withOperations(async (operations, pass) => {
    let end = (): void => undefined;
    const first = new Promise<void>((resolve) => (end = resolve));
    expect(operations.start("a", () => first)).toBe(true);
    expect(operations.start("a", fail)).toBe(false);
    expect(operations.start("b", () => Promise.resolve())).toBe(true);
    end();
    await pass(0);
    expect(operations.start("a", () => Promise.resolve())).toBe(true);
  }));

it("refuses a name after a failure, twice as long each time, up to 122 s", () =>
  withOperations(async (operations, pass) => {
    for (const waitMs of [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000]) {
      expect(operations.start("a", fail)).toBe(true);
      await pass(waitMs);
      expect(operations.start("a", fail)).toBe(false);
      await pass(1);
    }
    expect(operations.start("a", () => Promise.resolve())).toBe(true);
    await pass(0);
    expect(operations.start("a", fail)).toBe(true);
    await pass(501);
    expect(operations.start("a", fail)).toBe(true);
  }));

it("ends its operations with its life", async () => {
  const operations = new PendingOperations(testClock(), noLog);
  const controller = new AbortController();
  const life = operations.run(controller.signal);
  const ended = new Promise<string>((resolve) => {
    operations.start("a", (signal) => {
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          resolve("aborted");
          reject(new Error("wrapped"));
        });
      });
    });
  });
  controller.abort();
  await life.catch(() => undefined);
  expect(await ended).toBe("aborted");
  expect(operations.start("b", fail)).toBe(false);
});
