//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package statefulset

import (
	"github.com/go-logr/logr"
	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Ordinal returns the set's name and the ordinal in a pod's name; "" and -1 if it has none.
func Ordinal(pod *v1.Pod) (string, int) {
	return getParentNameAndOrdinal(pod)
}

// InRange returns whether the pod's ordinal is in the range of the set.
func InRange(pod *v1.Pod, set *apps.StatefulSet) bool {
	return podInOrdinalRange(pod, set)
}

// MaxUnavailable returns the maximum number of unavailable pods of a set with this many replicas.
func MaxUnavailable(value *intstr.IntOrString, replicas int) (int, error) {
	return getStatefulSetMaxUnavailable(value, replicas)
}

// ClaimOwners returns whether the owners of a claim match the retention policy, and corrects them.
func ClaimOwners(claim *v1.PersistentVolumeClaim, set *apps.StatefulSet, pod *v1.Pod) bool {
	isRight := isClaimOwnerUpToDate(logr.Discard(), claim, set, pod)
	updateClaimOwnerRefForSetAndPod(logr.Discard(), claim, set, pod)
	return isRight
}

// CompleteUpdate completes a rolling update in the status if it is finished.
func CompleteUpdate(set *apps.StatefulSet, status *apps.StatefulSetStatus) {
	completeRollingUpdate(set, status)
}
