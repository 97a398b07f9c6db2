//go:build overlay

// Writes the results of upstream's graph builder for random histories: objects that are created, changed and deleted,
// owner references with correct and wrong coordinates, and lookups that found nothing.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steersman/tools/upstream/pkg/controller/garbagecollector"
)

const (
	histories = 120
	changes   = 16
	// dots is the number of histories with the text of their graph.
	dots = 15
)

// identity is apiVersion, kind, namespace, name, UID.
type identity [5]string

type object struct {
	Owners     []metav1.OwnerReference `json:"owners,omitempty"`
	Deleting   bool                    `json:"deleting,omitempty"`
	Finalizers []string                `json:"finalizers,omitempty"`
}

type step struct {
	Type     string   `json:"type"`
	Identity identity `json:"identity"`
	Object   *object  `json:"object,omitempty"`
	Deletes  []string `json:"deletes,omitempty"`
	Later    []string `json:"later,omitempty"`
	Orphans  []string `json:"orphans,omitempty"`
	Events   []string `json:"events,omitempty"`
}

type history struct {
	Steps  []step     `json:"steps"`
	Nodes  []string   `json:"nodes"`
	Absent []identity `json:"absent"`
	Dot    string     `json:"dot,omitempty"`
}

// objects are the existing objects, one per UID. The last one never exists.
var objects = []identity{
	{"v1", "Pod", "a", "web", "u1"},
	{"v1", "Pod", "b", "web", "u2"},
	{"apps/v1", "Deployment", "a", "web", "u3"},
	{"v1", "Node", "", "node", "u4"},
	{"example.com/v1", "Widget", "", "widget", "u5"},
	{"apps/v1", "Deployment", "a", "other", "u6"},
	{"v1", "Secret", "a", "none", "u7"},
}

var wrongKinds = [][2]string{{"v1", "Pod"}, {"v1", "Node"}, {"apps/v1", "Deployment"}, {"extensions/v1beta1", "Deployment"}}

func main() {
	all := []history{}
	withDot := 0
	for seed := int64(0); seed < histories; seed++ {
		h := play(rand.New(rand.NewSource(seed)))
		if h.Dot != "" && withDot == dots {
			h.Dot = ""
		} else if h.Dot != "" {
			withDot++
		}
		all = append(all, h)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(all); err != nil {
		panic(err)
	}
}

func play(rng *rand.Rand) history {
	graph := garbagecollector.NewGraph()
	alive := map[string]*object{}
	mentioned := map[identity]bool{}
	result := history{Steps: []step{}, Absent: []identity{}}
	for range changes {
		s, old := draw(rng, graph, alive)
		change := garbagecollector.Change{Type: s.Type, Kind: kindOf(s.Identity), Object: metaOf(s.Identity, s.Object)}
		if s.Type == "update" {
			meta := metaOf(s.Identity, old)
			change.OldObject = &meta
		}
		consequences := graph.Apply(change)
		s.Deletes, s.Later, s.Orphans = consequences.Deletes, consequences.Later, consequences.Orphans
		s.Events = consequences.Events
		result.Steps = append(result.Steps, s)
		mention(mentioned, s)
	}
	result.Nodes = graph.Nodes()
	result.Dot = graph.Dot()
	for id := range mentioned {
		if graph.IsKnownAbsent(id[0], id[1], id[2], id[3], id[4]) {
			result.Absent = append(result.Absent, id)
		}
	}
	sortIdentities(result.Absent)
	return result
}

func draw(rng *rand.Rand, graph *garbagecollector.Graph, alive map[string]*object) (step, *object) {
	if rng.Intn(10) == 0 {
		return step{Type: "absent", Identity: claimed(rng, alive)}, nil
	}
	virtual := graph.Virtual()
	if len(virtual) > 0 && rng.Intn(4) == 0 {
		c := virtual[rng.Intn(len(virtual))]
		id := identity{c.Kind.GroupVersion().String(), c.Kind.Kind, c.Object.Namespace, c.Object.Name, string(c.Object.UID)}
		if c.Kind.Kind == "Node" {
			id[2] = ""
		}
		return step{Type: "absent", Identity: id}, nil
	}
	id := objects[rng.Intn(len(objects)-1)]
	old := alive[id[4]]
	switch {
	case rng.Intn(16) == 0:
		return step{Type: "absent", Identity: id}, nil
	case old != nil && rng.Intn(4) == 0:
		delete(alive, id[4])
		return step{Type: "delete", Identity: id}, nil
	}
	next := &object{Owners: owners(rng)}
	if old != nil && rng.Intn(2) == 0 {
		next.Owners = old.Owners
	}
	if (old != nil && old.Deleting) || rng.Intn(4) == 0 {
		next.Deleting = true
		for _, finalizer := range []string{"orphan", "foregroundDeletion", "example.com/other"} {
			if rng.Intn(3) == 0 {
				next.Finalizers = append(next.Finalizers, finalizer)
			}
		}
	}
	alive[id[4]] = next
	if old == nil {
		return step{Type: "add", Identity: id, Object: next}, nil
	}
	return step{Type: "update", Identity: id, Object: next}, old
}

// claimed is an owner as some object refers to it, correct or wrong.
func claimed(rng *rand.Rand, alive map[string]*object) identity {
	for _, i := range rng.Perm(len(objects)) {
		id := objects[i]
		if dependent := alive[id[4]]; dependent != nil && len(dependent.Owners) > 0 {
			owner := dependent.Owners[rng.Intn(len(dependent.Owners))]
			namespace := id[2]
			if owner.Kind == "Node" || owner.Kind == "Widget" {
				namespace = ""
			}
			return identity{owner.APIVersion, owner.Kind, namespace, owner.Name, string(owner.UID)}
		}
	}
	return objects[len(objects)-1]
}

func owners(rng *rand.Rand) []metav1.OwnerReference {
	var result []metav1.OwnerReference
	for range rng.Intn(3) {
		owner := objects[rng.Intn(len(objects))]
		ref := metav1.OwnerReference{APIVersion: owner[0], Kind: owner[1], Name: owner[3], UID: types.UID(owner[4])}
		switch rng.Intn(5) {
		case 0:
			wrong := wrongKinds[rng.Intn(len(wrongKinds))]
			ref.APIVersion, ref.Kind = wrong[0], wrong[1]
		case 1:
			ref.Name = "wrong"
		}
		if blocks := rng.Intn(3); blocks > 0 {
			value := blocks == 1
			ref.BlockOwnerDeletion = &value
		}
		result = append(result, ref)
	}
	return result
}

func kindOf(id identity) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(id[0], id[1])
}

func metaOf(id identity, o *object) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Namespace: id[2], Name: id[3], UID: types.UID(id[4])}
	if o == nil {
		return meta
	}
	meta.OwnerReferences = o.Owners
	meta.Finalizers = o.Finalizers
	if o.Deleting {
		now := metav1.NewTime(time.Unix(0, 0))
		meta.DeletionTimestamp = &now
	}
	return meta
}

func mention(mentioned map[identity]bool, s step) {
	mentioned[s.Identity] = true
	if s.Object == nil {
		return
	}
	for _, owner := range s.Object.Owners {
		for _, namespace := range []string{"", "a", "b"} {
			mentioned[identity{owner.APIVersion, owner.Kind, namespace, owner.Name, string(owner.UID)}] = true
		}
	}
}

func sortIdentities(ids []identity) {
	for i := range ids {
		for j := i; j > 0 && fmt.Sprint(ids[j]) < fmt.Sprint(ids[j-1]); j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
}
