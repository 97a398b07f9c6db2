// Writes the decisions of upstream's scheduler for pods in generated clusters: the nodes that fit with their total
// scores, or why none fits. A cluster refers to its nodes and pods by their indexes in lists of templates.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

const (
	clusterCount = 500
	nodeCount    = 90
	podCount     = 420
)

var random = rand.New(rand.NewSource(1))

type cluster struct {
	Nodes   []int    `json:"nodes"`
	Bound   [][2]int `json:"bound"`   // pod template, node; a negative node: the pod is being deleted from the node before
	Pending []result `json:"pending"` // a pod template each
}

type result struct {
	Pod    int      `json:"pod"`
	Scores [][2]int `json:"scores,omitempty"` // node, total score; with one node the score is 0
	Why    string   `json:"why,omitempty"`
}

type vectors struct {
	World    *world     `json:"world"`
	Nodes    []*v1.Node `json:"nodes"`
	Pods     []*v1.Pod  `json:"pods"`
	Clusters []cluster  `json:"clusters"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func namedNode(template *v1.Node, index int) *v1.Node {
	node := template.DeepCopy()
	node.Name = fmt.Sprintf("n%d", index)
	node.Labels[v1.LabelHostname] = node.Name
	return node
}

func namedPod(template *v1.Pod, name string) *v1.Pod {
	pod := template.DeepCopy()
	pod.Name = name
	pod.UID = types.UID(name)
	return pod
}

type judge struct {
	ctx       context.Context
	scheduler *scheduler.Scheduler
	framework framework.Framework
	snapshot  *cache.Snapshot
	pods      clientcache.Indexer // preemption looks the pod up here
}

func newJudge(ctx context.Context, w *world) *judge {
	client := fake.NewClientset(w.objects()...)
	factory := informers.NewSharedInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	s, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster))
	must(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	f := s.Profiles[v1.DefaultSchedulerName]
	return &judge{ctx, s, f, f.SnapshotSharedLister().(*cache.Snapshot), factory.Core().V1().Pods().Informer().GetIndexer()}
}

func (j *judge) decide(pod *v1.Pod) (scores [][2]int, why string) {
	must(j.pods.Add(pod))
	defer func() { must(j.pods.Delete(pod)) }()
	state := framework.NewCycleState()
	info, err := framework.NewPodInfo(pod)
	must(err)
	_, err = j.scheduler.SchedulePod(j.ctx, j.framework, state, &framework.QueuedPodInfo{PodInfo: info})
	if err != nil {
		var fit *framework.FitError
		if !errors.As(err, &fit) {
			return nil, err.Error()
		}
		_, status := j.framework.RunPostFilterPlugins(j.ctx, state, pod, fit.Diagnosis.NodeToStatus)
		fit.Diagnosis.PostFilterMsg = status.Message()
		return nil, fit.Error()
	}
	state = framework.NewCycleState()
	names, status, _ := j.framework.RunPreFilterPlugins(j.ctx, state, pod)
	must(status.AsError())
	all, err := j.snapshot.NodeInfos().List()
	must(err)
	var fitting []fwk.NodeInfo
	for _, node := range all {
		isNamed := names.AllNodes() || names.NodeNames.Has(node.Node().Name)
		if isNamed && j.framework.RunFilterPlugins(j.ctx, state, pod, node).IsSuccess() {
			fitting = append(fitting, node)
		}
	}
	place := func(name string) (index int) {
		_, err := fmt.Sscanf(name, "n%d", &index)
		must(err)
		return index
	}
	if len(fitting) == 1 {
		return [][2]int{{place(fitting[0].Node().Name), 0}}, ""
	}
	must(j.framework.RunPreScorePlugins(j.ctx, state, pod, fitting).AsError())
	totals, status := j.framework.RunScorePlugins(j.ctx, state, pod, fitting)
	must(status.AsError())
	byNode := map[int]int{}
	for _, total := range totals {
		byNode[place(total.Name)] = int(total.TotalScore)
	}
	for node := range 100 {
		if score, ok := byNode[node]; ok {
			scores = append(scores, [2]int{node, score})
		}
	}
	return scores, ""
}

func (j *judge) cluster(v *vectors, number int) cluster {
	c := cluster{Nodes: []int{}, Bound: [][2]int{}}
	logger := klog.FromContext(j.ctx)
	var nodes []*v1.Node
	var bound []*v1.Pod
	for i := range 2 + random.Intn(8) {
		template := random.Intn(len(v.Nodes))
		node := namedNode(v.Nodes[template], i)
		c.Nodes = append(c.Nodes, template)
		nodes = append(nodes, node)
		j.scheduler.Cache.AddNode(logger, node)
	}
	for i := range random.Intn(3 * len(nodes)) {
		template, node := random.Intn(len(v.Pods)), random.Intn(len(nodes))
		pod := namedPod(v.Pods[template], fmt.Sprintf("b%d", i))
		pod.Spec.NodeName = nodes[node].Name
		if oneIn(10) {
			pod.DeletionTimestamp = &metav1.Time{Time: now}
			c.Bound = append(c.Bound, [2]int{template, -node - 1})
		} else {
			c.Bound = append(c.Bound, [2]int{template, node})
		}
		bound = append(bound, pod)
		must(j.scheduler.Cache.AddPod(logger, pod))
	}
	must(j.scheduler.Cache.UpdateSnapshot(logger, j.snapshot))
	for i := range 4 {
		template := random.Intn(len(v.Pods))
		scores, why := j.decide(namedPod(v.Pods[template], fmt.Sprintf("p%d", i)))
		c.Pending = append(c.Pending, result{template, scores, why})
	}
	for _, pod := range bound {
		must(j.scheduler.Cache.RemovePod(logger, pod))
	}
	for _, node := range nodes {
		must(j.scheduler.Cache.RemoveNode(logger, node))
	}
	return c
}

func main() {
	klog.SetOutput(os.Stderr)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v := &vectors{World: newWorld()}
	var claims []string
	for _, pvc := range v.World.Claims {
		claims = append(claims, pvc.Name)
	}
	claims = append(claims, "missing", "bound-any", "bound-a", "bound-labelled", "local-1", "local-2", "wait-1", "zonal-1", "zonal-2", "tracked-large")
	claims = append(claims, "bound-once", "bound-once", "bound-once")
	for range nodeCount {
		v.Nodes = append(v.Nodes, randomNode())
	}
	for range podCount {
		v.Pods = append(v.Pods, randomPod(claims))
	}
	j := newJudge(ctx, v.World)
	for number := range clusterCount {
		v.Clusters = append(v.Clusters, j.cluster(v, number))
	}
	must(json.NewEncoder(os.Stdout).Encode(v))
}
