//go:build overlay

// Writes when upstream's CronJob controller finds a Job due, and the name of that Job.
package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steersman/tools/upstream/pkg/controller/cronjob"
)

type row []any

var random = rand.New(rand.NewSource(1))

var schedules = []string{
	"* * * * *", "*/5 * * * *", "0 * * * *", "30 6-16/4 * * 1-5", "15 2 * * *", "30 2 * * *", "59 23 31 2 *", "0 0 29 2 *",
	"0 0 1 * *", "0 12 * * MON", "@hourly", "@every 90s", "@every 7m", "0 3 13 * 5",
}

var zones = []string{"", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe"}

// Half of the hours are near daylight-saving changes.
func instant() time.Time {
	changes := []string{"2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-04-04T15:00:00Z"}
	if random.Intn(2) == 0 {
		at, _ := time.Parse(time.RFC3339, changes[random.Intn(len(changes))])
		return at.Add(time.Duration(random.Intn(12*3600)-6*3600) * time.Second)
	}
	return time.Unix(1767225600+int64(random.Intn(400*86400)), 0)
}

func main() {
	rows := []row{}
	for range 900 {
		cj := &batchv1.CronJob{}
		cj.Name = "c"
		cj.Spec.Schedule = schedules[random.Intn(len(schedules))]
		if zone := zones[random.Intn(len(zones))]; zone != "" {
			cj.Spec.TimeZone = &zone
		}
		now := instant()
		ago := []int{30, 300, 3600, 86400, 20 * 86400}[random.Intn(5)]
		cj.CreationTimestamp = metav1.NewTime(now.Add(-time.Duration(random.Intn(ago)) * time.Second))
		if random.Intn(2) == 0 {
			last := metav1.NewTime(now.Add(-time.Duration(random.Intn(ago)) * time.Second))
			cj.Status.LastScheduleTime = &last
		}
		if random.Intn(3) == 0 {
			deadline := int64([]int{1, 60, 600, 7200}[random.Intn(4)])
			cj.Spec.StartingDeadlineSeconds = &deadline
		}
		now = now.Add(time.Duration(random.Intn(1000)) * time.Millisecond)
		due, many, problem, wait := cronjob.Due(cj, now)
		last, at, name, annotation := any(nil), any(nil), "", ""
		if cj.Status.LastScheduleTime != nil {
			last = cj.Status.LastScheduleTime.Unix()
		}
		if due != nil {
			job := cronjob.Job(cj, *due)
			at, name, annotation = due.Unix(), job.Name, job.Annotations[batchv1.CronJobScheduledTimestampAnnotation]
		}
		rows = append(rows, row{
			cj.Spec.Schedule, cj.Spec.TimeZone, cj.CreationTimestamp.Unix(), last, cj.Spec.StartingDeadlineSeconds, now.UnixMilli(),
			at, many, problem, wait.Milliseconds(), name, annotation,
		})
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string][]row{"due": rows}); err != nil {
		panic(err)
	}
}
