//go:build overlay

// Writes the results of upstream's job controller for texts of indexes, success and failure policies, and back-off.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strings"
	"time"

	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steersman/tools/upstream/pkg/controller/job"
)

type row []any

var random = rand.New(rand.NewSource(1))

// text is a text of indexes: mostly well-formed, sometimes not.
func text(completions int) string {
	parts := []string{}
	for at := random.Intn(3); at < completions; {
		length := random.Intn(4)
		if length == 0 {
			parts = append(parts, fmt.Sprint(at))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", at, at+length))
		}
		at += length + 1 + random.Intn(4)
	}
	return strings.Join(parts, ",")
}

func ascending(count, most int) []int {
	out := []int{}
	for range count {
		out = append(out, random.Intn(most))
	}
	sort.Ints(out)
	distinct := []int{}
	for i, index := range out {
		if i == 0 || index != out[i-1] {
			distinct = append(distinct, index)
		}
	}
	return distinct
}

var oddTexts = []string{"", "0", "0-0", "3-1", "1-2-3", "a", "1,a", "1,,2", "-1", "1-", " 1", "0,1,2", "5,4", "1-3,2-6", "0-100", "7,9-8"}

func indexes() (parsed, merged []row) {
	asked := []int{0, 1, 2, 3, 5, 9, 20, 29}
	texts := append([]string{}, oddTexts...)
	for range 60 {
		texts = append(texts, text(5+random.Intn(25)))
	}
	for _, each := range texts {
		completions := []int{3, 8, 30}[random.Intn(3)]
		out, total, has := job.Indexes(each, completions, asked)
		parsed = append(parsed, row{each, completions, out, total, has})
		more := ascending(random.Intn(6), completions)
		merged = append(merged, row{each, completions, more, job.WithIndexes(each, completions, more)})
	}
	return parsed, merged
}

func successPolicies() (rows []row) {
	for range 80 {
		completions := int32(3 + random.Intn(12))
		policy := &batch.SuccessPolicy{}
		for range 1 + random.Intn(3) {
			rule := batch.SuccessPolicyRule{}
			if random.Intn(4) > 0 {
				given := text(int(completions))
				if random.Intn(8) == 0 {
					given = oddTexts[random.Intn(len(oddTexts))]
				}
				rule.SucceededIndexes = &given
			}
			if count := int32(1 + random.Intn(5)); rule.SucceededIndexes == nil || random.Intn(2) == 0 {
				rule.SucceededCount = &count
			}
			policy.Rules = append(policy.Rules, rule)
		}
		succeeded := text(int(completions))
		message, isMet := job.SuccessPolicy(policy, completions, succeeded)
		rows = append(rows, row{policy, completions, succeeded, message, isMet})
	}
	return rows
}

func failurePolicies() (rows []row) {
	containers := []string{"main", "side", "init"}
	actions := []batch.PodFailurePolicyAction{"Ignore", "FailJob", "Count", "FailIndex", "Unknown"}
	for range 120 {
		policy := &batch.PodFailurePolicy{}
		for range 1 + random.Intn(3) {
			rule := batch.PodFailurePolicyRule{Action: actions[random.Intn(len(actions))]}
			if random.Intn(2) == 0 {
				codes := &batch.PodFailurePolicyOnExitCodesRequirement{Operator: "In", Values: []int32{1, int32(random.Intn(4))}}
				if random.Intn(2) == 0 {
					codes.Operator = "NotIn"
				}
				if random.Intn(2) == 0 {
					codes.ContainerName = &containers[random.Intn(len(containers))]
				}
				rule.OnExitCodes = codes
			} else {
				rule.OnPodConditions = []batch.PodFailurePolicyOnPodConditionsPattern{{Type: "DisruptionTarget", Status: "True"}}
			}
			policy.Rules = append(policy.Rules, rule)
		}
		pod := &v1.Pod{}
		pod.Namespace, pod.Name = "default", "web-0"
		if random.Intn(3) == 0 {
			pod.Status.Conditions = []v1.PodCondition{{Type: "DisruptionTarget", Status: "True"}}
		}
		status := func(name string) v1.ContainerStatus {
			out := v1.ContainerStatus{Name: name}
			if random.Intn(4) > 0 {
				out.State.Terminated = &v1.ContainerStateTerminated{ExitCode: int32(random.Intn(4))}
			}
			return out
		}
		pod.Status.ContainerStatuses = []v1.ContainerStatus{status("main"), status("side")}
		pod.Status.InitContainerStatuses = []v1.ContainerStatus{status("init")}
		message, counts, action := job.FailurePolicy(policy, pod)
		rows = append(rows, row{policy, pod, message, counts, action})
	}
	return rows
}

