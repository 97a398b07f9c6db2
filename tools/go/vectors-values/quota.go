package main

import (
	"fmt"
	"math/rand"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	resourcequotaapi "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	clocktesting "k8s.io/utils/clock/testing"
)

var quotaNow = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

var quotaNames = []corev1.ResourceName{"pods", "count/pods", "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory", "requests.ephemeral-storage", "ephemeral-storage", "limits.ephemeral-storage", "hugepages-2Mi", "requests.hugepages-2Mi",
	"requests.example.com/gpu", "example.com/gpu", "limits.example.com/gpu", "requests.nvidia", "services", "count/services", "services.nodeports", "services.loadbalancers", "persistentvolumeclaims", "count/persistentvolumeclaims", "requests.storage",
	"gold.storageclass.storage.k8s.io/requests.storage", "gold.storageclass.storage.k8s.io/persistentvolumeclaims", "gold.storageclass.storage.k8s.io/other", "count/resourceclaims.resource.k8s.io", "gpu.deviceclass.resource.k8s.io/devices",
	"requests.deviceclass.resource.kubernetes.io/gpu", "requests.deviceclass.resource.kubernetes.io/tpu", "requests.example.com/tpu", "configmaps", "count/configmaps", "secrets", "count/deployments.apps", "storage", "bogus"}

var scopeRequirements = []corev1.ScopedResourceSelectorRequirement{
	{ScopeName: "Terminating", Operator: "Exists"}, {ScopeName: "NotTerminating", Operator: "Exists"}, {ScopeName: "BestEffort", Operator: "Exists"}, {ScopeName: "NotBestEffort", Operator: "Exists"},
	{ScopeName: "PriorityClass", Operator: "Exists"}, {ScopeName: "PriorityClass", Operator: "DoesNotExist"}, {ScopeName: "PriorityClass", Operator: "In", Values: []string{"high", "mid"}}, {ScopeName: "PriorityClass", Operator: "NotIn", Values: []string{"high"}},
	{ScopeName: "CrossNamespacePodAffinity", Operator: "Exists"}, {ScopeName: "VolumeAttributesClass", Operator: "Exists"}, {ScopeName: "VolumeAttributesClass", Operator: "In", Values: []string{"silver"}}, {ScopeName: "VolumeAttributesClass", Operator: "NotIn", Values: []string{"silver"}},
	{ScopeName: "VolumeAttributesClass", Operator: "DoesNotExist"}, {ScopeName: "PriorityClass", Operator: "Near", Values: []string{"x"}}, {ScopeName: "PriorityClass", Operator: "In"}, {ScopeName: "Bogus", Operator: "Exists"},
}

func quotaPod(r *rand.Rand, name string) *corev1.Pod {
	pod := randomPod(r)
	pod.Namespace, pod.Name, pod.UID, pod.ResourceVersion = "ns", name, types.UID("uid-"+name), "7"
	pod.Status.NodeAllocatableResourceClaimStatuses = nil
	pod.Status.Phase = pick(r, []corev1.PodPhase{"", "Pending", "Running", "Running", "Failed", "Succeeded"})
	if r.Intn(4) == 0 {
		at := metav1.NewTime(quotaNow.Add(time.Duration(r.Intn(60)-45) * time.Second))
		grace := int64(r.Intn(40))
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &at, &grace
	}
	if r.Intn(3) == 0 {
		deadline := int64(r.Intn(20) - 1)
		pod.Spec.ActiveDeadlineSeconds = &deadline
	}
	pod.Spec.PriorityClassName = pick(r, []string{"", "", "high", "mid", "low"})
	if r.Intn(4) == 0 {
		term := corev1.PodAffinityTerm{TopologyKey: "t"}
		switch r.Intn(3) {
		case 0:
			term.Namespaces = []string{"other"}
		case 1:
			term.NamespaceSelector = &metav1.LabelSelector{}
		}
		pod.Spec.Affinity = &corev1.Affinity{}
		if r.Intn(2) == 0 {
			pod.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
		} else {
			pod.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: term}}}
		}
	}
	if r.Intn(5) == 0 {
		pod.Status.QOSClass = "BestEffort"
	}
	return pod
}

