// The requests and metrics of the Job controller, and its behaviour with failed answers and lagging caches.

import { afterEach, describe, expect, it } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { JobSpec } from "#api/generated/types/batch-v1.ts";
import { formatTime } from "#api/time.ts";
import { EVERY_TIME, refusal } from "#test/stage/faulty-network.ts";
import { barePod, type StoredPod, setPodStatus } from "#test/stage/pods.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

let stage: WireStage;
afterEach(() => stage.stop());

async function open(gates: Readonly<Record<string, boolean>> = {}): Promise<void> {
  stage = await openWire({ controllers: ["job-controller"], gates });
}

const spec = { containers: [{ name: "main", image: "example/web:1" }], restartPolicy: "Never" };
const labels = { app: "web" };
const manual = { manualSelector: true, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };

const createJob = (more: Partial<JobSpec> = {}): Promise<unknown> =>
  stage.of(Jobs).create({ metadata: { name: "sum" }, spec: { template: { spec }, ...more } });

const nameOf = (pod: StoredPod | undefined): string => pod?.metadata.name ?? "";
const ends = (name: string, phase: "Succeeded" | "Failed" = "Succeeded"): Promise<unknown> =>
  setPodStatus(stage, name, {
    phase,
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: formatTime(stage.now() - 3_600_000) }],
  });

const isFinished = (): Promise<unknown> =>
  stage.of(Jobs).until("sum", ({ status }) => (status?.conditions ?? []).length >= 2);

/** The samples of the controller's counters, by the rest of their names. */
const samples = (): string[] =>
  stage.metrics
    .render()
    .split("\n")
    .filter((line) => /^job_controller_/.test(line) && !/_(bucket|sum|count)\b/.test(line))
    .map((line) => line.replace("job_controller_", ""));

describe("the requests of the Job controller", () => {
  it("job/watches, job/about watches Jobs and pods, and nothing else unless WorkloadWithJob is on", async () => {
    await open();
    await createJob();
    await stage.of(Pods).untilAll((pods) => pods.length === 1);
    expect(stage.watches()).toEqual(["shared-informers /api/v1/pods", "shared-informers /apis/batch/v1/jobs"]);
  });

  it("job/reads-live, job/writes, job/5 reads the Job once before it adopts, and never a pod", async () => {
    await open();
    for (const name of ["first", "second"]) {
      await stage.of(Pods).create({ ...barePod(name), spec });
    }
    await stage.pass(1000);
    await createJob({ ...manual, parallelism: 2 });
    await stage.of(Jobs).until("sum", ({ status }) => status?.active === 2);
    expect(stage.asked().slice(0, 4)).toEqual([
      "GET jobs/sum",
      "PATCH pods/first",
      "PATCH pods/second",
      "PUT jobs/sum/status",
    ]);
    for (const pod of await stage.of(Pods).list()) await ends(nameOf(pod));
    await isFinished();
    expect(stage.asked().filter((line) => line.startsWith("GET"))).toEqual(["GET jobs/sum"]);
  });

  it("job/constants, job/13 creates at most 500 pods in one sync", async () => {
    await open();
    await createJob({ parallelism: 501, completions: 501 });
    await stage.of(Pods).untilAll((pods) => pods.length === 501);
    const lines = stage.asked();
    expect(lines.indexOf("PUT jobs/sum/status")).toBe(500);
    expect(lines.lastIndexOf("POST pods")).toBeGreaterThan(500);
  });

  it("job/traps, job/20 finalizers that were not removed are tried again, and no pod is counted twice", async () => {
    await open();
    await createJob({ parallelism: 2, completions: 2 });
    const pods = await stage.of(Pods).untilAll((all) => all.length === 2);
    stage.network.refuse(
      ({ method, path }) => method === "PATCH" && path.endsWith(nameOf(pods[0])),
      refusal(500, "x"),
      2,
    );
    for (const pod of pods) await ends(nameOf(pod));
    await isFinished();
    const job = await stage.of(Jobs).until("sum");
    expect([job.status?.succeeded, job.status?.failed ?? 0]).toEqual([2, 0]);
  });

  it("job/20 a status that is refused for a while loses no pod", async () => {
    await open();
    await createJob({ parallelism: 2, completions: 2 });
    const pods = await stage.of(Pods).untilAll((all) => all.length === 2);
    await stage.pass(2000);
    stage.network.refuse("PUT jobs", refusal(500, "InternalError"), 3);
    for (const pod of pods) await ends(nameOf(pod));
    await isFinished();
    expect((await stage.of(Jobs).until("sum")).status?.succeeded).toBe(2);
  });

  it("job/10 an end waits until every active pod could be deleted", async () => {
    await open();
    await createJob({ parallelism: 2, backoffLimit: 0 });
    const [first] = await stage.of(Pods).untilAll((all) => all.length === 2);
    await stage.pass(2000);
    stage.network.refuse("DELETE pods", refusal(403, "Forbidden"), EVERY_TIME);
    await ends(nameOf(first), "Failed");
    await stage.pass(5000);
    expect((await stage.of(Jobs).until("sum")).status?.conditions).toBeUndefined();
    stage.network.pass();
    await isFinished();
    expect((await stage.of(Jobs).until("sum")).status?.failed).toBe(2);
  });

  for (const isOn of [true, false]) {
    it(`job/about, workloads/S25, workloads/S30 StaleControllerConsistencyJob ${isOn}: a sync on a stale Job ${isOn ? "is skipped" : "is refused"}`, async () => {
      await open({ StaleControllerConsistencyJob: isOn });
      await createJob({ parallelism: 2, completions: 2 });
      const [first, second] = await stage.of(Pods).untilAll((all) => all.length === 2);
      await stage.pass(3000);
      stage.hold(Jobs);
      await ends(nameOf(first));
      await stage.pass(3000);
      await ends(nameOf(second));
      await stage.pass(3000);
      const conflicts = stage.world.log.writes.filter(({ code }) => code === 409).length;
      const skips = samples().filter((line) =>
        line.startsWith('stale_sync_skips_total{group="batch",resource="jobs"}'),
      );
      expect([conflicts > 0, skips.length]).toEqual(isOn ? [false, 1] : [true, 0]);
      stage.release(Jobs);
      await isFinished();
      expect((await stage.of(Jobs).until("sum")).status?.succeeded).toBe(2);
    });
  }

  it("job/events TooManySucceededPods warns of more successes than completions", async () => {
    await open();
    for (const name of ["first", "second"]) {
      await stage.of(Pods).create({ ...barePod(name), spec });
      await ends(name);
    }
    await stage.pass(1000);
    await createJob({ ...manual, completions: 1 });
    await isFinished();
    const { message } = await stage.event("TooManySucceededPods");
    expect(message).toBe("Too many succeeded pods running after completion count reached");
  });
});

