//go:build overlay

// Writes the results of upstream's autoscaler for metrics and pods, and for its limits and rates.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"

	autoscaling "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"

	"steersman/tools/upstream/pkg/controller/podautoscaler"
)

type sample struct {
	Value    string `json:"value"`
	At       int64  `json:"at"`
	WindowMs int64  `json:"windowMs"`
}

// Times are those of the tests, whose clock stands half a second after the epoch. Upstream's clock runs, so it sees
// shifted times.
type countVector struct {
	Count   map[string]any    `json:"count"`
	Samples map[string]sample `json:"samples"`
	Values  []string          `json:"values"`
	Pods    []*v1.Pod         `json:"pods"`
	Answer  map[string]any    `json:"answer"`
}

type limitVector struct {
	Behavior   *autoscaling.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`
	Memory     podautoscaler.Memory                         `json:"memory"`
	Wish       map[string]int32                             `json:"wish"`
	Window     int64                                        `json:"windowMs"`
	Replicas   int32                                        `json:"replicas"`
	Conditions [][]string                                   `json:"conditions"`
	After      podautoscaler.Memory                         `json:"after"`
}

var (
	random = rand.New(rand.NewSource(1))
	epoch  = time.Unix(1_800_000_000, 0)
)

func pick[T any](values ...T) T { return values[random.Intn(len(values))] }

func ago(seconds int) metav1.Time {
	return metav1.Time{Time: epoch.Add(-time.Duration(seconds) * time.Second)}
}

func requests(names ...string) v1.ResourceList {
	list := v1.ResourceList{}
	for _, name := range names {
		list[v1.ResourceName(name)] = resource.MustParse(pick("100m", "1", "250m", "64Mi", "200Gi", "1"))
	}
	return list
}

func podOf(name string, hasAll bool) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	pod.Status.Phase = pick(v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodRunning, v1.PodPending, v1.PodFailed)
	if random.Intn(12) == 0 {
		deleted := ago(1)
		pod.DeletionTimestamp = &deleted
	}
	if random.Intn(12) > 0 {
		start := ago(pick(10, 100, 290, 310, 600, 4000))
		pod.Status.StartTime = &start
	}
	if random.Intn(12) > 0 {
		condition := v1.PodCondition{Type: v1.PodReady, Status: pick(v1.ConditionTrue, v1.ConditionTrue, v1.ConditionTrue, v1.ConditionFalse, v1.ConditionUnknown)}
		if random.Intn(8) > 0 {
			condition.LastTransitionTime = ago(pick(5, 45, 80, 280, 590, 3990))
		}
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
	}
	resources := []string{"cpu", "memory"}
	if !hasAll && random.Intn(8) == 0 {
		resources = resources[:1]
	}
	always := v1.ContainerRestartPolicyAlways
	pod.Spec.Containers = []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: requests(resources...)}}}
	if random.Intn(4) == 0 {
		pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: "side", Resources: v1.ResourceRequirements{Requests: requests("cpu", "memory")}})
	}
	if random.Intn(6) == 0 {
		pod.Spec.InitContainers = []v1.Container{{Name: "init"}, {Name: "proxy", RestartPolicy: &always, Resources: v1.ResourceRequirements{Requests: requests("cpu", "memory")}}}
	}
	if random.Intn(6) == 0 {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: requests(pick("cpu", "memory"))}
	}
	return pod
}

func shifted(pod *v1.Pod, by time.Duration) *v1.Pod {
	out := pod.DeepCopy()
	if out.Status.StartTime != nil {
		out.Status.StartTime = &metav1.Time{Time: out.Status.StartTime.Add(by)}
	}
	for index := range out.Status.Conditions {
		if at := &out.Status.Conditions[index].LastTransitionTime; !at.IsZero() {
			at.Time = at.Add(by)
		}
	}
	return out
}

func counts() (vectors []countVector) {
	kinds := []string{"utilization", "utilization", "utilization", "average", "average", "pods", "object", "objectPerPod", "external", "externalPerPod"}
	for range 400 {
		kind := pick(kinds...)
		count := podautoscaler.Count{
			Kind: kind, Resource: pick("cpu", "cpu", "memory"), Container: pick("", "", "", "main", "side"),
			Current: int32(random.Intn(7)), StatusReplicas: int32(random.Intn(7)),
			TargetPercent: pick[int32](1, 50, 80, 100, 130), Target: pick[int64](1, 100, 1000, 250_000, 70_000_000_000, 9_000_000_000_000),
			Down: pick(0.1, 0.1, 0, 0.05, 0.3), Up: pick(0.1, 0.1, 0, 0.5),
			CPUInit: 300 * time.Second, Delay: 30 * time.Second,
		}
		hasAll := random.Intn(3) > 0
		var pods []*v1.Pod
		given := podautoscaler.Given{Samples: metricsclient.PodMetricsInfo{}}
		samples := map[string]sample{}
		by := time.Since(epoch) - 500*time.Millisecond
		seen := []*v1.Pod{}
		base := float64(count.Target) * pick(0.2, 0.7, 0.95, 1, 1.05, 1.2, 3)
		for index := range random.Intn(6) {
			name := fmt.Sprintf("pod-%d", index)
			pod := podOf(name, hasAll)
			pods = append(pods, pod)
			seen = append(seen, shifted(pod, by))
			if random.Intn(6) == 0 {
				continue
			}
			at, window := ago(pick(1, 20, 50, 70)), pick(30*time.Second, time.Minute)
			value := int64(base * pick(0.8, 1, 1, 1.1))
			if kind == "utilization" {
				value = int64(float64(pick[int64](20, 100, 130, 400, 66_000_000)) * float64(count.TargetPercent) / 10 * pick(0.5, 1, 2, 1000, 1_000_000))
			}
			samples[name] = sample{strconv.FormatInt(value, 10), at.UnixMilli(), window.Milliseconds()}
			given.Samples[name] = metricsclient.PodMetric{Timestamp: at.Add(by), Window: window, Value: value}
		}
		if random.Intn(5) == 0 {
			samples["stranger"] = sample{"1000", epoch.UnixMilli(), 60000}
			given.Samples["stranger"] = metricsclient.PodMetric{Timestamp: epoch.Add(by), Window: time.Minute, Value: 1000}
		}
		var values []string
		for range 1 + random.Intn(3) {
			value := pick(int64(base), int64(base*float64(max(1, count.Current))), int64(base*2.5), 0, -5, math.MaxInt64/2, math.MaxInt64)
			values = append(values, strconv.FormatInt(value, 10))
			given.Values = append(given.Values, value)
			given.Object = value
		}
		answer := podautoscaler.Ask(count, given, seen)
		out := map[string]any{"error": answer.Error}
		if answer.Error == "" {
			out = map[string]any{"replicas": answer.Replicas, "percent": answer.Percent, "usage": strconv.FormatInt(answer.Usage, 10)}
		}
		// Which of several pods an error names is random.
		if len(pods) > 1 && strings.Contains(answer.Error, "Pod pod-") {
			continue
		}
		vectors = append(vectors, countVector{
			map[string]any{
				"kind": kind, "resource": count.Resource, "container": count.Container, "current": count.Current,
				"statusReplicas": count.StatusReplicas, "targetPercent": count.TargetPercent, "target": strconv.FormatInt(count.Target, 10),
				"down": count.Down, "up": count.Up,
			}, samples, values, pods, out,
		})
	}
	return vectors
}

func rules(isDown bool) *autoscaling.HPAScalingRules {
	selectPolicy := pick(autoscaling.MaxChangePolicySelect, autoscaling.MaxChangePolicySelect, autoscaling.MinChangePolicySelect, autoscaling.DisabledPolicySelect)
	out := &autoscaling.HPAScalingRules{SelectPolicy: &selectPolicy}
	for range 1 + random.Intn(2) {
		out.Policies = append(out.Policies, autoscaling.HPAScalingPolicy{
			Type:          pick(autoscaling.PodsScalingPolicy, autoscaling.PercentScalingPolicy),
			Value:         pick[int32](1, 4, 10, 50, 100, 900),
			PeriodSeconds: pick[int32](15, 60, 1800),
		})
	}
	if seconds := pick[int32](0, 60, 300); !isDown || random.Intn(3) > 0 {
		out.StabilizationWindowSeconds = &seconds
	}
	return out
}

func remembered(replicasMax int) (out []podautoscaler.Remembered) {
	for range random.Intn(5) {
		age := pick[int64](2000, 14_000, 16_000, 50_000, 70_000, 250_000, 400_000, 2_000_000)
		out = append(out, podautoscaler.Remembered{Replicas: int32(random.Intn(replicasMax)), AgeMs: age})
	}
	return out
}

func limits() (vectors []limitVector) {
	for range 350 {
		autoscaler := &autoscaling.HorizontalPodAutoscaler{}
		autoscaler.Spec.MaxReplicas = pick[int32](5, 10, 100)
		if random.Intn(3) > 0 {
			autoscaler.Spec.Behavior = &autoscaling.HorizontalPodAutoscalerBehavior{ScaleUp: rules(false), ScaleDown: rules(true)}
		}
		memory := podautoscaler.Memory{Recommendations: remembered(20), ScaleUps: remembered(8), ScaleDowns: remembered(8)}
		current, desired, minReplicas := int32(random.Intn(12)), int32(random.Intn(25)), int32(random.Intn(4))
		window := pick(0, 60*time.Second, 300*time.Second)
		replicas, conditions, after := podautoscaler.Limit(autoscaler, memory, current, desired, minReplicas, window)
		var told [][]string
		for _, condition := range conditions {
			told = append(told, []string{string(condition.Type), string(condition.Status), condition.Reason, condition.Message})
		}
		vectors = append(vectors, limitVector{
			autoscaler.Spec.Behavior, memory,
			map[string]int32{"current": current, "desired": desired, "minReplicas": minReplicas, "maxReplicas": autoscaler.Spec.MaxReplicas},
			window.Milliseconds(), replicas, told, after,
		})
	}
	return vectors
}

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"counts": counts(), "limits": limits()}); err != nil {
		panic(err)
	}
}