func backoffs() (rows []row) {
	for _, failures := range []int32{0, 1, 2, 3, 6, 7, 8, 31, 64} {
		for _, since := range []time.Duration{0, 9 * time.Second, 10 * time.Second, 11 * time.Second, 10 * time.Minute, time.Hour} {
			left := job.Backoff(failures, since, 10*time.Second, 10*time.Minute)
			rows = append(rows, row{failures, since.Milliseconds(), left.Milliseconds()})
		}
	}
	return rows
}

func at(second int) metav1.Time {
	return metav1.NewTime(time.Unix(1767225600+int64(second), 0).UTC())
}

// finished is a pod that ended in one of the ways in which the end time is known.
func finished(phase v1.PodPhase) *v1.Pod {
	pod := &v1.Pod{}
	pod.CreationTimestamp = at(random.Intn(50))
	pod.Status.Phase = phase
	ended := func(name string) v1.ContainerStatus {
		status := v1.ContainerStatus{Name: name}
		if random.Intn(6) > 0 {
			status.State.Terminated = &v1.ContainerStateTerminated{FinishedAt: at(random.Intn(100))}
		}
		return status
	}
	if random.Intn(3) > 0 {
		pod.Status.ContainerStatuses = []v1.ContainerStatus{ended("main"), ended("side")}
		always := v1.ContainerRestartPolicyAlways
		pod.Spec.InitContainers = []v1.Container{{Name: "init"}, {Name: "sidecar", RestartPolicy: &always}}
		pod.Status.InitContainerStatuses = []v1.ContainerStatus{ended("init"), ended("sidecar")}
	}
	if random.Intn(2) == 0 {
		pod.Status.Conditions = []v1.PodCondition{{Type: "Ready", Status: "False", LastTransitionTime: at(random.Intn(100))}}
	}
	if random.Intn(3) == 0 {
		deleted, grace := at(random.Intn(100)), int64(random.Intn(40))
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deleted, &grace
	}
	return pod
}

func failures() (rows []row) {
	several := func(phase v1.PodPhase) []*v1.Pod {
		pods := []*v1.Pod{}
		for range random.Intn(4) {
			pods = append(pods, finished(phase))
		}
		return pods
	}
	for range 60 {
		before := int32(random.Intn(3))
		var last *time.Time
		if before > 0 {
			time := at(random.Intn(50)).Time
			last = &time
		}
		succeeded, failed := several(v1.PodSucceeded), several(v1.PodFailed)
		given := []any{append([]*v1.Pod{}, succeeded...), append([]*v1.Pod{}, failed...)}
		count, when := job.Failures(before, last, succeeded, failed)
		rows = append(rows, row{before, last, given[0], given[1], count, when})
	}
	return rows
}

// active is a pod with all fields that the order of removal depends on.
func active(number, completions int) *v1.Pod {
	pod := &v1.Pod{}
	pod.Name = fmt.Sprint("p", number)
	pod.CreationTimestamp = at(number * 5 % 7)
	pod.Annotations = map[string]string{}
	if random.Intn(6) > 0 {
		pod.Annotations[batch.JobCompletionIndexAnnotation] = fmt.Sprint(random.Intn(completions + 2))
	}
	if random.Intn(2) == 0 {
		pod.Spec.NodeName = "node"
	}
	pod.Status.Phase = []v1.PodPhase{v1.PodPending, v1.PodRunning}[random.Intn(2)]
	if random.Intn(2) == 0 {
		pod.Status.Conditions = []v1.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: at(random.Intn(2))}}
	}
	pod.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", RestartCount: int32(random.Intn(2))}}
	return pod
}

func removals() (removed, pending []row) {
	for range 90 {
		completions := int32(1 + random.Intn(6))
		owner := &batch.Job{}
		mode := batch.NonIndexedCompletion
		if random.Intn(2) == 0 {
			mode = batch.IndexedCompletion
		}
		owner.Spec.CompletionMode, owner.Spec.Completions = &mode, &completions
		pods := []*v1.Pod{}
		for i := range 1 + random.Intn(6) {
			pods = append(pods, active(i, int(completions)))
		}
		given, atLeast := append([]*v1.Pod{}, pods...), random.Intn(len(pods)+1)
		names := job.Removed(owner, pods, atLeast)
		removed = append(removed, row{mode, completions, given, atLeast, names})
		succeeded, failed, count := text(int(completions)), text(int(completions)), random.Intn(6)
		free := job.Pending(owner, given, succeeded, failed, count)
		indexes := []string{}
		for _, pod := range given {
			indexes = append(indexes, pod.Annotations[batch.JobCompletionIndexAnnotation])
		}
		pending = append(pending, row{completions, indexes, succeeded, failed, count, free})
	}
	return removed, pending
}

func main() {
	parsed, merged := indexes()
	successes, failed, backoff := successPolicies(), failurePolicies(), backoffs()
	removed, pending := removals()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string][]row{
		"indexes": parsed, "merged": merged, "successPolicies": successes, "failurePolicies": failed,
		"backoffMs": backoff, "failures": failures(), "removed": removed, "pending": pending,
	}); err != nil {
		panic(err)
	}
}
