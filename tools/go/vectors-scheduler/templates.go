package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var now = time.Unix(1_800_000_000, 0)

func oneIn(n int) bool { return random.Intn(n) == 0 }

func pick[T any](choices ...T) T { return choices[random.Intn(len(choices))] }

func quantities(pairs ...string) v1.ResourceList {
	list := v1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list[v1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
		}
	}
	return list
}

// A node without its name. Its label kubernetes.io/hostname is its name.
func randomNode() *v1.Node {
	node := &v1.Node{}
	node.Labels = map[string]string{}
	if zone := pick("a", "a", "b", "b", "c", ""); zone != "" {
		node.Labels[v1.LabelTopologyZone] = zone
		node.Labels[v1.LabelTopologyRegion] = "r1"
	}
	if disk := pick("ssd", "hdd", ""); disk != "" {
		node.Labels["disk"] = disk
	}
	if oneIn(2) {
		node.Labels["rank"] = pick("1", "3", "5", "x")
	}
	node.Status.Allocatable = quantities(
		"cpu", pick("2", "4", "8", "3900m"), "memory", pick("2Gi", "4Gi", "8Gi", "3500Mi"), "ephemeral-storage", pick("", "10Gi", "10Gi", "20Gi"),
		"pods", pick("3", "5", "110", "110"), "example.com/gpu", pick("", "", "1", "2"), "hugepages-2Mi", pick("", "", "4Mi"))
	if oneIn(20) {
		node.Spec.Unschedulable = true
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	if oneIn(8) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: "dedicated", Value: pick("x", "y"), Effect: pick(v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute)})
	}
	for range pick(0, 0, 1, 2) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: pick("slow", "old"), Value: pick("", "1"), Effect: v1.TaintEffectPreferNoSchedule})
	}
	for _, image := range []string{"big", "small", "huge"} {
		if oneIn(3) {
			size := map[string]int64{"big": 700 << 20, "small": 30 << 20, "huge": 3000 << 20}[image]
			node.Status.Images = append(node.Status.Images, v1.ContainerImage{Names: []string{image + ":latest", "reg.example/" + image + ":1"}, SizeBytes: size})
		}
	}
	return node
}

func requests() v1.ResourceRequirements {
	if oneIn(4) {
		return v1.ResourceRequirements{}
	}
	return v1.ResourceRequirements{Requests: quantities(
		"cpu", pick("", "100m", "500m", "1", "1500m"), "memory", pick("", "64Mi", "500Mi", "1Gi"),
		"ephemeral-storage", pick("", "", "", "", "", "", "4Gi"), "example.com/gpu", pick("", "", "", "", "", "", "", "", "", "", "1"),
		"hugepages-2Mi", pick("", "", "", "", "", "", "", "", "", "", "", "", "", "", "2Mi"))}
}

func container(name string) v1.Container {
	return v1.Container{Name: name, Image: pick("big", "small", "huge:latest", "reg.example/big:1", "other"), Resources: requests()}
}

func selector() *metav1.LabelSelector {
	switch random.Intn(6) {
	case 0:
		return &metav1.LabelSelector{}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"db"}}}}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "version", Operator: metav1.LabelSelectorOpExists}}}
	default:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick("web", "web", "db", "cache")}}
	}
}

func affinityTerm() v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{LabelSelector: selector(), TopologyKey: pick(v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyZone, "disk")}
	switch random.Intn(8) {
	case 0:
		term.Namespaces = []string{"team-a"}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{}
	case 2:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": pick("a", "none")}}
	case 3:
		term.Namespaces = []string{"team-b"}
		term.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	case 4:
		if oneIn(4) {
			term.LabelSelector = nil
		}
	}
	return term
}

func weightedTerms() []v1.WeightedPodAffinityTerm {
	var terms []v1.WeightedPodAffinityTerm
	for range 1 + random.Intn(2) {
		terms = append(terms, v1.WeightedPodAffinityTerm{Weight: int32(1 + random.Intn(100)), PodAffinityTerm: affinityTerm()})
	}
	return terms
}

func nodeRequirement() v1.NodeSelectorRequirement {
	switch random.Intn(6) {
	case 0:
		return v1.NodeSelectorRequirement{Key: "rank", Operator: pick(v1.NodeSelectorOpGt, v1.NodeSelectorOpLt), Values: []string{pick("2", "4")}}
	case 1:
		return v1.NodeSelectorRequirement{Key: "disk", Operator: pick(v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist)}
	case 2:
		return v1.NodeSelectorRequirement{Key: "disk", Operator: v1.NodeSelectorOpNotIn, Values: []string{"hdd"}}
	default:
		return v1.NodeSelectorRequirement{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{pick("a", "b"), pick("b", "c")}}
	}
}

func nodeTerm() v1.NodeSelectorTerm {
	switch random.Intn(7) {
	case 0:
		return v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: pick(v1.NodeSelectorOpIn, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn), Values: []string{pick("n0", "n1", "n7")}}}}
	case 1:
		return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{nodeRequirement(), nodeRequirement()}}
	default:
		return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{nodeRequirement()}}
	}
}

