package main

import (
	"fmt"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// The objects other than nodes and pods, the same in all clusters.
type world struct {
	Namespaces   []*v1.Namespace               `json:"namespaces"`
	Services     []*v1.Service                 `json:"services"`
	ReplicaSets  []*apps.ReplicaSet            `json:"replicaSets"`
	StatefulSets []*apps.StatefulSet           `json:"statefulSets"`
	Controllers  []*v1.ReplicationController   `json:"replicationControllers"`
	Classes      []*storage.StorageClass       `json:"storageClasses"`
	Volumes      []*v1.PersistentVolume        `json:"volumes"`
	Claims       []*v1.PersistentVolumeClaim   `json:"claims"`
	CSINodes     []*storage.CSINode            `json:"csiNodes"`
	CSIDrivers   []*storage.CSIDriver          `json:"csiDrivers"`
	Capacities   []*storage.CSIStorageCapacity `json:"capacities"`
}

const driver = "csi.example.com"

func ptr[T any](value T) *T { return &value }

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name + "-uid")}
}

func labelled(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	m := meta(namespace, name)
	m.Labels = labels
	return m
}

func class(name, provisioner string, mode storage.VolumeBindingMode, zones ...string) *storage.StorageClass {
	c := &storage.StorageClass{ObjectMeta: meta("", name), Provisioner: provisioner, VolumeBindingMode: &mode}
	if len(zones) > 0 {
		terms := []v1.TopologySelectorLabelRequirement{{Key: v1.LabelTopologyZone, Values: zones}}
		c.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: terms}}
	}
	return c
}

func volume(name, class, size string, phase v1.PersistentVolumePhase, zones ...string) *v1.PersistentVolume {
	pv := &v1.PersistentVolume{ObjectMeta: meta("", name)}
	pv.Spec.StorageClassName = class
	pv.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
	pv.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	pv.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}
	pv.Status.Phase = phase
	if len(zones) > 0 {
		expressions := []v1.NodeSelectorRequirement{{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: zones}}
		terms := []v1.NodeSelectorTerm{{MatchExpressions: expressions}}
		pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
	}
	return pv
}

func claim(name, class, size, bound string) *v1.PersistentVolumeClaim {
	pvc := &v1.PersistentVolumeClaim{ObjectMeta: meta("default", name)}
	pvc.Spec.StorageClassName = &class
	pvc.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	pvc.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
	pvc.Status.Phase = v1.ClaimPending
	if bound != "" {
		pvc.Spec.VolumeName = bound
		pvc.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		pvc.Status.Phase = v1.ClaimBound
	}
	return pvc
}

