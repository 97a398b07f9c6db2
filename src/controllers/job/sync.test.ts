import { expect, it } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { JobSpec, JobStatus } from "#api/generated/types/batch-v1.ts";
import { stored } from "#api/testing.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { WrittenVersions } from "#kit/consistency.ts";
import { Expectations } from "#kit/expectations.ts";
import { done } from "#kit/worker-loop.ts";
import { AwaitedRemovals } from "./finalizers.ts";
import type { Deps, Job } from "./model.ts";
import { syncJob } from "./sync.ts";

const KEY = "ns/sum";

function memory(job?: { readonly spec?: Partial<JobSpec>; readonly status?: JobStatus }): Deps & { events: string[] } {
  const jobs = new IndexedStore<Job>();
  if (job !== undefined) {
    const { spec, status } = job;
    const metadata = { name: "sum", namespace: "ns", uid: "u1" };
    jobs.set(KEY, stored(Jobs, { metadata, spec: { template: {}, ...spec }, ...(status ? { status } : {}) }));
  }
  const events: string[] = [];
  const deps = {
    events,
    jobs: { lister: createLister(jobs, Jobs) },
    expectations: new Expectations(testClock()),
    consistency: new WrittenVersions([{ resource: Jobs, lastStoreSyncResourceVersion: "5" }]),
    awaitedRemovals: new AwaitedRemovals(),
    backoffs: new Map([[KEY, { failures: 2, lastFailureMs: 0 }]]),
    finished: new Set(["u1"]),
    recorder: { event: (_: unknown, ...words: readonly string[]) => events.push(words.join(" ")) },
  } as unknown as Deps & { events: string[] };
  deps.expectations.expectCreations(KEY, 3);
  deps.awaitedRemovals.expect(KEY, ["p1"]);
  return deps;
}

it("job/3 forgets everything that it remembered of a Job that is gone", async () => {
  const deps = memory();
  expect(await syncJob(KEY, deps, neverAborted())).toBe(done);
  expect(deps.expectations.areMet(KEY)).toBe(true);
  expect([deps.awaitedRemovals.of(KEY).size, deps.backoffs.size]).toEqual([0, 0]);
});

it("job/3 forgets the back-off of a finished Job, and that it finished it", async () => {
  const deps = memory({ status: { conditions: [{ type: "Complete", status: "True" }] } });
  expect(await syncJob(KEY, deps, neverAborted())).toBe(done);
  expect([deps.backoffs.size, deps.finished.size]).toEqual([0, 0]);
});

it("job/3 skips a Job that it finished and that the cache shows unfinished", async () => {
  const deps = memory({});
  expect(await syncJob(KEY, deps, neverAborted())).toBe(done);
  expect(deps.finished.has("u1")).toBe(true);
});

it("job/3, job/events warns about an unknown completion mode", async () => {
  const deps = memory({ spec: { completionMode: "Sometimes" } });
  deps.finished.clear();
  expect(await syncJob(KEY, deps, neverAborted())).toBe(done);
  expect(deps.events).toEqual(["Warning UnknownCompletionMode Skipped Job sync because completion mode is unknown"]);
});
