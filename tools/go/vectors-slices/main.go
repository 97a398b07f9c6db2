// Writes the results of upstream's reconciler for random states of a Service: its pods, its slices, and the maximum
// number of endpoints in a slice. Each state is reconciled several times, because upstream chooses at random among
// equals; names that differ between the runs are left out. src/controllers/endpointslice/planning.test.ts reads the
// same texts.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/endpointslice"
	endpointsliceutil "k8s.io/endpointslice/util"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

const (
	states     = 2000
	runs       = 200
	controller = "endpointslice-controller.k8s.io"
)

// A state. A pod is "r0a": ready, unready, terminating, done or without IP; port group; node. A slice is
// "0ol:1=,2!,q1": port group, owned or foreign, labels or drift; endpoints of pods as they are or otherwise, and of
// pods that do not exist; "h" means a hint for the zone.
type state struct {
	Max     int      `json:"max"`
	Traffic string   `json:"traffic,omitempty"`
	Pods    []string `json:"pods"`
	Slices  []string `json:"slices"`
	Outcome outcome  `json:"outcome"`
}

// Names that chance decides are left out.
type outcome struct {
	Creates int               `json:"creates"`
	Updates int               `json:"updates"`
	Deletes int               `json:"deletes"`
	Updated *string           `json:"updated,omitempty"`
	Deleted *string           `json:"deleted,omitempty"`
	Groups  map[string]string `json:"groups"`
}

var ports = map[string]int32{"0": 8080, "1": 9090, "x": 7070}
var zones = map[string]string{"a": "zone-a", "b": "zone-b"}

func pick(random *rand.Rand, letters string) string {
	return string(letters[random.Intn(len(letters))])
}

func randomState(random *rand.Rand) state {
	s := state{Max: 1 + random.Intn(6), Traffic: []string{"", "", "PreferClose", "PreferSameNode"}[random.Intn(4)]}
	for range random.Intn(14) {
		s.Pods = append(s.Pods, pick(random, "rrrrrutdi")+pick(random, "000001-")+pick(random, "aaabbnnz"))
	}
	placed := map[int]bool{}
	for range random.Intn(5) {
		group := pick(random, "00001-x")
		text := group + pick(random, "ooooof") + pick(random, "lllld") + ":"
		var endpoints []string
		for range random.Intn(s.Max + 1) {
			if pod := random.Intn(len(s.Pods) + 2); pod < len(s.Pods) && (!placed[pod] || random.Intn(20) == 0) {
				placed[pod] = true
				endpoints = append(endpoints, fmt.Sprint(pod)+pick(random, "=====!")+[]string{"", "", "h"}[random.Intn(3)])
			} else {
				endpoints = append(endpoints, "q"+fmt.Sprint(random.Intn(100))+pick(random, "=!"))
			}
		}
		s.Slices = append(s.Slices, text+strings.Join(endpoints, ","))
	}
	return s
}

func service(s state) *v1.Service {
	out := &v1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "team-a", UID: "service", Labels: map[string]string{"team": "a"}},
		Spec: v1.ServiceSpec{
			ClusterIP:  "10.0.0.10",
			Selector:   map[string]string{"app": "web"},
			IPFamilies: []v1.IPFamily{v1.IPv4Protocol},
			Ports:      []v1.ServicePort{{Port: 80, Protocol: v1.ProtocolTCP, TargetPort: intstr.FromString("http")}},
		},
	}
	if s.Traffic != "" {
		out.Spec.TrafficDistribution = &s.Traffic
	}
	return out
}

func podOf(text string, index int) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%d", index), Namespace: "team-a", UID: types.UID(fmt.Sprintf("u%d", index))},
		Spec:       v1.PodSpec{NodeName: "node-" + text[2:3], Containers: []v1.Container{{Name: "main"}}},
		Status:     v1.PodStatus{Phase: v1.PodRunning},
	}
	if port, ok := ports[text[1:2]]; ok {
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{Name: "http", ContainerPort: port, Protocol: v1.ProtocolTCP}}
	}
	ready := v1.ConditionTrue
	switch text[0] {
	case 'u':
		ready = v1.ConditionFalse
	case 't':
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)}
	case 'd':
		pod.Status.Phase = v1.PodSucceeded
	}
	if text[0] != 'i' {
		pod.Status.PodIPs = []v1.PodIP{{IP: fmt.Sprintf("10.1.0.%d", index+1)}}
	}
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: ready}}
	return pod
}

