// What the Job controller asks of the API server, counts, and does while answers fail and caches lag.

import { afterEach, describe, expect, it } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Events, Pods } from "#api/generated/resources/core-v1.ts";
import type { JobSpec } from "#api/generated/types/batch-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { StreamValve } from "#sim/stream-valve.ts";
import { type EmbeddedStage, embeddedStage } from "../embedded-stage.ts";
import { FaultyNetwork } from "../faulty-network.ts";
import { barePod, listPods, setPodStatus, untilPods } from "../pod-steps.ts";
import { EVERY_TIME, refusal } from "../replica-objects.ts";
import { createObject, untilFound } from "../steps.ts";

let stage: EmbeddedStage;
let network: FaultyNetwork;
let metrics: MetricRegistry;
let jobStreams: StreamValve;
afterEach(async () => {
  network.pass();
  jobStreams.open();
  await stage.stop();
});

async function open(gates: Readonly<Record<string, boolean>> = {}): Promise<void> {
  network = new FaultyNetwork();
  metrics = new MetricRegistry({ version: "1.36.4" });
  jobStreams = new StreamValve();
  stage = await embeddedStage({
    controllers: ["job-controller"],
    gates,
    metrics,
    network: (transport) => network.over(jobStreams.over(transport, ({ path }) => path === "/apis/batch/v1/jobs")),
  });
}

const spec = { containers: [{ name: "main", image: "example/web:1" }], restartPolicy: "Never" };
const labels = { app: "web" };
const manual = { manualSelector: true, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };

const createJob = (more: Partial<JobSpec> = {}): Promise<unknown> =>
  createObject(stage, Jobs, { metadata: { name: "sum" }, spec: { template: { spec }, ...more } });

/** Everything that was asked, without events: "PUT jobs/sum/status". */
const asked = (): string[] =>
  network.requests
    .map(({ method, path }) => `${method} ${path.replace(/^\/apis?\/(batch\/)?v1\//, "")}`)
    .filter((line) => line.includes("namespaces/scenario/") && !line.endsWith("/events"))
    .map((line) => line.replace("namespaces/scenario/", ""));

const nameOf = ({ metadata }: Pod): string => metadata?.name ?? "";
const ends = (pod: Pod, phase: "Succeeded" | "Failed" = "Succeeded"): Promise<void> =>
  setPodStatus(stage, nameOf(pod), {
    phase,
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: formatTime(stage.now() - 3_600_000) }],
  });

const isFinished = (): Promise<unknown> =>
  untilFound(stage, Jobs, "sum", ({ status }) => (status?.conditions ?? []).length >= 2);

/** The samples of the controller's counters by what follows the name's start. */
const samples = (): string[] =>
  metrics
    .render()
    .split("\n")
    .filter((line) => /^job_controller_/.test(line) && !/_(bucket|sum|count)\b/.test(line))
    .map((line) => line.replace("job_controller_", ""));

