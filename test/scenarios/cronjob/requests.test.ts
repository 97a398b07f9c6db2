// The requests and metrics of the CronJob controller.

import { afterEach, describe, expect, it } from "vitest";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { refusal } from "#test/stage/faulty-network.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

let stage: WireStage;
afterEach(() => stage.stop());

async function open(): Promise<void> {
  stage = await openWire({ controllers: ["cronjob-controller"] });
}

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example/web:1" }] } };
const createCronJob = (): Promise<unknown> =>
  stage.of(CronJobs).create({
    metadata: { name: "tick" },
    spec: { schedule: "*/10 * * * *", jobTemplate: { spec: { template } } },
  });

const untilStarted = (count: number): Promise<unknown> =>
  stage.of(CronJobs).until("tick", ({ status }) => status?.active?.length === count);

describe("the requests of the CronJob controller", () => {
  it("cronjob/watches, cronjob/about watches CronJobs and Jobs", async () => {
    await open();
    expect(stage.watches()).toEqual([
      "shared-informers /apis/batch/v1/cronjobs",
      "shared-informers /apis/batch/v1/jobs",
    ]);
  });

  it("cronjob/writes, cronjob/reads-live, cronjob/9 creates a Job and puts one status at each time of the schedule", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    expect(stage.asked()).toEqual([]);
    await stage.pass(20 * 60_000);
    await untilStarted(2);
    const writes = stage.asked().filter((line) => !line.startsWith("GET"));
    expect(writes).toEqual(["POST jobs", "PUT cronjobs/tick/status", "POST jobs", "PUT cronjobs/tick/status"]);
    expect(stage.asked().filter((line) => line.startsWith("GET"))).toEqual([]);
  });

  it("cronjob/reads-live a Job that the cache shows before the status that names it needs no read", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    stage.hold(CronJobs);
    await stage.pass(10 * 60_000);
    await untilStarted(1);
    const [job] = await stage.of(Jobs).list();
    await stage.of(Jobs).patch(job?.metadata.name ?? "", { metadata: { labels: { seen: "again" } } });
    await stage.pass(1000);
    expect(stage.asked().filter((line) => line.startsWith("GET"))).toEqual([]);
    stage.release(CronJobs);
    await stage.pass(1000);
    await untilStarted(1);
  });

  it("cronjob/traps, cronjob/13 a Job whose status write was lost is noted by the next sync", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    stage.network.refuse("PUT cronjobs", refusal(500, "InternalError"), 2);
    await stage.pass(10 * 60_000);
    await untilStarted(1);
    expect((await stage.of(Jobs).list()).map(({ metadata }) => metadata.name)).toHaveLength(1);
    expect(stage.asked()).toContain("GET cronjobs/tick");
    expect(stage.asked().filter((line) => line.startsWith("GET jobs/tick-")).length).toBeGreaterThan(0);
  });

  it("cronjob/9, cronjob/6 nothing is started while it is suspended, and only the last missed time afterwards", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    await stage.of(CronJobs).patch("tick", { spec: { suspend: true } });
    await stage.pass(35 * 60_000);
    expect((await stage.of(Jobs).list()).map(({ metadata }) => metadata.name)).toEqual([]);
    await stage.of(CronJobs).patch("tick", { spec: { suspend: false } });
    await untilStarted(1);
    const half = Math.floor(stage.now() / 600_000) * 10;
    expect((await stage.of(Jobs).list()).map(({ metadata }) => metadata.name)).toEqual([`tick-${half}`]);
  });

  it("cronjob/metrics measures how late Jobs are created", async () => {
    await open();
    await createCronJob();
    await stage.pass(11 * 60_000);
    await untilStarted(1);
    const lines = stage.metrics.render().split("\n");
    expect(lines).toContain("# TYPE cronjob_controller_job_creation_skew_duration_seconds histogram");
    expect(lines).toContain('cronjob_controller_job_creation_skew_duration_seconds_bucket{le="1"} 1');
    expect(lines).toContain('cronjob_controller_job_creation_skew_duration_seconds_bucket{le="512"} 1');
    expect(lines).toContain("cronjob_controller_job_creation_skew_duration_seconds_count 1");
  });
});