func sliceOf(s state, text string, index int) *discovery.EndpointSlice {
	uid := types.UID("service")
	if text[1] == 'f' {
		uid = "other"
	}
	team := "a"
	if text[2] == 'd' {
		team = "b"
	}
	out := &discovery.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("s%d", index), Namespace: "team-a", UID: types.UID(fmt.Sprintf("us%d", index)),
			Labels:          map[string]string{"team": team, discovery.LabelServiceName: "web", discovery.LabelManagedBy: controller},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: "web", UID: uid}},
		},
		AddressType: discovery.AddressTypeIPv4,
	}
	if port, ok := ports[text[:1]]; ok {
		out.Ports = []discovery.EndpointPort{{Name: ptr.To(""), Protocol: ptr.To(v1.ProtocolTCP), Port: ptr.To(port)}}
	}
	if list := text[4:]; list != "" {
		for _, each := range strings.Split(list, ",") {
			out.Endpoints = append(out.Endpoints, endpointOf(s, each))
		}
	}
	return out
}

func endpointOf(s state, text string) discovery.Endpoint {
	hinted := strings.HasSuffix(text, "h")
	text = strings.TrimSuffix(text, "h")
	changed := strings.HasSuffix(text, "!")
	id := text[:len(text)-1]
	if id[0] == 'q' {
		return discovery.Endpoint{
			Addresses:  []string{"10.2.0." + id[1:]},
			Conditions: discovery.EndpointConditions{Ready: ptr.To(!changed), Serving: ptr.To(!changed), Terminating: ptr.To(false)},
			TargetRef:  &v1.ObjectReference{Kind: "Pod", Namespace: "team-a", Name: id, UID: types.UID(id)},
		}
	}
	var index int
	fmt.Sscan(id, &index)
	pod := s.Pods[index]
	serving := (pod[0] != 'u') != changed
	terminating := pod[0] == 't'
	out := discovery.Endpoint{
		Addresses:  []string{fmt.Sprintf("10.1.0.%d", index+1)},
		Conditions: discovery.EndpointConditions{Ready: ptr.To(serving && !terminating), Serving: &serving, Terminating: &terminating},
		TargetRef:  &v1.ObjectReference{Kind: "Pod", Namespace: "team-a", Name: "p" + id, UID: types.UID("u" + id)},
		NodeName:   ptr.To("node-" + pod[2:3]),
	}
	if zone, ok := zones[pod[2:3]]; ok {
		out.Zone = &zone
		if hinted {
			out.Hints = &discovery.EndpointHints{ForZones: []discovery.ForZone{{Name: zone}}}
		}
	}
	return out
}

func nodes() corelisters.NodeLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, letter := range []string{"a", "b", "n"} {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-" + letter}}
		if zone, ok := zones[letter]; ok {
			node.Labels = map[string]string{v1.LabelTopologyZone: zone}
		}
		indexer.Add(node)
	}
	return corelisters.NewNodeLister(indexer)
}

func endpointText(endpoint discovery.Endpoint) string {
	out := endpoint.TargetRef.Name + ":"
	for _, flag := range []struct {
		letter string
		value  *bool
	}{{"r", endpoint.Conditions.Ready}, {"s", endpoint.Conditions.Serving}, {"t", endpoint.Conditions.Terminating}} {
		if *flag.value {
			out += flag.letter
		}
	}
	if endpoint.Hints != nil {
		for _, zone := range endpoint.Hints.ForZones {
			out += "+" + strings.TrimPrefix(zone.Name, "zone-")
		}
		for _, node := range endpoint.Hints.ForNodes {
			out += "@" + strings.TrimPrefix(node.Name, "node-")
		}
	}
	return out
}

