// Parts of Jobs and CronJobs for fuzzed requests.

import type { Place } from "./fuzz-kinds.ts";

const GROUP = "/apis/batch/v1/namespaces/$ns";
const apiVersion = "batch/v1";

const container = { name: "c", image: "busybox" };
const template = { spec: { restartPolicy: "Never", containers: [container] } };
const [start, end] = ["2026-01-02T03:04:05Z", "2026-01-02T03:05:05Z"];
const are = (...types: readonly string[]): readonly object[] => types.map((type) => ({ type, status: "True" }));

export const batchPlaces: readonly Place[] = [
  {
    label: "jobs",
    collection: `${GROUP}/jobs`,
    apiVersion,
    kind: "Job",
    minimal: { spec: { suspend: true, template } },
    options: [
      { "/spec/completions": 3, "/spec/parallelism": 3, "/spec/completionMode": "Indexed" },
      { "/spec/completionMode": "Indexed", "/spec/completions": 2, "/spec/backoffLimitPerIndex": 1 },
      { "/spec/managedBy": "example.com/other" },
      { "/spec/podFailurePolicy": { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [3] } }] } },
      { "/spec/podReplacementPolicy": "Failed", "/spec/ttlSecondsAfterFinished": 60 },
      { "/spec/suspend": false },
    ],
    changes: [
      { "/spec/parallelism": 2 },
      { "/spec/backoffLimit": 2 },
      { "/spec/activeDeadlineSeconds": 600 },
      { "/spec/suspend": false },
      { "/spec/template/spec/nodeSelector": { disk: "ssd" } },
    ],
    wrong: [
      { "/spec/completions": 7 },
      { "/spec/completionMode": "Some" },
      { "/spec/managedBy": "none" },
      { "/spec/maxFailedIndexes": 1 },
      { "/spec/selector": { matchLabels: { a: "b" } } },
      { "/spec/template/spec/restartPolicy": "Always" },
      { "/spec/template/spec/containers": [{ name: "d", image: "busybox" }] },
      { "/spec/podFailurePolicy": { rules: [{ action: "FailIndex" }] } },
      { "/spec/successPolicy": { rules: [{ succeededIndexes: "1,0" }] } },
      { "/spec/parallelism": -1, "/spec/backoffLimit": "x" },
    ],
    status: [
      { "/status/active": 1, "/status/ready": 1 },
      { "/status/startTime": start, "/status/failed": 1 },
      { "/status/uncountedTerminatedPods": { succeeded: ["u1"], failed: ["u2"] } },
      { "/status/conditions": are("FailureTarget") },
    ],
    wrongStatus: [
      { "/status/ready": 5 },
      { "/status/failed": -1 },
      { "/status/completedIndexes": "0,9" },
      { "/status/failedIndexes": "0" },
      { "/status/completionTime": end },
      { "/status/conditions": are("Complete") },
      { "/status/conditions": are("Complete", "Failed", "FailureTarget"), "/status/startTime": end },
      { "/status/uncountedTerminatedPods": { succeeded: ["u1", "u1"], failed: [""] } },
    ],
    strategic: [{ spec: { template: { spec: { containers: [{ name: "c", resources: { limits: { cpu: "1" } } }] } } } }],
    fieldSelectors: ["status.successful=0", "status.successful!=0"],
  },
  {
    label: "cronjobs",
    collection: `${GROUP}/cronjobs`,
    apiVersion,
    kind: "CronJob",
    minimal: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } } },
    options: [
      { "/spec/timeZone": "Europe/Berlin" },
      { "/spec/schedule": "@yearly", "/spec/suspend": true },
      { "/spec/concurrencyPolicy": "Forbid", "/spec/startingDeadlineSeconds": 10 },
      { "/spec/successfulJobsHistoryLimit": 0, "/spec/failedJobsHistoryLimit": 4 },
      { "/spec/jobTemplate/metadata": { labels: { a: "b" } } },
    ],
    changes: [
      { "/spec/schedule": "5 4 * jan-mar sun" },
      { "/spec/suspend": true },
      { "/spec/concurrencyPolicy": "Replace" },
      { "/spec/timeZone": "America/New_York" },
      { "/spec/jobTemplate/spec/backoffLimit": 1 },
    ],
    wrong: [
      { "/spec/schedule": "" },
      { "/spec/schedule": "often" },
      { "/spec/schedule": "TZ=UTC 0 0 * * *" },
      { "/spec/schedule": "0 25 * * *" },
      { "/spec/timeZone": "Mars/Olympus" },
      { "/spec/timeZone": "Local" },
      { "/spec/concurrencyPolicy": "Maybe" },
      { "/spec/startingDeadlineSeconds": -1 },
      { "/spec/jobTemplate/spec/manualSelector": true },
      { "/spec/jobTemplate/spec/completionMode": "Indexed" },
    ],
    status: [{ "/status/lastScheduleTime": start }, { "/status/active": [{ kind: "Job", name: "j", uid: "u" }] }],
    wrongStatus: [{ "/status/lastScheduleTime": "soon" }, { "/status/active": "x" }],
    strategic: [{ spec: { jobTemplate: { spec: { parallelism: 2 } } } }],
  },
];
