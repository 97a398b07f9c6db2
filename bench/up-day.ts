// A day of 100 hourly CronJobs with `steersman up --speed`: measures how long it takes and checks that each schedule
// made its Job.
//   bun bench/up-day.ts [program and arguments of `steersman`]      SPEED=5000

import { CronJobs } from "#api/generated/resources/batch-v1.ts";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { startUp, tell } from "./up-process.ts";

const CRON_JOBS = 100;
const DAY_MS = 24 * 3_600_000;
const LIMIT_MS = 600_000;
const signal = new AbortController().signal;
const up = await startUp(["--nodes=3", `--speed=${process.env.SPEED ?? "5000"}`]);

try {
  const client = await up.client();
  const cronJobs = client.resource(CronJobs);
  const restartPolicy = "Never";
  const template = { spec: { restartPolicy, containers: [{ name: "a", image: "a" }] } };
  const beganMs = performance.now();
  for (let i = 0; i < CRON_JOBS; i++) {
    const spec = { schedule: `${i % 60} * * * *`, jobTemplate: { spec: { template } } };
    await cronJobs.create({ object: { metadata: { name: `cron-${i}`, namespace: "default" }, spec } }, signal);
  }
  const created = Date.parse(
    (await cronJobs.get({ namespace: "default", name: "cron-99" }, signal)).metadata.creationTimestamp,
  );
  for (let days = 0; days < 1; ) {
    if (performance.now() - beganMs > LIMIT_MS) throw new Error(`only ${days.toFixed(2)} days have passed`);
    await systemClock.sleep(1_000, signal);
    const { items } = await cronJobs.list({ namespace: "default" }, signal);
    const last = Math.min(...items.map(({ status }) => Date.parse(status?.lastSuccessfulTime ?? "") || created));
    days = (last - created) / DAY_MS;
  }
  const took = (performance.now() - beganMs) / 1000;
  const unhindered = took - up.waitedMs() / 1000;
  const { bytes } = await client.raw({ method: "GET", path: "/metrics" }, signal);
  const page = new TextDecoder().decode(bytes);
  const posts = [...page.matchAll(/^apiserver_request_total\{(.*resource="jobs".*verb="POST".*)\} (\d+)$/gm)];
  const jobs = posts
    .filter(([, labels = ""]) => labels.includes('code="201"'))
    .reduce((sum, [, , n]) => sum + Number(n), 0);
  const { items: nodes } = await client.resource(Nodes).list({}, signal);
  const tainted = nodes.filter(({ spec }) => (spec?.taints ?? []).length > 0).length;
  tell(
    `a day of ${CRON_JOBS} hourly CronJobs took ${took.toFixed(1)} s, ${unhindered.toFixed(1)} s without the wait for a processor, and ${(up.cpuMs() / 1000).toFixed(1)} CPU-s: ${jobs} Jobs, ${tainted} nodes tainted`,
  );
} finally {
  await up.stop();
}
process.exit(0);
