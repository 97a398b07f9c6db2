// What the CronJob controller asks of the API server and counts.

import { afterEach, describe, expect, it } from "vitest";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { type EmbeddedStage, embeddedStage } from "../embedded-stage.ts";
import { FaultyNetwork } from "../faulty-network.ts";
import { refusal } from "../replica-objects.ts";
import { createObject, namesIn, patch, untilFound } from "../steps.ts";

let stage: EmbeddedStage;
let network: FaultyNetwork;
let metrics: MetricRegistry;
afterEach(async () => {
  network.pass();
  await stage.stop();
});

async function open(): Promise<void> {
  network = new FaultyNetwork();
  metrics = new MetricRegistry({ version: "1.36.4" });
  stage = await embeddedStage({
    controllers: ["cronjob-controller"],
    metrics,
    network: (transport) => network.over(transport),
  });
}

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example/web:1" }] } };
const createCronJob = (): Promise<unknown> =>
  createObject(stage, CronJobs, {
    metadata: { name: "tick" },
    spec: { schedule: "*/10 * * * *", jobTemplate: { spec: { template } } },
  });

const asked = (): string[] =>
  network.requests
    .map(({ method, path }) => `${method} ${path.replace(/^\/apis?\/(batch\/)?v1\//, "")}`)
    .filter((line) => line.includes("namespaces/scenario/") && !line.endsWith("/events"))
    .map((line) => line.replace("namespaces/scenario/", ""));

const untilStarted = (count: number): Promise<unknown> =>
  untilFound(stage, CronJobs, "tick", ({ status }) => status?.active?.length === count);

describe("the requests of the CronJob controller", () => {
  it("cronjob/watches, cronjob/about watches CronJobs and Jobs", async () => {
    await open();
    const watches = stage.world.log.requests.filter(({ target }) => /[?&]watch=/.test(target));
    expect(watches.map(({ target, who }) => `${who} ${target.split("?")[0]}`).sort()).toEqual([
      "shared-informers /apis/batch/v1/cronjobs",
      "shared-informers /apis/batch/v1/jobs",
    ]);
  });

  it("cronjob/writes, cronjob/reads-live, cronjob/9 creates a Job and puts one status at each time of the schedule", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    expect(asked()).toEqual([]);
    await stage.pass(20 * 60_000);
    await untilStarted(2);
    const writes = asked().filter((line) => !line.startsWith("GET"));
    expect(writes).toEqual(["POST jobs", "PUT cronjobs/tick/status", "POST jobs", "PUT cronjobs/tick/status"]);
    // A Job may be seen before the status that names it: the server is asked then.
    expect(asked().filter((line) => line.startsWith("GET") && line !== "GET cronjobs/tick")).toEqual([]);
  });

  it("cronjob/traps, cronjob/13 a Job whose status write was lost is noted by the next sync", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    network.refuse("PUT cronjobs", refusal(500, "InternalError"), 2);
    await stage.pass(10 * 60_000);
    await untilStarted(1);
    expect(await namesIn(stage, Jobs)).toHaveLength(1);
    expect(asked()).toContain("GET cronjobs/tick");
    expect(asked().filter((line) => line.startsWith("GET jobs/tick-")).length).toBeGreaterThan(0);
  });

  it("cronjob/9, cronjob/6 nothing is started while it is suspended, and only the last missed time afterwards", async () => {
    await open();
    await createCronJob();
    await stage.pass(1000);
    await patch(stage, CronJobs, "tick", { spec: { suspend: true } });
    await stage.pass(35 * 60_000);
    expect(await namesIn(stage, Jobs)).toEqual([]);
    await patch(stage, CronJobs, "tick", { spec: { suspend: false } });
    await untilStarted(1);
    const half = Math.floor(stage.now() / 600_000) * 10;
    expect(await namesIn(stage, Jobs)).toEqual([`tick-${half}`]);
  });

  it("cronjob/metrics measures how late Jobs are created", async () => {
    await open();
    await createCronJob();
    await stage.pass(11 * 60_000);
    await untilStarted(1);
    const lines = metrics.render().split("\n");
    expect(lines).toContain("# TYPE cronjob_controller_job_creation_skew_duration_seconds histogram");
    expect(lines).toContain('cronjob_controller_job_creation_skew_duration_seconds_bucket{le="1"} 1');
    expect(lines).toContain('cronjob_controller_job_creation_skew_duration_seconds_bucket{le="512"} 1');
    expect(lines).toContain("cronjob_controller_job_creation_skew_duration_seconds_count 1");
  });
});
