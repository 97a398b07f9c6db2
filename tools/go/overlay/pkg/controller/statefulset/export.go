//go:build overlay

// Laid over upstream's package (tools/go/README.md): exports what the vectors ask.
package statefulset

import (
	"github.com/go-logr/logr"
	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Ordinal is the set's name and the ordinal in a pod's name; "" and -1 where it has none.
func Ordinal(pod *v1.Pod) (string, int) {
	return getParentNameAndOrdinal(pod)
}

// InRange says whether the set still wants the pod's ordinal.
func InRange(pod *v1.Pod, set *apps.StatefulSet) bool {
	return podInOrdinalRange(pod, set)
}

// MaxUnavailable is the number that a set of so many replicas may miss.
func MaxUnavailable(value *intstr.IntOrString, replicas int) (int, error) {
	return getStatefulSetMaxUnavailable(value, replicas)
}

// ClaimOwners says whether the owners of a claim are as the retention policy wants them, and makes them so.
func ClaimOwners(claim *v1.PersistentVolumeClaim, set *apps.StatefulSet, pod *v1.Pod) bool {
	isRight := isClaimOwnerUpToDate(logr.Discard(), claim, set, pod)
	updateClaimOwnerRefForSetAndPod(logr.Discard(), claim, set, pod)
	return isRight
}

// CompleteUpdate finishes a rolling update in the status where it is through.
func CompleteUpdate(set *apps.StatefulSet, status *apps.StatefulSetStatus) {
	completeRollingUpdate(set, status)
}