describe("the metrics of the Job controller", () => {
  it("job/metrics, job/18 counts syncs, pods, indexes, policies and ends", async () => {
    await open();
    const rules = [{ action: "Count", onExitCodes: { operator: "In", values: [1] } }];
    await createJob({
      completionMode: "Indexed",
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 0,
      podFailurePolicy: { rules },
    });
    const [zero, one] = await stage.of(Pods).untilAll((all) => all.length === 2);
    const finishedAt = formatTime(stage.now());
    const terminated = { exitCode: 1, startedAt: finishedAt, finishedAt };
    const status = { name: "main", image: "", imageID: "", ready: false, restartCount: 0, state: { terminated } };
    await setPodStatus(stage, nameOf(zero), { phase: "Failed", containerStatuses: [status] });
    await ends(nameOf(one));
    await isFinished();
    await stage.pass(2000);
    const shown = samples();
    for (const line of [
      'job_pods_creation_total{reason="new",status="succeeded"} 2',
      'job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 1',
      'job_pods_finished_total{completion_mode="Indexed",result="failed"} 1',
      'job_finished_indexes_total{backoffLimit="perIndex",status="succeeded"} 1',
      'job_finished_indexes_total{backoffLimit="perIndex",status="failed"} 1',
      'pod_failures_handled_by_failure_policy_total{action="Count"} 1',
      'jobs_finished_total{completion_mode="Indexed",reason="FailedIndexes",result="failed"} 1',
      'terminated_pods_tracking_finalizer_total{event="add"} 2',
      'terminated_pods_tracking_finalizer_total{event="delete"} 2',
    ]) {
      expect(shown).toContain(line);
    }
    expect(stage.metrics.render()).toMatch(
      /job_controller_job_sync_duration_seconds_count\{action="pods_created",completion_mode="Indexed",result="success"\} 1/,
    );
  });

  it("job/metrics, job/2 counts Jobs of other controllers", async () => {
    await open();
    await createJob({ managedBy: "example.com/other" });
    await stage.pass(2000);
    expect(samples()).toContain('jobs_by_external_controller_total{controller_name="example.com/other"} 1');
  });
});
