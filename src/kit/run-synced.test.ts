import { expect, it } from "vitest";
import { whenAborted } from "#base/abort.ts";
import { noLog } from "#base/log.ts";
import { testClock } from "#base/testing.ts";
import { runSynced, type Syncing } from "./run-synced.ts";

it("waits for all caches before anything runs, and ends with its tasks", async () => {
  const clock = testClock();
  const stop = new AbortController();
  const steps: string[] = [];
  const cache = Promise.withResolvers<void>();
  const waitFor: Syncing[] = [{ synced: () => Promise.resolve() }, { synced: () => cache.promise }];
  const task = async (signal: AbortSignal): Promise<void> => {
    steps.push("begins");
    await whenAborted(signal);
    await clock.sleep(1_000, new AbortController().signal);
    steps.push("ends");
  };
  const log = { ...noLog, info: (message: string) => void steps.push(message) };
  const ended = runSynced({ name: "test", log, waitFor, tasks: [task, task] }, stop.signal);
  await clock.advance(60_000);
  expect(steps).toEqual(["Starting controller", "Waiting for caches to sync"]);
  cache.resolve();
  await clock.settle();
  expect(steps.slice(2)).toEqual(["Caches are synced", "begins", "begins"]);
  stop.abort();
  await clock.advance(1_000);
  await ended;
  expect(steps.slice(5)).toEqual(["ends", "ends", "Shutting down controller"]);
});

it("runs until it is stopped even without tasks", async () => {
  const clock = testClock();
  const stop = new AbortController();
  const steps: string[] = [];
  const log = { ...noLog, info: (message: string) => void steps.push(message) };
  const ended = runSynced({ name: "test", log, waitFor: [], tasks: [] }, stop.signal);
  await clock.settle();
  expect(steps).toEqual(["Starting controller", "Waiting for caches to sync", "Caches are synced"]);
  stop.abort();
  await ended;
  expect(steps.at(-1)).toBe("Shutting down controller");
});

it("runs nothing when it is stopped while it waits, and passes a failure on", async () => {
  const stop = new AbortController();
  const tasks = [(): Promise<void> => Promise.reject(new Error("broken"))];
  const waiting: Syncing = { synced: (signal) => whenAborted(signal).then(() => Promise.reject(signal.reason)) };
  const ended = runSynced({ name: "test", log: noLog, waitFor: [waiting], tasks }, stop.signal);
  stop.abort();
  await ended;
  await expect(runSynced({ name: "test", log: noLog, waitFor: [], tasks }, stop.signal)).rejects.toThrow();
});