func nodeAffinity() *v1.NodeAffinity {
	affinity := &v1.NodeAffinity{}
	if oneIn(2) {
		terms := []v1.NodeSelectorTerm{nodeTerm()}
		if oneIn(3) {
			terms = append(terms, nodeTerm())
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{NodeSelectorTerms: terms}
	}
	if affinity.RequiredDuringSchedulingIgnoredDuringExecution == nil || oneIn(2) {
		for range 1 + random.Intn(2) {
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: int32(1 + random.Intn(100)), Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{nodeRequirement()}}})
		}
	}
	return affinity
}

func constraint() v1.TopologySpreadConstraint {
	c := v1.TopologySpreadConstraint{
		MaxSkew:           int32(1 + random.Intn(2)),
		TopologyKey:       pick(v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyZone, "disk"),
		WhenUnsatisfiable: pick(v1.DoNotSchedule, v1.DoNotSchedule, v1.ScheduleAnyway),
		LabelSelector:     selector(),
	}
	if c.WhenUnsatisfiable == v1.DoNotSchedule && oneIn(4) {
		c.MinDomains = ptr(int32(1 + random.Intn(4)))
	}
	if oneIn(4) {
		c.NodeAffinityPolicy = ptr(pick(v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
	}
	if oneIn(4) {
		c.NodeTaintsPolicy = ptr(pick(v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
	}
	if oneIn(5) {
		c.MatchLabelKeys = []string{"version"}
	}
	return c
}

func toleration() v1.Toleration {
	switch random.Intn(6) {
	case 0:
		return v1.Toleration{Operator: v1.TolerationOpExists}
	case 1:
		return v1.Toleration{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}
	case 2:
		return v1.Toleration{Key: pick("slow", "old"), Operator: v1.TolerationOpExists}
	default:
		return v1.Toleration{Key: "dedicated", Value: pick("x", "y"), Effect: pick(v1.TaintEffectNoSchedule, "")}
	}
}

func addResources(pod *v1.Pod) {
	if oneIn(5) {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container("first"))
	}
	if oneIn(6) {
		sidecar := container("sidecar")
		sidecar.RestartPolicy = ptr(v1.ContainerRestartPolicyAlways)
		pod.Spec.InitContainers = append([]v1.Container{sidecar}, pod.Spec.InitContainers...)
	}
	if oneIn(6) {
		pod.Spec.Containers = append(pod.Spec.Containers, container("second"))
	}
	if oneIn(8) {
		pod.Spec.Overhead = quantities("cpu", "250m", "memory", "120Mi")
	}
	if oneIn(8) {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: quantities("cpu", "2", "memory", pick("", "1500Mi"))}
	}
}

func addVolumes(pod *v1.Pod, claims []string) {
	for i := range 1 + random.Intn(2) {
		source := v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: pick(claims...)}}
		switch random.Intn(20) {
		case 0:
			source = v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{}}}
		case 1:
			source = v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}
		case 2, 3:
			source = v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{IQN: pick("iqn-1", "iqn-2"), ReadOnly: oneIn(2)}}
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: source})
	}
}

func addAffinity(pod *v1.Pod) {
	affinity := &v1.Affinity{}
	if oneIn(2) {
		affinity.NodeAffinity = nodeAffinity()
	}
	switch random.Intn(6) {
	case 0:
		affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{affinityTerm()}}
		if oneIn(3) {
			affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, affinityTerm())
		}
	case 1:
		affinity.PodAffinity = &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weightedTerms()}
	}
	switch random.Intn(6) {
	case 0:
		affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{affinityTerm()}}
	case 1:
		affinity.PodAntiAffinity = &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weightedTerms()}
	}
	pod.Spec.Affinity = affinity
}

func addOwner(pod *v1.Pod) {
	owner := map[string][2]string{"web": {"apps/v1", "ReplicaSet"}, "db": {"apps/v1", "StatefulSet"}, "cache": {"v1", "ReplicationController"}}
	if name := pod.Labels["app"]; name != "" {
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: owner[name][0], Kind: owner[name][1], Name: name, UID: "x", Controller: ptr(true)}}
	}
}

// A pod without its name and node.
func randomPod(claims []string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pick("default", "default", "default", "team-a", "team-b")}}
	pod.Labels = map[string]string{}
	if app := pick("web", "web", "db", "cache", ""); app != "" {
		pod.Labels["app"] = app
	}
	if oneIn(2) {
		pod.Labels["version"] = pick("1", "2")
	}
	pod.Spec.SchedulerName = v1.DefaultSchedulerName
	pod.Spec.Containers = []v1.Container{container("main")}
	if oneIn(2) {
		addResources(pod)
	}
	if oneIn(5) {
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: pick(int32(80), 443), HostIP: pick("", "", "10.0.0.1", "10.0.0.2"), Protocol: pick(v1.ProtocolTCP, v1.ProtocolUDP, "")}}
	}
	if oneIn(8) {
		pod.Spec.NodeSelector = map[string]string{"disk": pick("ssd", "hdd")}
	}
	if oneIn(2) {
		addAffinity(pod)
	}
	for range pick(0, 0, 0, 1, 2) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration())
	}
	for range pick(0, 0, 1, 1, 2) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint())
	}
	if pod.Namespace == "default" && oneIn(4) {
		addVolumes(pod, claims)
	}
	if oneIn(2) {
		addOwner(pod)
	}
	if oneIn(20) {
		pod.Spec.PreemptionPolicy = ptr(v1.PreemptNever)
	}
	return pod
}