func newWorld() *world {
	w := &world{}
	w.Namespaces = []*v1.Namespace{
		{ObjectMeta: labelled("", "default", map[string]string{"team": "none"})},
		{ObjectMeta: labelled("", "team-a", map[string]string{"team": "a", "env": "prod"})},
		{ObjectMeta: labelled("", "team-b", map[string]string{"team": "b"})},
	}
	for _, namespace := range []string{"default", "team-a"} {
		service := &v1.Service{ObjectMeta: meta(namespace, "web")}
		service.Spec.Selector = map[string]string{"app": "web"}
		w.Services = append(w.Services, service)
		set := &apps.ReplicaSet{ObjectMeta: meta(namespace, "web")}
		set.Spec.Selector = &metav1.LabelSelector{
			MatchLabels:      map[string]string{"app": "web"},
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "version", Operator: metav1.LabelSelectorOpIn, Values: []string{"1", "2"}}},
		}
		w.ReplicaSets = append(w.ReplicaSets, set)
	}
	stateful := &apps.StatefulSet{ObjectMeta: meta("default", "db")}
	stateful.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}
	w.StatefulSets = []*apps.StatefulSet{stateful}
	controller := &v1.ReplicationController{ObjectMeta: meta("default", "cache")}
	controller.Spec.Selector = map[string]string{"app": "cache"}
	w.Controllers = []*v1.ReplicationController{controller}

	wait, immediate := storage.VolumeBindingWaitForFirstConsumer, storage.VolumeBindingImmediate
	w.Classes = []*storage.StorageClass{
		class("now", "now.example.com", immediate),
		class("local", "kubernetes.io/no-provisioner", wait),
		class("wait", "wait.example.com", wait),
		class("zonal", driver, wait, "a", "b"),
		class("tracked", "tracked.example.com", wait),
	}
	w.Volumes = []*v1.PersistentVolume{
		volume("bound-a", "now", "5Gi", v1.VolumeBound, "a"),
		volume("bound-any", "now", "5Gi", v1.VolumeBound),
		volume("bound-labelled", "now", "5Gi", v1.VolumeBound),
		volume("bound-once", "now", "5Gi", v1.VolumeBound),
		volume("local-a", "local", "1Gi", v1.VolumeAvailable, "a"),
		volume("local-b", "local", "10Gi", v1.VolumeAvailable, "b"),
		volume("local-b2", "local", "10Gi", v1.VolumeAvailable, "b"),
		volume("wait-c", "wait", "10Gi", v1.VolumeAvailable, "c"),
	}
	w.Volumes[2].Labels = map[string]string{v1.LabelTopologyZone: "b__c", v1.LabelFailureDomainBetaRegion: "r1"}
	w.Claims = []*v1.PersistentVolumeClaim{
		claim("bound-a", "now", "1Gi", "bound-a"),
		claim("bound-any", "now", "1Gi", "bound-any"),
		claim("bound-labelled", "now", "1Gi", "bound-labelled"),
		claim("bound-once", "now", "1Gi", "bound-once"),
		claim("bound-gone", "now", "1Gi", "gone"),
		claim("unbound-now", "now", "1Gi", ""),
		claim("lost", "now", "1Gi", "bound-x"),
		claim("leaving", "now", "1Gi", "bound-any"),
		claim("local-1", "local", "1Gi", ""),
		claim("local-2", "local", "8Gi", ""),
		claim("local-3", "local", "9Gi", ""),
		claim("wait-1", "wait", "1Gi", ""),
		claim("wait-selected", "wait", "1Gi", ""),
		claim("zonal-1", "zonal", "1Gi", ""),
		claim("zonal-2", "zonal", "1Gi", ""),
		claim("tracked-small", "tracked", "1Gi", ""),
		claim("tracked-large", "tracked", "50Gi", ""),
		claim("no-class", "", "1Gi", ""),
		claim("class-gone", "gone", "1Gi", ""),
	}
	byName := map[string]*v1.PersistentVolumeClaim{}
	for _, pvc := range w.Claims {
		byName[pvc.Name] = pvc
	}
	byName["bound-once"].Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
	byName["lost"].Status.Phase = v1.ClaimLost
	byName["leaving"].DeletionTimestamp = &metav1.Time{Time: now}
	byName["wait-selected"].Annotations = map[string]string{"volume.kubernetes.io/selected-node": "n1"}
	for index, count := range map[int]int32{0: 1, 2: 2} {
		node := &storage.CSINode{ObjectMeta: meta("", fmt.Sprintf("n%d", index))}
		node.Spec.Drivers = []storage.CSINodeDriver{{Name: driver, NodeID: "x", Allocatable: &storage.VolumeNodeResources{Count: ptr(count)}}}
		w.CSINodes = append(w.CSINodes, node)
	}
	if w.CSINodes[0].Name > w.CSINodes[1].Name {
		w.CSINodes[0], w.CSINodes[1] = w.CSINodes[1], w.CSINodes[0]
	}
	w.CSIDrivers = []*storage.CSIDriver{{ObjectMeta: meta("", "tracked.example.com"), Spec: storage.CSIDriverSpec{StorageCapacity: ptr(true)}}}
	for zone, size := range map[string]string{"a": "10Gi", "b": "100Gi"} {
		capacity := &storage.CSIStorageCapacity{ObjectMeta: meta("default", "tracked-"+zone), StorageClassName: "tracked"}
		capacity.Capacity = ptr(resource.MustParse(size))
		capacity.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{v1.LabelTopologyZone: zone}}
		w.Capacities = append(w.Capacities, capacity)
	}
	if w.Capacities[0].Name > w.Capacities[1].Name {
		w.Capacities[0], w.Capacities[1] = w.Capacities[1], w.Capacities[0]
	}
	return w
}

func (w *world) objects() []runtime.Object {
	var all []runtime.Object
	add(&all, w.Namespaces)
	add(&all, w.Services)
	add(&all, w.ReplicaSets)
	add(&all, w.StatefulSets)
	add(&all, w.Controllers)
	add(&all, w.Classes)
	add(&all, w.Volumes)
	add(&all, w.Claims)
	add(&all, w.CSINodes)
	add(&all, w.CSIDrivers)
	add(&all, w.Capacities)
	return all
}

func add[T runtime.Object](all *[]runtime.Object, some []T) {
	for _, object := range some {
		*all = append(*all, object)
	}
}
