//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package podautoscaler

import (
	"context"
	"time"

	autoscaling "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

// Given is the content of the metrics APIs.
type Given struct {
	Samples metricsclient.PodMetricsInfo
	Object  int64
	Values  []int64
}

func (g Given) copied() metricsclient.PodMetricsInfo {
	out := metricsclient.PodMetricsInfo{}
	for name, sample := range g.Samples {
		out[name] = sample
	}
	return out
}

func (g Given) GetResourceMetric(context.Context, v1.ResourceName, string, labels.Selector, string) (metricsclient.PodMetricsInfo, time.Time, error) {
	return g.copied(), time.Now(), nil
}

func (g Given) GetRawMetric(string, string, labels.Selector, labels.Selector) (metricsclient.PodMetricsInfo, time.Time, error) {
	return g.copied(), time.Now(), nil
}

func (g Given) GetObjectMetric(string, string, *autoscaling.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	return g.Object, time.Now(), nil
}

func (g Given) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	return g.Values, time.Now(), nil
}

// Count is one request to the calculator.
type Count struct {
	Kind           string
	Resource       string
	Container      string
	Current        int32
	StatusReplicas int32
	TargetPercent  int32
	Target         int64
	Down, Up       float64
	CPUInit, Delay time.Duration
}

// Answer is the result of the calculator.
type Answer struct {
	Replicas int32
	Percent  int32
	Usage    int64
	Error    string
}

// Ask runs the calculator on these pods.
func Ask(count Count, given Given, pods []*v1.Pod) (answer Answer) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, pod := range pods {
		_ = indexer.Add(pod)
	}
	calculator := NewReplicaCalculator(given, corelisters.NewPodLister(indexer), count.CPUInit, count.Delay)
	tolerances := Tolerances{scaleDown: count.Down, scaleUp: count.Up}
	everything := labels.Everything()
	resource := v1.ResourceName(count.Resource)
	ctx := context.Background()
	reference := &autoscaling.CrossVersionObjectReference{Kind: "Service", Name: "web"}
	var err error
	switch count.Kind {
	case "utilization":
		answer.Replicas, answer.Percent, answer.Usage, _, err = calculator.GetResourceReplicas(ctx, count.Current, count.TargetPercent, resource, tolerances, "default", everything, count.Container)
	case "average":
		answer.Replicas, answer.Usage, _, err = calculator.GetRawResourceReplicas(ctx, count.Current, count.Target, resource, tolerances, "default", everything, count.Container)
	case "pods":
		answer.Replicas, answer.Usage, _, err = calculator.GetMetricReplicas(count.Current, count.Target, "qps", tolerances, "default", everything, everything)
	case "object":
		answer.Replicas, answer.Usage, _, err = calculator.GetObjectMetricReplicas(count.Current, count.Target, "hits", tolerances, "default", reference, everything, everything)
	case "objectPerPod":
		answer.Replicas, answer.Usage, _, err = calculator.GetObjectPerPodMetricReplicas(count.StatusReplicas, count.Target, "hits", tolerances, "default", reference, everything)
	case "external":
		answer.Replicas, answer.Usage, _, err = calculator.GetExternalMetricReplicas(count.Current, count.Target, "queue", tolerances, "default", &metav1.LabelSelector{}, everything)
	case "externalPerPod":
		answer.Replicas, answer.Usage, _, err = calculator.GetExternalPerPodMetricReplicas(count.StatusReplicas, count.Target, "queue", tolerances, "default", &metav1.LabelSelector{})
	}
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return answer
}

// Memory is the state that an autoscaler keeps; ages are in milliseconds.
type Memory struct {
	Recommendations []Remembered `json:"recommendations"`
	ScaleUps        []Remembered `json:"scaleUps"`
	ScaleDowns      []Remembered `json:"scaleDowns"`
}

// Remembered is a recommendation or a change of the size.
type Remembered struct {
	Replicas int32 `json:"replicas"`
	AgeMs    int64 `json:"ageMs"`
	Outdated bool  `json:"outdated,omitempty"`
}

// Limit applies the limits and rates to a desired size, and returns the size, the conditions and the new state.
func Limit(autoscaler *autoscaling.HorizontalPodAutoscaler, memory Memory, current, desired, minReplicas int32, window time.Duration) (int32, []autoscaling.HorizontalPodAutoscalerCondition, Memory) {
	now := time.Now()
	controller := &HorizontalController{
		downscaleStabilisationWindow: window,
		recommendations:              map[string][]timestampedRecommendation{},
		scaleUpEvents:                map[string][]timestampedScaleEvent{},
		scaleDownEvents:              map[string][]timestampedScaleEvent{},
	}
	at := func(r Remembered) time.Time { return now.Add(-time.Duration(r.AgeMs) * time.Millisecond) }
	for _, r := range memory.Recommendations {
		controller.recommendations["web"] = append(controller.recommendations["web"], timestampedRecommendation{r.Replicas, at(r)})
	}
	for _, r := range memory.ScaleUps {
		controller.scaleUpEvents["web"] = append(controller.scaleUpEvents["web"], timestampedScaleEvent{r.Replicas, at(r), r.Outdated})
	}
	for _, r := range memory.ScaleDowns {
		controller.scaleDownEvents["web"] = append(controller.scaleDownEvents["web"], timestampedScaleEvent{r.Replicas, at(r), r.Outdated})
	}
	autoscaler = autoscaler.DeepCopy()
	var replicas int32
	if autoscaler.Spec.Behavior == nil {
		replicas = controller.normalizeDesiredReplicas(autoscaler, "web", current, desired, minReplicas)
	} else {
		replicas = controller.normalizeDesiredReplicasWithBehaviors(autoscaler, "web", current, desired, minReplicas)
	}
	if replicas != current {
		controller.storeScaleEvent(autoscaler.Spec.Behavior, "web", current, replicas)
	}
	age := func(t time.Time) int64 { return now.Sub(t).Round(100 * time.Millisecond).Milliseconds() }
	var after Memory
	for _, r := range controller.recommendations["web"] {
		after.Recommendations = append(after.Recommendations, Remembered{r.recommendation, age(r.timestamp), false})
	}
	for _, r := range controller.scaleUpEvents["web"] {
		after.ScaleUps = append(after.ScaleUps, Remembered{r.replicaChange, age(r.timestamp), r.outdated})
	}
	for _, r := range controller.scaleDownEvents["web"] {
		after.ScaleDowns = append(after.ScaleDowns, Remembered{r.replicaChange, age(r.timestamp), r.outdated})
	}
	return replicas, autoscaler.Status.Conditions, after
}