func quotaService(r *rand.Rand, name string) *corev1.Service {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: "7"}}
	s.Spec.Type = pick(r, []corev1.ServiceType{"", "ClusterIP", "NodePort", "LoadBalancer", "LoadBalancer", "ExternalName"})
	for i := r.Intn(4); i > 0; i-- {
		s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Port: int32(i), NodePort: int32(r.Intn(2) * 30000)})
	}
	if r.Intn(2) == 0 {
		allocate := r.Intn(2) == 0
		s.Spec.AllocateLoadBalancerNodePorts = &allocate
	}
	return s
}

func quotaVolumeClaim(r *rand.Rand, name string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: "7"}}
	sizes := []string{"1Gi", "1.5Gi", "500m", "1500m", "10G", "0", "1e10", "2Gi"}
	if r.Intn(5) > 0 {
		c.Spec.Resources.Requests = corev1.ResourceList{"storage": resource.MustParse(pick(r, sizes))}
	}
	if r.Intn(3) == 0 {
		c.Status.AllocatedResources = corev1.ResourceList{"storage": resource.MustParse(pick(r, sizes))}
	}
	if r.Intn(2) == 0 {
		class := pick(r, []string{"", "gold", "bronze"})
		c.Spec.StorageClassName = &class
	}
	if r.Intn(4) == 0 {
		c.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: pick(r, []string{"", "gold"})}
	}
	class := func() *string {
		s := pick(r, []string{"silver", "iron", ""})
		return &s
	}
	if r.Intn(2) == 0 {
		c.Spec.VolumeAttributesClassName = class()
	}
	if r.Intn(3) == 0 {
		c.Status.CurrentVolumeAttributesClassName = class()
	}
	if r.Intn(3) == 0 {
		c.Status.ModifyVolumeStatus = &corev1.ModifyVolumeStatus{TargetVolumeAttributesClassName: *class()}
	}
	return c
}

func quotaResourceClaim(r *rand.Rand, name string, pods []*corev1.Pod) *resourceapi.ResourceClaim {
	created := metav1.NewTime(quotaNow.Add(-time.Duration(r.Intn(3)) * time.Hour))
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: "7", CreationTimestamp: created}}
	mode := func() resourceapi.DeviceAllocationMode {
		return pick(r, []resourceapi.DeviceAllocationMode{"ExactCount", "ExactCount", "All", "Future"})
	}
	for i := r.Intn(3); i >= 0; i-- {
		request := resourceapi.DeviceRequest{Name: fmt.Sprint("r", i)}
		if r.Intn(2) == 0 {
			request.Exactly = &resourceapi.ExactDeviceRequest{DeviceClassName: pick(r, []string{"gpu", "tpu", "nic"}), AllocationMode: mode(), Count: int64(r.Intn(4))}
		} else {
			for j := r.Intn(3); j > 0; j-- {
				request.FirstAvailable = append(request.FirstAvailable, resourceapi.DeviceSubRequest{Name: fmt.Sprint("s", j), DeviceClassName: pick(r, []string{"gpu", "tpu"}), AllocationMode: mode(), Count: int64(r.Intn(4))})
			}
		}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, request)
	}
	if r.Intn(2) == 0 {
		pod := pick(r, pods)
		yes := true
		c.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &yes}}
		if r.Intn(6) == 0 {
			c.OwnerReferences[0].UID = "stranger"
		}
	}
	return c
}

var tpuResource, gpuResource = "example.com/tpu", "example.com/gpu"

func deviceClasses() []*resourceapi.DeviceClass {
	return []*resourceapi.DeviceClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: &gpuResource}},
		{ObjectMeta: metav1.ObjectMeta{Name: "tpu"}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: &tpuResource}},
		{ObjectMeta: metav1.ObjectMeta{Name: "nic"}},
	}
}

type quotaWorld struct {
	evaluators map[string]quota.Evaluator
	objects    map[string][]runtime.Object
}