describe("the requests of the Job controller", () => {
  it("job/watches, job/about watches Jobs and pods, and nothing else unless WorkloadWithJob is on", async () => {
    await open();
    await createJob();
    await untilPods(stage, (pods) => pods.length === 1);
    const watches = stage.world.log.requests.filter(({ target }) => /[?&]watch=/.test(target));
    expect(watches.map(({ target, who }) => `${who} ${target.split("?")[0]}`).sort()).toEqual([
      "shared-informers /api/v1/pods",
      "shared-informers /apis/batch/v1/jobs",
    ]);
  });

  it("job/reads-live, job/writes, job/5 reads the Job once before it adopts, and never a pod", async () => {
    await open();
    for (const name of ["first", "second"]) {
      await createObject(stage, Pods, { ...barePod(name), spec });
    }
    await stage.pass(1000);
    await createJob({ ...manual, parallelism: 2 });
    await untilFound(stage, Jobs, "sum", ({ status }) => status?.active === 2);
    expect(asked().slice(0, 4)).toEqual([
      "GET jobs/sum",
      "PATCH pods/first",
      "PATCH pods/second",
      "PUT jobs/sum/status",
    ]);
    for (const pod of await listPods(stage)) await ends(pod);
    await isFinished();
    expect(asked().filter((line) => line.startsWith("GET"))).toEqual(["GET jobs/sum"]);
  });

  it("job/constants, job/13 creates at most 500 pods in one sync", async () => {
    await open();
    await createJob({ parallelism: 501, completions: 501 });
    await untilPods(stage, (pods) => pods.length === 501);
    const lines = asked();
    expect(lines.indexOf("PUT jobs/sum/status")).toBe(500);
    expect(lines.lastIndexOf("POST pods")).toBeGreaterThan(500);
  });

  it("job/traps, job/20 finalizers that were not removed are tried again, and no pod is counted twice", async () => {
    await open();
    await createJob({ parallelism: 2, completions: 2 });
    const pods = await untilPods(stage, (all) => all.length === 2);
    network.refuse(
      ({ method, path }) => method === "PATCH" && path.endsWith(nameOf(pods[0] ?? {})),
      refusal(500, "x"),
      2,
    );
    for (const pod of pods) await ends(pod);
    await isFinished();
    const job = await untilFound(stage, Jobs, "sum");
    expect([job.status?.succeeded, job.status?.failed ?? 0]).toEqual([2, 0]);
  });

  it("job/20 a status that is refused for a while loses no pod", async () => {
    await open();
    await createJob({ parallelism: 2, completions: 2 });
    const pods = await untilPods(stage, (all) => all.length === 2);
    await stage.pass(2000);
    network.refuse("PUT jobs", refusal(500, "InternalError"), 3);
    for (const pod of pods) await ends(pod);
    await isFinished();
    expect((await untilFound(stage, Jobs, "sum")).status?.succeeded).toBe(2);
  });

  it("job/10 an end waits until every active pod could be deleted", async () => {
    await open();
    await createJob({ parallelism: 2, backoffLimit: 0 });
    const [first] = await untilPods(stage, (all) => all.length === 2);
    await stage.pass(2000);
    network.refuse("DELETE pods", refusal(403, "Forbidden"), EVERY_TIME);
    await ends(first ?? {}, "Failed");
    await stage.pass(5000);
    expect((await untilFound(stage, Jobs, "sum")).status?.conditions).toBeUndefined();
    network.pass();
    await isFinished();
    expect((await untilFound(stage, Jobs, "sum")).status?.failed).toBe(2);
  });

  for (const isOn of [true, false]) {
    it(`job/about, workloads/S25, workloads/S30 StaleControllerConsistencyJob ${isOn}: a sync on a stale Job ${isOn ? "is skipped" : "is refused"}`, async () => {
      await open({ StaleControllerConsistencyJob: isOn });
      await createJob({ parallelism: 2, completions: 2 });
      const [first, second] = await untilPods(stage, (all) => all.length === 2);
      await stage.pass(3000);
      jobStreams.close();
      await ends(first ?? {});
      await stage.pass(3000);
      await ends(second ?? {});
      await stage.pass(3000);
      const conflicts = stage.world.log.writes.filter(({ code }) => code === 409).length;
      const skips = samples().filter((line) =>
        line.startsWith('stale_sync_skips_total{group="batch",resource="jobs"}'),
      );
      expect([conflicts > 0, skips.length]).toEqual(isOn ? [false, 1] : [true, 0]);
      jobStreams.open();
      await isFinished();
      expect((await untilFound(stage, Jobs, "sum")).status?.succeeded).toBe(2);
    });
  }

  it("job/events TooManySucceededPods warns of more successes than completions", async () => {
    await open();
    for (const name of ["first", "second"]) {
      await createObject(stage, Pods, { ...barePod(name), spec });
      await ends({ metadata: { name } });
    }
    await stage.pass(1000);
    await createJob({ ...manual, completions: 1 });
    await isFinished();
    const events = await stage.until(async (client, signal) => {
      const { items } = await client.resource(Events).list({ namespace: stage.namespace }, signal);
      return items.some(({ reason }) => reason === "TooManySucceededPods") ? items : undefined;
    });
    expect(events.map(({ message }) => message)).toContain(
      "Too many succeeded pods running after completion count reached",
    );
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
    const [zero, one] = await untilPods(stage, (all) => all.length === 2);
    const finishedAt = formatTime(stage.now());
    const terminated = { exitCode: 1, startedAt: finishedAt, finishedAt };
    const status = { name: "main", image: "", imageID: "", ready: false, restartCount: 0, state: { terminated } };
    await setPodStatus(stage, nameOf(zero ?? {}), { phase: "Failed", containerStatuses: [status] });
    await ends(one ?? {});
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
    expect(metrics.render()).toMatch(
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
