package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

func init() {
	add(suite{
		resource: "jobs.batch",
		gvk:      schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"},
		create:   job.Strategy,
		updates:  map[string]update{"": job.Strategy, "status": job.StatusStrategy},
		count:    1600,
	}, `
metadata: {name: j, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec:
  completions: 5
  parallelism: 5
  completionMode: Indexed
  backoffLimitPerIndex: 1
  maxFailedIndexes: 2
  activeDeadlineSeconds: 600
  ttlSecondsAfterFinished: 60
  managedBy: example.com/other
  suspend: true
  manualSelector: false
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u1}}
  successPolicy: {rules: [{succeededIndexes: "0,2-4", succeededCount: 2}, {succeededCount: 3}]}
  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {containerName: c, operator: In, values: [1, 3]}}, {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
  template: {metadata: {labels: {app: web, controller-uid: u1, job-name: j, batch.kubernetes.io/controller-uid: u1, batch.kubernetes.io/job-name: j}, annotations: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox, resources: {limits: {cpu: "1"}}}], initContainers: [{name: i, image: busybox}], nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}}}}
status: {active: 2, ready: 1, terminating: 1, succeeded: 1, failed: 1, completedIndexes: "0,2", failedIndexes: "1", startTime: "2026-01-01T00:00:00Z", uncountedTerminatedPods: {succeeded: [p1], failed: [p2, p3]}, conditions: [{type: Suspended, status: "True", reason: JobSuspended, message: m}]}
---
metadata: {name: j2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  completions: 5
  parallelism: 2
  manualSelector: true
  podReplacementPolicy: Failed
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {restartPolicy: OnFailure, containers: [{name: c, image: busybox}]}}
status: {succeeded: 5, startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T01:00:00Z", conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True"}], uncountedTerminatedPods: {}}
---
metadata: {name: j3, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  parallelism: 20000
  completions: 200000
  completionMode: Indexed
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u1}}
  template: {metadata: {labels: {controller-uid: u1, job-name: j3, batch.kubernetes.io/controller-uid: u1, batch.kubernetes.io/job-name: j3}}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}
status: {failed: 2, active: 3, startTime: "2026-01-01T00:00:00Z", conditions: [{type: FailureTarget, status: "True"}, {type: Failed, status: "False"}]}
---
metadata: {name: j4, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  suspend: true
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u1}}
  template: {metadata: {labels: {controller-uid: u1, job-name: j4, batch.kubernetes.io/controller-uid: u1, batch.kubernetes.io/job-name: j4}}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox}], schedulingGates: [{name: a/b}]}}
`)
	add(suite{
		resource: "cronjobs.batch",
		gvk:      schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"},
		create:   cronjob.Strategy,
		updates:  map[string]update{"": cronjob.Strategy, "status": cronjob.StatusStrategy},
		count:    1800,
	}, `
metadata: {name: c, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec:
  schedule: "*/5 1-3 * jan MON"
  timeZone: Europe/Berlin
  startingDeadlineSeconds: 10
  concurrencyPolicy: Forbid
  suspend: true
  successfulJobsHistoryLimit: 2
  failedJobsHistoryLimit: 0
  jobTemplate: {metadata: {labels: {a: b}}, spec: {completions: 3, parallelism: 2, completionMode: Indexed, backoffLimit: 2, template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}
status: {lastScheduleTime: "2026-01-01T00:00:00Z", lastSuccessfulTime: "2026-01-01T00:00:00Z", active: [{kind: Job, namespace: team-a, name: c-1, uid: x, apiVersion: batch/v1, resourceVersion: "4"}]}
---
metadata: {name: c2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  schedule: "TZ=UTC 0 0 1 * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: busybox}]}}}}
---
metadata: {name: c3, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec:
  schedule: "@hourly"
  timeZone: Etc/UTC
  jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: busybox}]}}}}
`)
}
