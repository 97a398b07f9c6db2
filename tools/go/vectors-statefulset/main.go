//go:build overlay

// Writes the results of upstream's StatefulSet controller for pod names and ordinals, maxUnavailable, the owners of
// claims, and a status whose rolling update may be complete.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"steersman/tools/upstream/pkg/controller/statefulset"
)

type row []any

var random = rand.New(rand.NewSource(1))

func podOf(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name + "-uid")}}
}

func setOf(start, replicas int32) *apps.StatefulSet {
	set := &apps.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "web-uid"}}
	set.Spec.Replicas = &replicas
	if start > 0 {
		set.Spec.Ordinals = &apps.StatefulSetOrdinals{Start: start}
	}
	return set
}

func ordinals() (rows []row) {
	names := []string{"web-0", "web-12", "web-007", "web", "web-", "-3", "a-b-c-4", "web-1a", "web-a1", "web--5", "web-2147483647",
		"web-2147483648", "web-99999999999999999999", "web-+1", "web-0-0", "WEB-1", "web-٣"}
	for _, name := range names {
		parent, ordinal := statefulset.Ordinal(podOf(name))
		rows = append(rows, row{name, parent, ordinal})
	}
	return rows
}

func ranges() (rows []row) {
	for _, start := range []int32{0, 1, 5} {
		for _, replicas := range []int32{0, 1, 3} {
			for ordinal := range 9 {
				name := fmt.Sprintf("web-%d", ordinal)
				rows = append(rows, row{start, replicas, name, statefulset.InRange(podOf(name), setOf(start, replicas))})
			}
		}
	}
	return rows
}

func maxUnavailable() (rows []row) {
	values := []*intstr.IntOrString{nil}
	for _, number := range []int32{1, 2, 7} {
		value := intstr.FromInt32(number)
		values = append(values, &value)
	}
	for _, text := range []string{"1%", "25%", "34%", "50%", "100%", "half", "5"} {
		value := intstr.FromString(text)
		values = append(values, &value)
	}
	for _, value := range values {
		for _, replicas := range []int{0, 1, 3, 10} {
			number, err := statefulset.MaxUnavailable(value, replicas)
			message := ""
			if err != nil {
				message = err.Error()
			}
			rows = append(rows, row{value, replicas, number, message})
		}
	}
	return rows
}

func owner(apiVersion, kind, name, uid string, controller *bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: controller}
}

// claims are those of a pod inside and of a pod outside the range of the set.
func claims() (rows []row) {
	yes, no := true, false
	flags := []*bool{nil, &yes, &no}
	policies := []apps.PersistentVolumeClaimRetentionPolicyType{"Retain", "Delete"}
	for range 150 {
		set, pod := setOf(0, 2), podOf(fmt.Sprintf("web-%d", random.Intn(4)))
		if random.Intn(8) > 0 {
			set.Spec.PersistentVolumeClaimRetentionPolicy = &apps.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: policies[random.Intn(2)], WhenScaled: policies[random.Intn(2)],
			}
		}
		uid := func(own string) string { return []string{own, own, own, "old-uid"}[random.Intn(4)] }
		flag := func() *bool { return flags[random.Intn(3)] }
		refs := []metav1.OwnerReference{}
		if random.Intn(2) == 0 {
			refs = append(refs, owner("apps/v1", "StatefulSet", "web", uid("web-uid"), flag()))
		}
		if random.Intn(2) == 0 {
			refs = append(refs, owner("v1", "Pod", pod.Name, uid(string(pod.UID)), flag()))
		}
		if random.Intn(3) == 0 {
			refs = append(refs, owner("example.com/v1", "Keeper", "keeper", "keeper-uid", flag()))
		}
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data-" + pod.Name, OwnerReferences: refs}}
		before := append([]metav1.OwnerReference{}, refs...)
		isRight := statefulset.ClaimOwners(claim, set, pod)
		policy := set.Spec.PersistentVolumeClaimRetentionPolicy
		rows = append(rows, row{policy, pod.Name, before, isRight, claim.OwnerReferences})
	}
	return rows
}

func updates() (rows []row) {
	for range 40 {
		replicas := int32(random.Intn(4))
		set := setOf(0, replicas)
		set.Spec.UpdateStrategy.Type = []apps.StatefulSetUpdateStrategyType{"RollingUpdate", "OnDelete"}[random.Intn(5)/4]
		partition := int32(random.Intn(3))
		if random.Intn(2) == 0 {
			set.Spec.UpdateStrategy.RollingUpdate = &apps.RollingUpdateStatefulSetStrategy{Partition: &partition}
		}
		count := func() int32 { return max(0, replicas-int32(random.Intn(5)/3)) }
		status := apps.StatefulSetStatus{
			Replicas: count(), ReadyReplicas: count(), UpdatedReplicas: count(), CurrentReplicas: int32(random.Intn(2)),
			CurrentRevision: "web-1", UpdateRevision: "web-2",
		}
		before := status
		statefulset.CompleteUpdate(set, &status)
		rows = append(rows, row{replicas, set.Spec.UpdateStrategy, before, status})
	}
	return rows
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string][]row{
		"ordinals": ordinals(), "ranges": ranges(), "maxUnavailable": maxUnavailable(), "claims": claims(), "updates": updates(),
	}); err != nil {
		panic(err)
	}
}
