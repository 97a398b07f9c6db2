//go:build overlay

// Exports functions of the disruption controller for the vectors.
package disruption

import (
	"context"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	testingclock "k8s.io/utils/clock/testing"
)

// Outcome is the decision of a sync of the budget.
type Outcome struct {
	// Nil if nothing is written.
	Status *policy.PodDisruptionBudgetStatus
	// Unix seconds; nil when no deletion is expected.
	Recheck *int64
	Error   string
}

// Decide runs upstream's controller on a budget, its pods and the ReplicaSets that may control them.
func Decide(budget *policy.PodDisruptionBudget, pods []*v1.Pod, sets []*apps.ReplicaSet, now time.Time) (outcome Outcome) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, set := range sets {
		_ = indexer.Add(set)
	}
	empty := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	dc := &DisruptionController{
		clock:    testingclock.NewFakeClock(now),
		recorder: record.NewFakeRecorder(1000),
		rsLister: appslisters.NewReplicaSetLister(indexer),
		rcLister: corelisters.NewReplicationControllerLister(empty),
		dLister:  appslisters.NewDeploymentLister(empty),
		ssLister: appslisters.NewStatefulSetLister(empty),
	}
	dc.getUpdater = func() updater {
		return func(_ context.Context, written *policy.PodDisruptionBudget) error {
			outcome.Status = &written.Status
			return nil
		}
	}
	expected, desired, _, err := dc.getExpectedPodCount(context.Background(), budget, pods)
	if err != nil {
		outcome.Error = err.Error()
		return outcome
	}
	disrupted, recheck := dc.buildDisruptedPodMap(klog.Background(), pods, budget, now)
	if recheck != nil {
		seconds := recheck.Unix()
		outcome.Recheck = &seconds
	}
	healthy := countHealthyPods(pods, disrupted, now)
	_ = dc.updatePdbStatus(context.Background(), budget, healthy, desired, expected, disrupted)
	return outcome
}
