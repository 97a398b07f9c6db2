// Jobs, as the real server judges them.

import type { JudgeCase } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { get, merge, patch, post } from "../steps.ts";

const container = { name: "main", image: "busybox" };
const template = { spec: { restartPolicy: "Never", containers: [container] } };
const indexed = { completionMode: "Indexed", completions: 4, parallelism: 4, template };
const start = "2026-01-02T03:04:05Z";
const end = "2026-01-02T03:05:05Z";
const condition = (type: string, status = "True"): object => ({ type, status, reason: "Shown", message: "m" });
const failurePolicy = (rule: object): object => ({ template, podFailurePolicy: { rules: [rule] } });

const jobs: KindRow = {
  label: "Job",
  apiVersion: "batch/v1",
  kind: "Job",
  resource: "jobs",
  minimal: { spec: { suspend: true, template } },
  full: {
    spec: {
      ...indexed,
      suspend: true,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 2,
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 60,
      managedBy: "example.com/other",
      podFailurePolicy: {
        rules: [
          { action: "FailIndex", onExitCodes: { operator: "In", values: [3, 4] } },
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
        ],
      },
      successPolicy: { rules: [{ succeededIndexes: "0,2-3", succeededCount: 1 }] },
    },
  },
  invalid: [
    { spec: {} },
    { spec: { template: { spec: { containers: [container] } } } },
    { spec: { template: { spec: { restartPolicy: "Sometimes", containers: [container] } } } },
    { spec: { template, parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1 } },
    { spec: { template, completionMode: "Some" } },
    { spec: { template, completionMode: "Indexed" } },
    { spec: { ...indexed, maxFailedIndexes: 5 } },
    { spec: { ...indexed, parallelism: 100_001 } },
    { spec: { ...indexed, completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1 } },
    { spec: { template, backoffLimitPerIndex: 1, maxFailedIndexes: 1 } },
    { spec: { template, managedBy: "none" } },
    { spec: { template, managedBy: "Example.com/a b" } },
    { spec: failurePolicy({ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }) },
    { spec: failurePolicy({ action: "Stop", onExitCodes: { operator: "Is", containerName: "b", values: [] } }) },
    { spec: failurePolicy({ action: "Count", onExitCodes: { operator: "In", values: [0, 2, 2, 1] } }) },
    { spec: failurePolicy({ action: "Count" }) },
    { spec: failurePolicy({ action: "Count", onPodConditions: [{ type: "a b", status: "Maybe" }] }) },
    { spec: { template, successPolicy: { rules: [{ succeededCount: 1 }] } } },
    { spec: { ...indexed, successPolicy: { rules: [] } } },
    { spec: { ...indexed, successPolicy: { rules: [{}, { succeededIndexes: "0-9", succeededCount: 9 }] } } },
    { spec: { ...indexed, successPolicy: { rules: [{ succeededIndexes: "2,1" }, { succeededIndexes: "a" }] } } },
    { spec: { template, podReplacementPolicy: "Never" } },
    { spec: { template, selector: { matchLabels: { a: "b" } } } },
    { spec: { template: { ...template, metadata: { labels: { "job-name": "b" } } } } },
    { spec: { template, manualSelector: true } },
    { spec: { template, manualSelector: true, selector: { matchLabels: { a: "b" } } } },
  ],
  updates: [
    { spec: { parallelism: 3, backoffLimit: 2 } },
    { spec: { completions: 2 } },
    { spec: { completionMode: "Indexed" } },
    { spec: { selector: { matchLabels: { a: "b" } } } },
    { spec: { managedBy: "example.com/other" } },
    { spec: { template: { spec: { nodeSelector: { disk: "ssd" }, containers: [container] } } } },
    { spec: { template: { spec: { containers: [{ ...container, image: "alpine" }] } } } },
    { spec: { suspend: false } },
    { spec: { template: { spec: { nodeSelector: { disk: "hdd" }, containers: [container] } } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { active: 2, ready: 1, startTime: start, conditions: [condition("Suspended")] },
    { active: 1, ready: 2 },
    { succeeded: -1, uncountedTerminatedPods: { succeeded: ["a", "a"], failed: [""] } },
    { active: 0, ready: 0, failed: 2, uncountedTerminatedPods: { failed: ["p1", "p2"] } },
    { failed: 1, completedIndexes: "0", failedIndexes: "1" },
    { conditions: [condition("Complete")], completionTime: end },
    { conditions: [condition("Failed"), condition("FailureTarget")] },
    { conditions: [condition("FailureTarget")] },
    { conditions: [condition("FailureTarget", "False")] },
    { conditions: [condition("FailureTarget"), condition("SuccessCriteriaMet")] },
    { conditions: [condition("FailureTarget"), condition("Failed")], uncountedTerminatedPods: null, terminating: 1 },
    { conditions: [condition("FailureTarget"), condition("Failed")], uncountedTerminatedPods: null, terminating: 0 },
    { startTime: end },
  ],
  patches: {
    merge: { spec: { parallelism: 2 } },
    json: [{ op: "replace", path: "/spec/backoffLimit", value: 1 }],
    strategic: {
      spec: { template: { spec: { containers: [{ name: "main", resources: { limits: { cpu: "1" } } }] } } },
    },
  },
  otherContent: { spec: { suspend: true, backoffLimit: 3, template } },
};

const JOBS = "/apis/batch/v1/namespaces/$ns/jobs";
const job = (name: string, spec: object): object => ({ metadata: { name }, spec: { template, ...spec } });
const labelled = (labels: object): object => ({ template: { ...template, metadata: { labels } } });
const image = (name: string): object => ({
  spec: { template: { spec: { nodeSelector: { disk: name }, containers: [container] } } },
});
const written = (status: object): object => ({ status: { startTime: start, ...status } });

export const jobCases: readonly JudgeCase[] = [
  ...casesOf(jobs),
  {
    name: "machinery/7.4.r7 Job: selector, labels and defaults are given unless the selector is the user's",
    steps: [
      post(JOBS, job("a", {})),
      post(JOBS, job("b", { manualSelector: true, selector: { matchLabels: { a: "b" } }, ...labelled({ a: "b" }) })),
      post(JOBS, job("c", { completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 })),
      post(JOBS, job("d", { completions: 3 })),
      post(JOBS, job("e", { podFailurePolicy: { rules: [] } })),
      post(JOBS, job("f", labelled({ "batch.kubernetes.io/job-name": "other" }))),
      get(JOBS),
    ],
  },
  {
    name: "machinery/7.4.r7 Job: a status that contradicts itself or the past is refused",
    steps: [
      post(JOBS, job("a", { completions: 2 })),
      ...[
        { conditions: [condition("Complete")] },
        { conditions: [condition("SuccessCriteriaMet"), condition("Complete")] },
        { active: 1, ready: 2 },
        { failed: 2 },
        { failed: 1 },
        { conditions: [condition("SuccessCriteriaMet")], succeeded: 2 },
        { conditions: [condition("SuccessCriteriaMet"), condition("Complete")], succeeded: 2, active: 1 },
        {
          conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
          succeeded: 2,
          active: 0,
          completionTime: end,
        },
        { conditions: [condition("SuccessCriteriaMet")] },
        { completionTime: null },
        { succeeded: 1 },
        { startTime: end },
      ].map((status) => patch(`${JOBS}/a/status`, merge, written(status))),
      get(`${JOBS}/a/status`),
    ],
  },
  {
    name: "machinery/7.4.r7 Job: the template changes only while the Job is suspended",
    steps: [
      post(JOBS, job("a", { suspend: true })),
      patch(`${JOBS}/a`, merge, image("one")),
      patch(`${JOBS}/a`, merge, { spec: { suspend: false } }),
      patch(`${JOBS}/a`, merge, image("two")),
      patch(`${JOBS}/a`, merge, { spec: { suspend: true } }),
      patch(`${JOBS}/a/status`, merge, { status: { startTime: start } }),
      patch(`${JOBS}/a`, merge, image("three")),
      patch(`${JOBS}/a/status`, merge, { status: { startTime: null, conditions: [condition("Suspended")] } }),
      patch(`${JOBS}/a`, merge, image("four")),
    ],
  },
];