func newQuotaWorld(r *rand.Rand) quotaWorld {
	world := quotaWorld{objects: map[string][]runtime.Object{}}
	var pods []*corev1.Pod
	podIndex := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for i := 0; i < 120; i++ {
		pod := quotaPod(r, fmt.Sprint("pod-", i))
		if r.Intn(3) == 0 {
			for j := range pod.Spec.Containers {
				pod.Spec.Containers[j].Resources.Requests = corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
			}
		}
		if i < 12 {
			// The claim evaluator reads the real time; its inputs must not depend on it.
			pod.DeletionTimestamp = nil
		}
		pods = append(pods, pod)
		world.objects["pods"] = append(world.objects["pods"], pod)
		_ = podIndex.Add(pod)
	}
	for i := 0; i < 60; i++ {
		world.objects["services"] = append(world.objects["services"], quotaService(r, fmt.Sprint("svc-", i)))
		world.objects["persistentvolumeclaims"] = append(world.objects["persistentvolumeclaims"], quotaVolumeClaim(r, fmt.Sprint("pvc-", i)))
	}
	owned := map[types.UID][]*resourceapi.ResourceClaim{}
	for i := 0; i < 80; i++ {
		claim := quotaResourceClaim(r, fmt.Sprint("claim-", i), pods[:12])
		world.objects["resourceclaims"] = append(world.objects["resourceclaims"], claim)
		if ref := metav1.GetControllerOf(claim); ref != nil {
			owned[ref.UID] = append(owned[ref.UID], claim)
		}
	}
	for i, pod := range pods[:12] {
		if i%3 == 0 && len(owned[pod.UID]) > 0 {
			pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: owned[pod.UID][0].Name}
		}
	}
	classes := extendedresourcecache.NewExtendedResourceCache(klog.Background())
	for _, class := range deviceClasses() {
		classes.OnAdd(class, true)
	}
	clock := clocktesting.NewFakeClock(quotaNow)
	world.evaluators = map[string]quota.Evaluator{
		"pods":                   core.NewPodEvaluator(nil, clock),
		"services":               core.NewServiceEvaluator(nil),
		"persistentvolumeclaims": core.NewPersistentVolumeClaimEvaluator(nil),
		"resourceclaims": core.NewResourceClaimEvaluator(nil, classes, corev1listers.NewPodLister(podIndex), func(namespace string, uid types.UID) ([]*resourceapi.ResourceClaim, error) {
			return owned[uid], nil
		}),
		"configmaps":  generic.NewObjectCountEvaluator(schema.GroupResource{Resource: "configmaps"}, nil, "configmaps"),
		"deployments": generic.NewObjectCountEvaluator(schema.GroupResource{Group: "apps", Resource: "deployments"}, nil, ""),
	}
	return world
}

func sortedNames(names []corev1.ResourceName) []string {
	out := []string{}
	for _, n := range names {
		out = append(out, string(n))
	}
	sort.Strings(out)
	return out
}

func quotaVectors(r *rand.Rand) []section {
	world := newQuotaWorld(r)
	var names, objects, constraints []row
	for _, kind := range []string{"pods", "services", "persistentvolumeclaims", "resourceclaims", "configmaps", "deployments"} {
		evaluator := world.evaluators[kind]
		names = append(names, row{kind, sortedNames(evaluator.MatchingResources(quotaNames))})
		for _, object := range world.objects[kind] {
			usage, err := evaluator.Usage(object)
			if err != nil {
				panic(err)
			}
			scopes := ""
			for _, scope := range scopeRequirements {
				matched, err := evaluator.MatchingScopes(object, []corev1.ScopedResourceSelectorRequirement{scope})
				switch {
				case err != nil:
					scopes += "e"
				case len(matched) > 0:
					scopes += "1"
				default:
					scopes += "0"
				}
			}
			objects = append(objects, row{kind, prune(object), usage, scopes})
		}
	}
	required := []corev1.ResourceName{"cpu", "requests.memory", "limits.cpu", "limits.memory", "pods", "requests.ephemeral-storage"}
	for i, object := range world.objects["pods"][:40] {
		asked := required[i%3:]
		var message any
		if err := world.evaluators["pods"].Constraints(asked, object); err != nil {
			message = err.Error()
		}
		constraints = append(constraints, row{i, asked, message})
	}
	var classes []row
	for _, class := range deviceClasses() {
		classes = append(classes, row{prune(class)})
	}
	return []section{{"now", []row{{quotaNow.UnixMilli()}}}, {"names", append([]row{{"all", quotaNames}}, names...)}, {"scopes", []row{{scopeRequirements}}}, {"classes", classes},
		{"objects", objects}, {"constraints", constraints}, {"arithmetic", quotaArithmetic(r)}, {"requests", quotaRequests(r, world)}}
}