// groupsOf returns the remaining slices by their ports: sizes, and all endpoints.
func groupsOf(left []*discovery.EndpointSlice) map[string]string {
	sizes, endpoints := map[string][]int{}, map[string][]string{}
	for _, slice := range left {
		group := "-"
		for name, port := range ports {
			if len(slice.Ports) > 0 && *slice.Ports[0].Port == port {
				group = name
			}
		}
		sizes[group] = append(sizes[group], len(slice.Endpoints))
		for _, endpoint := range slice.Endpoints {
			endpoints[group] = append(endpoints[group], endpointText(endpoint))
		}
	}
	out := map[string]string{}
	for group := range sizes {
		slices.Sort(sizes[group])
		slices.Sort(endpoints[group])
		out[group] = strings.Trim(fmt.Sprint(sizes[group]), "[]") + " | " + strings.Join(endpoints[group], " ")
	}
	return out
}

func reconcile(s state) outcome {
	client := fake.NewSimpleClientset()
	left := map[string]*discovery.EndpointSlice{}
	var existing []*discovery.EndpointSlice
	for index, text := range s.Slices {
		slice := sliceOf(s, text, index)
		existing = append(existing, slice)
		left[slice.Name] = slice
	}
	out := outcome{}
	var updated, deleted []string
	client.PrependReactor("*", "endpointslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch action := action.(type) {
		case clienttesting.CreateActionImpl:
			out.Creates++
			slice := action.Object.(*discovery.EndpointSlice)
			left[fmt.Sprintf("new%d", out.Creates)] = slice
			return true, slice, nil
		case clienttesting.UpdateActionImpl:
			slice := action.Object.(*discovery.EndpointSlice)
			updated = append(updated, slice.Name)
			left[slice.Name] = slice
			return true, slice, nil
		case clienttesting.DeleteActionImpl:
			deleted = append(deleted, action.Name)
			delete(left, action.Name)
			return true, nil, nil
		}
		return false, nil, nil
	})
	var pods []*v1.Pod
	for index, text := range s.Pods {
		pods = append(pods, podOf(text, index))
	}
	reconciler := endpointslice.NewReconciler(client, nodes(), int32(s.Max), endpointsliceutil.NewEndpointSliceTracker(), nil,
		record.NewFakeRecorder(1000), controller, endpointslice.WithPreferSameTrafficDistributionEnabled(true))
	_ = reconciler.Reconcile(klog.Background(), service(s), pods, existing, time.Time{})
	out.Updates, out.Deletes = len(updated), len(deleted)
	slices.Sort(updated)
	slices.Sort(deleted)
	out.Updated, out.Deleted = ptr.To(strings.Join(updated, " ")), ptr.To(strings.Join(deleted, " "))
	var remaining []*discovery.EndpointSlice
	for _, slice := range left {
		remaining = append(remaining, slice)
	}
	out.Groups = groupsOf(remaining)
	return out
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func main() {
	klog.SetLogger(klog.Logger{})
	random := rand.New(rand.NewSource(1))
	all := []state{}
	for len(all) < states {
		s := randomState(random)
		s.Outcome = reconcile(s)
		isChance := false
		for range runs - 1 {
			other := reconcile(s)
			if s.Outcome.Updated != nil && *other.Updated != *s.Outcome.Updated {
				s.Outcome.Updated = nil
			}
			if s.Outcome.Deleted != nil && *other.Deleted != *s.Outcome.Deleted {
				s.Outcome.Deleted = nil
			}
			other.Updated, other.Deleted = s.Outcome.Updated, s.Outcome.Deleted
			isChance = isChance || text(other) != text(s.Outcome)
		}
		// If one of two slices of the same size is filled, they may differ in hints or labels, and the rest is chance.
		if !isChance {
			all = append(all, s)
		}
	}
	json.NewEncoder(os.Stdout).Encode(all)
}
