//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package job

import (
	"time"

	"github.com/go-logr/logr"
	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock/testing"
)

// Indexes parses a text of indexes like upstream and returns its canonical form, the count, and which of the requested
// indexes it contains.
func Indexes(text string, completions int, asked []int) (string, int, []bool) {
	parsed := parseIndexesFromString(logr.Discard(), text, completions)
	has := []bool{}
	for _, index := range asked {
		has = append(has, parsed.has(index))
	}
	return parsed.String(), parsed.total(), has
}

// WithIndexes adds indexes in ascending order to a text of indexes.
func WithIndexes(text string, completions int, more []int) string {
	return parseIndexesFromString(logr.Discard(), text, completions).withOrderedIndexes(more).String()
}

// SuccessPolicy returns the message of the rule that the succeeded indexes satisfy.
func SuccessPolicy(policy *batch.SuccessPolicy, completions int32, succeeded string) (string, bool) {
	indexes := parseIndexesFromString(logr.Discard(), succeeded, int(completions))
	return matchSuccessPolicy(logr.Discard(), policy, completions, indexes)
}

// FailurePolicy returns the message for the job, whether the failure counts, and the action of the rule that matches
// the pod.
func FailurePolicy(policy *batch.PodFailurePolicy, pod *v1.Pod) (*string, bool, *batch.PodFailurePolicyAction) {
	return matchPodFailurePolicy(policy, pod)
}

// Backoff returns how long to wait for the next pod, at the given time after the last failure.
func Backoff(failures int32, since, first, most time.Duration) time.Duration {
	last := time.Unix(0, 0)
	return getRemainingTimeForFailuresCount(testing.NewFakeClock(last.Add(since)), first, most, failures, &last)
}

// Failures returns the number of failures since the last success and the time of the last one, after these pods
// finished.
func Failures(before int32, last *time.Time, succeeded, failed []*v1.Pod) (int32, *time.Time) {
	store := newBackoffStore()
	if before > 0 {
		_ = store.updateBackoffRecord(backoffRecord{key: "job", failuresAfterLastSuccess: before, lastFailureTime: last})
	}
	record := store.newBackoffRecord("job", succeeded, failed)
	return record.failuresAfterLastSuccess, record.lastFailureTime
}

// Removed returns the names of the pods that are removed first, at least the given number.
func Removed(job *batch.Job, pods []*v1.Pod, atLeast int) []string {
	names := []string{}
	for _, pod := range activePodsForRemoval(job, pods, atLeast) {
		names = append(names, pod.Name)
	}
	return names
}

// Pending returns the first free indexes.
func Pending(job *batch.Job, active []*v1.Pod, succeeded, failed string, count int) []int {
	completions := int(*job.Spec.Completions)
	failedIndexes := parseIndexesFromString(logr.Discard(), failed, completions)
	return firstPendingIndexes(&syncJobCtx{
		job:              job,
		pods:             active,
		activePods:       active,
		succeededIndexes: parseIndexesFromString(logr.Discard(), succeeded, completions),
		failedIndexes:    &failedIndexes,
	}, count, completions)
}
