// CronJobs, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const jobTemplate = {
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
};
const jobOf = (spec: object): object => ({ spec: { ...jobTemplate.spec, ...spec } });

export const cronJobs: KindRow = {
  label: "CronJob",
  apiVersion: "batch/v1",
  kind: "CronJob",
  resource: "cronjobs",
  minimal: { spec: { schedule: "0 0 1 1 *", jobTemplate } },
  full: {
    spec: {
      schedule: "*/15 8-17 * jan-mar MON,fri",
      timeZone: "Europe/Berlin",
      startingDeadlineSeconds: 30,
      concurrencyPolicy: "Replace",
      suspend: true,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 2,
      jobTemplate: { metadata: { labels: { a: "b" } }, ...jobTemplate },
    },
  },
  invalid: [
    { spec: {} },
    { spec: { schedule: "", jobTemplate } },
    { spec: { schedule: "often", jobTemplate } },
    { spec: { schedule: "61 * * * *", jobTemplate } },
    { spec: { schedule: "@sometimes", jobTemplate } },
    { spec: { schedule: "@every x", jobTemplate } },
    { spec: { schedule: "TZ=UTC 0 * * * *", jobTemplate } },
    { spec: { schedule: "0 * * * *", timeZone: "", jobTemplate } },
    { spec: { schedule: "0 * * * *", timeZone: "Local", jobTemplate } },
    { spec: { schedule: "0 * * * *", timeZone: "Mars/Olympus", jobTemplate } },
    { spec: { schedule: "0 * * * *", timeZone: "../etc", jobTemplate } },
    { spec: { schedule: "0 * * * *", timeZone: "Amerika/New York", jobTemplate } },
    { spec: { schedule: "0 * * * *", concurrencyPolicy: "Maybe", jobTemplate } },
    { spec: { schedule: "0 * * * *", startingDeadlineSeconds: -1, jobTemplate } },
    { spec: { schedule: "0 * * * *", successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1, jobTemplate } },
    { spec: { schedule: "0 * * * *", jobTemplate: jobOf({ manualSelector: true }) } },
    { spec: { schedule: "0 * * * *", jobTemplate: jobOf({ selector: { matchLabels: { a: "b" } } }) } },
    { spec: { schedule: "0 * * * *", jobTemplate: jobOf({ completionMode: "Indexed" }) } },
    { metadata: { name: "n".repeat(53) }, spec: { schedule: "0 * * * *", jobTemplate } },
  ],
  updates: [
    { spec: { schedule: "@yearly", timeZone: "America/New_York" } },
    { spec: { timeZone: "Mars/Olympus" } },
    { spec: { schedule: "CRON_TZ=UTC @yearly" } },
    { spec: { concurrencyPolicy: "Forbid", suspend: true } },
    { spec: { concurrencyPolicy: null } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { lastScheduleTime: "2026-01-02T03:04:05Z" },
    { lastSuccessfulTime: "2026-01-02T03:04:05Z", active: [{ kind: "Job", name: "a-1", uid: "u" }] },
    { active: [] },
  ],
  patches: {
    merge: { spec: { suspend: true } },
    json: [{ op: "replace", path: "/spec/schedule", value: "@monthly" }],
    strategic: { spec: { jobTemplate: { spec: { backoffLimit: 1 } } } },
  },
  otherContent: { spec: { schedule: "0 0 1 2 *", jobTemplate } },
};
