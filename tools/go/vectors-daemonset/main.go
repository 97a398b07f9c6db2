//go:build overlay

// Writes the decisions of upstream's DaemonSet controller: the nodes of its pods, the creations and deletions on one
// node, and the extent of a rolling update.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	_ "k8s.io/kubernetes/pkg/features"

	"steersman/tools/upstream/pkg/controller/daemon"
)

// slimNode is a node without its empty status.
type slimNode struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     v1.NodeSpec       `json:"spec"`
}

func slim(node *v1.Node) slimNode { return slimNode{node.ObjectMeta, node.Spec} }

type placement struct {
	Spec           v1.PodSpec `json:"spec"`
	Node           *v1.Node   `json:"node"`
	ComparesTaints bool       `json:"comparesTaints"`
	ShouldRun      bool       `json:"shouldRun"`
	MayStay        bool       `json:"mayStay"`
}

type nodePlan struct {
	Set  *apps.DaemonSet `json:"set"`
	Node *v1.Node        `json:"node"`
	// Null if the set has none.
	Pods []*v1.Pod `json:"pods"`
	daemon.Plan
}

type updatePlan struct {
	Set   *apps.DaemonSet `json:"set"`
	Nodes []slimNode      `json:"nodes"`
	Pods  []*v1.Pod       `json:"pods"`
	daemon.Plan
}

const newHash = "new"

var (
	random = rand.New(rand.NewSource(1))
	now    = time.Unix(1_800_000_000, 0)
	yes    = true
)

func draw[T any](values ...T) T { return values[random.Intn(len(values))] }

func nodeOf(name string, taints ...v1.Taint) *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Spec.Taints = taints
	return node
}

func setOf(rollingUpdate *apps.RollingUpdateDaemonSet) *apps.DaemonSet {
	set := &apps.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "agent", UID: "agent-uid"}}
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "agent"}}
	set.Spec.UpdateStrategy = apps.DaemonSetUpdateStrategy{Type: apps.RollingUpdateDaemonSetStrategyType, RollingUpdate: rollingUpdate}
	set.Spec.MinReadySeconds = draw[int32](0, 0, 30)
	return set
}

func amount(numbers ...int32) *intstr.IntOrString {
	value := intstr.FromInt32(draw(numbers...))
	if random.Intn(3) == 0 {
		value = intstr.FromString(fmt.Sprintf("%d%%", draw(0, 10, 25, 34, 50, 60, 100)))
	}
	return &value
}

func podOf(name, hash string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID(name + "-uid"), Labels: map[string]string{"app": "agent", apps.ControllerRevisionHashLabelKey: hash},
		CreationTimestamp: metav1.Time{Time: now.Add(-time.Duration(100+random.Intn(3)) * time.Second)},
		OwnerReferences:   []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "agent-uid", Controller: &yes}},
	}}
	pod.Status.Phase = draw(v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodPending)
	if age := draw(-1, 0, 29, 30, 60, 60, 60); age >= 0 {
		changed := metav1.Time{Time: now.Add(-time.Duration(age) * time.Second)}
		status := draw(v1.ConditionTrue, v1.ConditionTrue, v1.ConditionTrue, v1.ConditionFalse)
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: status, LastTransitionTime: changed}}
	}
	return pod
}

// isReplaceable returns whether the only living pod of the node is old and available.
func isReplaceable(pods []*v1.Pod, minReadySeconds int32) bool {
	living := []*v1.Pod{}
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil {
			living = append(living, pod)
		}
	}
	return len(living) == 1 && living[0].Labels[apps.ControllerRevisionHashLabelKey] == "old" &&
		podutil.IsPodAvailable(living[0], minReadySeconds, metav1.Time{Time: now})
}

func placements() (rows []placement) {
	keys := []string{"dedicated", "cores", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure",
		"node.kubernetes.io/unschedulable", "node.kubernetes.io/network-unavailable"}
	effects := []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}
	operators := []v1.TolerationOperator{"", v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpExists, v1.TolerationOpGt, v1.TolerationOpLt}
	values := []string{"", "4", "8", "many"}
	for range 300 {
		row := placement{Node: nodeOf(draw("a", "b")), ComparesTaints: random.Intn(2) == 0}
		row.Node.Labels = map[string]string{"disk": draw("fast", "slow"), "cores": draw("2", "16")}
		for range random.Intn(4) {
			row.Node.Spec.Taints = append(row.Node.Spec.Taints, v1.Taint{Key: draw(keys...), Value: draw(values...), Effect: draw(effects...)})
		}
		row.Spec.NodeName = draw("", "", "", "a")
		row.Spec.HostNetwork = random.Intn(3) == 0
		for range random.Intn(3) {
			toleration := v1.Toleration{Key: draw(append(keys, "")...), Operator: draw(operators...), Effect: draw(append(effects, "")...)}
			if toleration.Operator != v1.TolerationOpExists {
				toleration.Value = draw(values...)
			}
			row.Spec.Tolerations = append(row.Spec.Tolerations, toleration)
		}
		if random.Intn(3) == 0 {
			row.Spec.NodeSelector = map[string]string{"disk": draw("fast", "slow")}
		}
		if random.Intn(3) == 0 {
			row.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{}}}
			required := row.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
			for range 1 + random.Intn(2) {
				operator := draw(v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt)
				requirement := v1.NodeSelectorRequirement{Key: draw("disk", "cores", "none"), Operator: operator}
				switch operator {
				case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
					requirement.Values = []string{draw("fast", "16")}
				case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
					requirement.Values = []string{"4"}
				}
				term := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{requirement}}
				if random.Intn(4) == 0 {
					term.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: draw(v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn), Values: []string{"a"}}}
				}
				required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
			}
		}
		if err := utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("TaintTolerationComparisonOperators=%t", row.ComparesTaints)); err != nil {
			panic(err)
		}
		set := setOf(nil)
		set.Spec.Template.Spec = *row.Spec.DeepCopy()
		row.ShouldRun, row.MayStay = daemon.NodeShouldRunDaemonPod(klog.Background(), row.Node, set)
		rows = append(rows, row)
	}
	return rows
}

