//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package cronjob

import (
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/util/parsers"
)

// Due returns the time of a Job that is due and not created yet, whether too many were missed, the error of an
// impossible schedule, and the wait until the next time.
func Due(cj *batchv1.CronJob, now time.Time) (*time.Time, bool, string, time.Duration) {
	sched, err := parsers.ParseCronScheduleWithPanicRecovery(formatSchedule(cj, nil))
	if err != nil {
		panic(err)
	}
	recorder := record.NewFakeRecorder(1)
	due, err := nextScheduleTime(logr.Discard(), cj, now, sched, recorder)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	return due, len(recorder.Events) > 0, problem, *nextScheduleTimeDuration(cj, now, sched)
}

// Job is the Job of a scheduled time.
func Job(cj *batchv1.CronJob, scheduled time.Time) *batchv1.Job {
	job, err := getJobFromTemplate2(cj, scheduled)
	if err != nil {
		panic(err)
	}
	return job
}
