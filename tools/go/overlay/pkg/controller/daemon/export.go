//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package daemon

import (
	"context"
	"sort"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	testingclock "k8s.io/utils/clock/testing"
)

// Plan has the creations and deletions of the controller, by the names of nodes and pods.
type Plan struct {
	Creates []string `json:"creates"`
	Deletes []string `json:"deletes"`
	Error   string   `json:"error,omitempty"`
}

func controllerAt(now time.Time, nodes []*v1.Node, pods []*v1.Pod) (*DaemonSetsController, *controller.FakePodControl) {
	podIndexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		controller.PodControllerIndex: func(object any) ([]string, error) {
			pod := object.(*v1.Pod)
			return []string{controller.PodControllerIndexKey(pod.Namespace, metav1.GetControllerOf(pod))}, nil
		},
	})
	for _, pod := range pods {
		_ = podIndexer.Add(pod)
	}
	nodeIndexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, node := range nodes {
		_ = nodeIndexer.Add(node)
	}
	control := &controller.FakePodControl{}
	return &DaemonSetsController{
		eventRecorder:     record.NewFakeRecorder(1000),
		podControl:        control,
		burstReplicas:     1000,
		expectations:      controller.NewControllerExpectations(),
		podLister:         corelisters.NewPodLister(podIndexer),
		podIndexer:        podIndexer,
		nodeLister:        corelisters.NewNodeLister(nodeIndexer),
		failedPodsBackoff: flowcontrol.NewFakeBackOff(time.Second, time.Minute, testingclock.NewFakeClock(now)),
	}, control
}

// PlanNode returns the plan for one node; pods is nil if the set has none there.
func PlanNode(set *apps.DaemonSet, node *v1.Node, pods []*v1.Pod, hash string, now time.Time) Plan {
	dsc, _ := controllerAt(now, nil, nil)
	byNode := map[string][]*v1.Pod{}
	if pods != nil {
		byNode[node.Name] = pods
	}
	creates, deletes := dsc.podsShouldBeOnNode(klog.Background(), node, byNode, set, hash)
	return Plan{Creates: creates, Deletes: deletes}
}

// PlanUpdate returns the old pods that a rolling update deletes, and the nodes on which it surges.
func PlanUpdate(set *apps.DaemonSet, nodes []*v1.Node, pods []*v1.Pod, hash string, now time.Time) Plan {
	dsc, control := controllerAt(now, nodes, pods)
	if err := dsc.rollingUpdate(context.Background(), set, nodes, hash); err != nil {
		return Plan{Error: err.Error()}
	}
	plan := Plan{Deletes: control.DeletePodName}
	for _, template := range control.Templates {
		term := template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
		plan.Creates = append(plan.Creates, term.MatchFields[0].Values[0])
	}
	sort.Strings(plan.Creates)
	sort.Strings(plan.Deletes)
	return plan
}