func quotaArithmetic(r *rand.Rand) []row {
	var rows []row
	list := func() corev1.ResourceList {
		out := corev1.ResourceList{}
		for n := r.Intn(4); n > 0; n-- {
			name := pick(r, resourceNames)
			out[name] = randomAmount(r, name)
		}
		return out
	}
	for i := 0; i < 120; i++ {
		a, b := list(), list()
		_, exceeded := quota.LessThanOrEqual(a, b)
		rows = append(rows, row{a, b, quota.Add(a, b), quota.SubtractWithNonNegativeResult(a, b), quota.Mask(a, quota.ResourceNames(b)), quota.Equals(a, b), sortedNames(exceeded), quota.RemoveZeros(a)})
	}
	return rows
}

func randomQuota(r *rand.Rand, i int) corev1.ResourceQuota {
	q := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("quota-", i), Namespace: "ns"}}
	q.Status = corev1.ResourceQuotaStatus{Hard: corev1.ResourceList{}, Used: corev1.ResourceList{}}
	for n := 1 + r.Intn(4); n > 0; n-- {
		name := pick(r, quotaNames)
		q.Status.Hard[name] = resource.MustParse(pick(r, []string{"1", "2", "4", "10", "1Gi", "100Gi", "0"}))
		if r.Intn(12) > 0 {
			q.Status.Used[name] = resource.MustParse(pick(r, []string{"0", "1", "2", "500m", "512Mi"}))
		}
	}
	if r.Intn(3) == 0 {
		q.Spec.Scopes = []corev1.ResourceQuotaScope{pick(r, scopeRequirements[:5]).ScopeName}
	}
	if r.Intn(4) == 0 {
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{pick(r, scopeRequirements)}}
	}
	return q
}

func quotaRequests(r *rand.Rand, world quotaWorld) []row {
	limited := [][]resourcequotaapi.LimitedResource{nil, nil, {{Resource: "pods", MatchContains: []string{"cpu", "pods"}}},
		{{Resource: "pods", MatchScopes: []corev1.ScopedResourceSelectorRequirement{{ScopeName: "PriorityClass", Operator: "In", Values: []string{"high"}}}}, {Resource: "services", MatchContains: []string{"nodeports"}}}}
	var rows []row
	for i := 0; i < 400; i++ {
		kind := pick(r, []string{"pods", "pods", "pods", "services", "persistentvolumeclaims", "resourceclaims"})
		index, oldIndex := r.Intn(len(world.objects[kind])), -1
		object := world.objects[kind][index]
		operation, subresource := admission.Create, ""
		var old runtime.Object
		if r.Intn(3) == 0 {
			operation = admission.Update
			oldIndex = r.Intn(len(world.objects[kind]))
			old = world.objects[kind][oldIndex]
			subresource = pick(r, []string{"", "", "resize", "status"})
		}
		var quotas []corev1.ResourceQuota
		for n := r.Intn(3); n >= 0; n-- {
			quotas = append(quotas, randomQuota(r, n))
		}
		rule := pick(r, limited)
		gvr := schema.GroupVersionResource{Version: "v1", Resource: kind}
		if kind == "resourceclaims" {
			gvr.Group = "resource.k8s.io"
		}
		attributes := admission.NewAttributesRecord(object, old, schema.GroupVersionKind{}, "ns", "x", gvr, subresource, operation, nil, false, nil)
		after, err := resourcequota.CheckRequest(quotas, attributes, world.evaluators[kind], rule)
		var result any
		if err != nil {
			result = failure(err)
		} else {
			used := []any{}
			for _, q := range after {
				used = append(used, q.Status.Used)
			}
			result = used
		}
		wireRules := []any{}
		for _, l := range rule {
			wireRules = append(wireRules, map[string]any{"apiGroup": l.APIGroup, "resource": l.Resource, "matchContains": l.MatchContains, "matchScopes": l.MatchScopes})
		}
		wireQuotas := []any{}
		for _, q := range quotas {
			wireQuotas = append(wireQuotas, prune(q))
		}
		rows = append(rows, row{kind, index, oldIndex, string(operation), subresource, wireQuotas, prune(wireRules), result})
	}
	return rows
}
