package main

import (
	"fmt"
	"math/rand"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
)

var resourceNames = []corev1.ResourceName{"cpu", "memory", "cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu"}

func randomAmount(r *rand.Rand, name corev1.ResourceName) resource.Quantity {
	switch name {
	case "cpu":
		return resource.MustParse(pick(r, []string{"0", "100m", "250m", "1", "1500m", "2", "0.5", "1e-1", "100u"}))
	case "memory", "ephemeral-storage", "hugepages-2Mi":
		return resource.MustParse(pick(r, []string{"0", "64Mi", "128Mi", "1Gi", "1G", "1.5Gi", "500M", "2Gi", "1000", "1e9"}))
	}
	return resource.MustParse(pick(r, []string{"0", "1", "2"}))
}

func randomList(r *rand.Rand, max int) corev1.ResourceList {
	n := r.Intn(max + 1)
	if n == 0 {
		return nil
	}
	list := corev1.ResourceList{}
	for ; n > 0; n-- {
		name := pick(r, resourceNames)
		list[name] = randomAmount(r, name)
	}
	return list
}

func randomResources(r *rand.Rand) corev1.ResourceRequirements {
	res := corev1.ResourceRequirements{Requests: randomList(r, 3), Limits: randomList(r, 3)}
	switch r.Intn(5) {
	case 0:
		res.Requests = res.Limits.DeepCopy()
	case 1:
		full := corev1.ResourceList{"cpu": randomAmount(r, "cpu"), "memory": randomAmount(r, "memory")}
		res = corev1.ResourceRequirements{Requests: full, Limits: full.DeepCopy()}
	case 2:
		res = corev1.ResourceRequirements{}
	}
	return res
}

func randomPod(r *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{}
	always := corev1.ContainerRestartPolicyAlways
	uniform := r.Intn(4) == 0
	shared := randomResources(r)
	next := func() corev1.ResourceRequirements {
		if uniform {
			return shared
		}
		return randomResources(r)
	}
	status := func(name string) corev1.ContainerStatus {
		s := corev1.ContainerStatus{Name: name}
		if r.Intn(2) == 0 {
			res := randomResources(r)
			s.Resources = &res
			s.AllocatedResources = randomList(r, 2)
		}
		return s
	}
	withStatus := r.Intn(2) == 0
	for i := r.Intn(3); i >= 0; i-- {
		name := fmt.Sprint("c", i)
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name, Resources: next()})
		if withStatus {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status(name))
		}
	}
	for i := r.Intn(4); i > 0; i-- {
		name := fmt.Sprint("i", i)
		c := corev1.Container{Name: name, Resources: next()}
		if r.Intn(2) == 0 {
			c.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
		if withStatus {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status(name))
		}
	}
	if r.Intn(4) == 0 {
		pod.Spec.Overhead = randomList(r, 2)
	}
	if r.Intn(3) == 0 {
		res := randomResources(r)
		pod.Spec.Resources = &res
		if withStatus {
			actual := randomResources(r)
			pod.Status.Resources = &actual
			pod.Status.AllocatedResources = randomList(r, 2)
		}
	}
	if withStatus && r.Intn(3) == 0 {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: "True", Reason: pick(r, []string{"Infeasible", "Deferred"})}}
	}
	if r.Intn(6) == 0 {
		pod.Status.NodeAllocatableResourceClaimStatuses = []corev1.NodeAllocatableResourceClaimStatus{{ResourceClaimName: "x", Resources: randomList(r, 2)}}
	}
	return pod
}

var podOptions = []struct {
	wire map[string]any
	opts resourcehelper.PodResourcesOptions
}{
	{map[string]any{}, resourcehelper.PodResourcesOptions{}},
	{map[string]any{"useStatusResources": true}, resourcehelper.PodResourcesOptions{UseStatusResources: true}},
	{map[string]any{"useStatusResources": true, "usePodLevelStatusResources": true, "useNodeAllocatableClaims": true},
		resourcehelper.PodResourcesOptions{UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true, UseDRANodeAllocatableResourceClaimStatus: true}},
	{map[string]any{"excludeOverhead": true, "skipPodLevelResources": true}, resourcehelper.PodResourcesOptions{ExcludeOverhead: true, SkipPodLevelResources: true}},
	{map[string]any{"skipContainerLevelResources": true, "missing": map[string]string{"cpu": "100m", "memory": "200Mi"}},
		resourcehelper.PodResourcesOptions{SkipContainerLevelResources: true, NonMissingContainerRequests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("200Mi")}}},
	{map[string]any{"missing": map[string]string{"cpu": "100m", "memory": "200Mi"}},
		resourcehelper.PodResourcesOptions{NonMissingContainerRequests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("200Mi")}}},
}

func podVectors(r *rand.Rand) []section {
	var options, pods []row
	for _, o := range podOptions {
		options = append(options, row{o.wire})
	}
	for i := 0; i < 350; i++ {
		pod := randomPod(r)
		var totals []any
		for _, o := range podOptions {
			totals = append(totals, []any{resourcehelper.PodRequests(pod, o.opts), resourcehelper.PodLimits(pod, o.opts)})
		}
		pods = append(pods, row{prune(map[string]any{"spec": pod.Spec, "status": pod.Status}), qos.ComputePodQOS(pod), totals})
	}
	return []section{{"options", options}, {"pods", pods}}
}