func nodePlans() (rows []nodePlan) {
	taint := func(effect v1.TaintEffect) v1.Taint { return v1.Taint{Key: "dedicated", Effect: effect} }
	for range 120 {
		surge := amount(0, 0, 1)
		row := nodePlan{Set: setOf(&apps.RollingUpdateDaemonSet{MaxSurge: surge, MaxUnavailable: amount(0, 1)})}
		row.Node = draw(nodeOf("a"), nodeOf("a"), nodeOf("a", taint(v1.TaintEffectNoSchedule)), nodeOf("a", taint(v1.TaintEffectNoExecute)))
		failed := false
		for index := range random.Intn(5) {
			pod := podOf(fmt.Sprintf("pod-%d", index), draw("old", newHash))
			switch random.Intn(8) {
			case 0:
				pod.DeletionTimestamp = &metav1.Time{Time: now}
			case 1:
				pod.Status.Phase = v1.PodSucceeded
			case 2:
				// The second failed pod of a node waits for its back-off.
				if !failed {
					pod.Status.Phase = v1.PodFailed
				}
				failed = true
			}
			if random.Intn(4) > 0 {
				pod.Spec.NodeName = "a"
			}
			row.Pods = append(row.Pods, pod)
		}
		row.Plan = daemon.PlanNode(row.Set, row.Node, row.Pods, newHash, now)
		rows = append(rows, row)
	}
	return rows
}

// Upstream chooses any of several available old pods: these, and their nodes, are named "any-…" and "away-…".
func anonymous(names []string) (out []string) {
	for _, name := range names {
		for _, prefix := range []string{"any-", "away-"} {
			if strings.HasPrefix(name, prefix) {
				name = "any"
			}
		}
		out = append(out, name)
	}
	return out
}

func updatePlans() (rows []updatePlan) {
	for range 120 {
		rollingUpdate := &apps.RollingUpdateDaemonSet{MaxSurge: amount(0, 0, 1, 3), MaxUnavailable: amount(0, 1, 2, 4)}
		row := updatePlan{Set: setOf(rollingUpdate)}
		nodes := []*v1.Node{}
		for index := range 1 + random.Intn(9) {
			name := fmt.Sprintf("node-%d", index)
			isAway := random.Intn(5) == 0
			pods := []*v1.Pod{}
			for _, hash := range draw([]string{"old"}, []string{"old"}, []string{"old"}, []string{newHash}, []string{"old", newHash}, []string{"old", "old"}, []string{}) {
				pod := podOf("", hash)
				// Percentages matter if few pods are unavailable.
				if random.Intn(4) > 0 {
					ready := v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-time.Minute)}}
					pod.Status.Conditions = []v1.PodCondition{ready}
				}
				if random.Intn(10) == 0 {
					pod.DeletionTimestamp = &metav1.Time{Time: now}
				}
				pods = append(pods, pod)
			}
			if isReplaceable(pods, row.Set.Spec.MinReadySeconds) {
				name = fmt.Sprintf("%s%d", map[bool]string{true: "away-", false: "any-"}[isAway], index)
			}
			for number, pod := range pods {
				pod.Name, pod.UID = fmt.Sprintf("%s-%d", name, number), types.UID(fmt.Sprintf("%s-%d", name, number))
				pod.Spec.NodeName = name
			}
			node := nodeOf(name)
			if isAway {
				node.Spec.Taints = []v1.Taint{{Key: "dedicated", Effect: v1.TaintEffectNoSchedule}}
			}
			nodes = append(nodes, node)
			row.Nodes = append(row.Nodes, slim(node))
			row.Pods = append(row.Pods, pods...)
		}
		row.Plan = daemon.PlanUpdate(row.Set, nodes, row.Pods, newHash, now)
		row.Creates, row.Deletes = anonymous(row.Creates), anonymous(row.Deletes)
		rows = append(rows, row)
	}
	return rows
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string]any{"placements": placements(), "nodes": nodePlans(), "updates": updatePlans()}); err != nil {
		panic(err)
	}
}
