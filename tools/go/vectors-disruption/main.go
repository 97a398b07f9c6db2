//go:build overlay

// Writes the results of upstream's disruption controller for budgets and their pods: the new status, and the time of
// the next sync.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"steersman/tools/upstream/pkg/controller/disruption"
)

type vector struct {
	Budget      *policy.PodDisruptionBudget       `json:"budget"`
	Pods        []*v1.Pod                         `json:"pods"`
	ReplicaSets []*apps.ReplicaSet                `json:"replicaSets"`
	Status      *policy.PodDisruptionBudgetStatus `json:"status,omitempty"`
	Recheck     *int64                            `json:"recheck,omitempty"`
	Error       string                            `json:"error,omitempty"`
}

var (
	random = rand.New(rand.NewSource(1))
	now    = time.Unix(1_800_000_000, 0)
	yes    = true
)

func setOf(name string, replicas int32) *apps.ReplicaSet {
	set := &apps.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name + "-uid")}}
	set.Spec.Replicas = &replicas
	return set
}

func podOf(name string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name + "-uid")}}
	switch random.Intn(8) {
	case 0:
	case 1:
		owner := metav1.OwnerReference{APIVersion: "extensions/v1beta1", Kind: "ReplicaSet", Name: "b", UID: "b-uid", Controller: &yes}
		pod.OwnerReferences = append(pod.OwnerReferences, owner)
	default:
		owner := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "a", UID: "a-uid", Controller: &yes}
		pod.OwnerReferences = append(pod.OwnerReferences, owner)
	}
	if random.Intn(5) == 0 {
		pod.DeletionTimestamp = &metav1.Time{Time: now}
	}
	statuses := []v1.ConditionStatus{v1.ConditionTrue, v1.ConditionTrue, v1.ConditionFalse, v1.ConditionUnknown}
	if status := random.Intn(5); status < len(statuses) {
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: statuses[status]}}
	}
	return pod
}

func amount() *intstr.IntOrString {
	values := []intstr.IntOrString{intstr.FromInt32(int32(random.Intn(5))), intstr.FromString(fmt.Sprintf("%d%%", random.Intn(101))), intstr.FromString("30%")}
	if random.Intn(30) == 0 {
		values = []intstr.IntOrString{intstr.FromString("many")}
	}
	return &values[random.Intn(len(values))]
}

func budgetOf(names []string) *policy.PodDisruptionBudget {
	budget := &policy.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", Generation: int64(1 + random.Intn(2))}}
	switch random.Intn(7) {
	case 0:
	case 1, 2, 3:
		budget.Spec.MaxUnavailable = amount()
	default:
		budget.Spec.MinAvailable = amount()
	}
	for _, name := range names {
		if random.Intn(4) > 0 {
			continue
		}
		if budget.Status.DisruptedPods == nil {
			budget.Status.DisruptedPods = map[string]metav1.Time{}
		}
		ages := []int{0, 10, 60, 119, 120, 121, 300}
		age := time.Duration(ages[random.Intn(len(ages))]) * time.Second
		budget.Status.DisruptedPods[name] = metav1.Time{Time: now.Add(-age)}
	}
	return budget
}

func main() {
	var vectors []vector
	for range 200 {
		var pods []*v1.Pod
		names := []string{"gone"}
		for index := range random.Intn(6) {
			name := fmt.Sprintf("pod-%d", index)
			names = append(names, name)
			pods = append(pods, podOf(name))
		}
		sets := []*apps.ReplicaSet{setOf("a", int32(random.Intn(8)))}
		if random.Intn(6) > 0 {
			sets = append(sets, setOf("b", 2))
		} else {
			for _, pod := range pods {
				if len(pod.OwnerReferences) > 0 {
					pod.OwnerReferences[0].Name, pod.OwnerReferences[0].UID = "a", "a-uid"
				}
			}
		}
		budget := budgetOf(names)
		outcome := disruption.Decide(budget.DeepCopy(), pods, sets, now)
		if outcome.Status != nil && random.Intn(3) == 0 {
			// A second sync of a budget that already has the status.
			budget.Status = *outcome.Status.DeepCopy()
			budget.Status.ObservedGeneration = budget.Generation
			outcome = disruption.Decide(budget.DeepCopy(), pods, sets, now)
		}
		if outcome.Status != nil {
			for index := range outcome.Status.Conditions {
				outcome.Status.Conditions[index].LastTransitionTime = metav1.Time{Time: now}
			}
		}
		for index := range budget.Status.Conditions {
			budget.Status.Conditions[index].LastTransitionTime = metav1.Time{Time: now}
		}
		vectors = append(vectors, vector{budget, pods, sets, outcome.Status, outcome.Recheck, outcome.Error})
	}
	if err := json.NewEncoder(os.Stdout).Encode(vectors); err != nil {
		panic(err)
	}
}
