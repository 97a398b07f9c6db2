//go:build overlay

// Overlaid on upstream's package (tools/go/README.md), so that another program can send events to the graph builder and
// read the graph.
package garbagecollector

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/garbagecollector/metaonly"
)

// Change is one event of an informer, or a virtual delete event.
type Change struct {
	Type      string // add, update, delete, absent
	Kind      schema.GroupVersionKind
	Object    metav1.ObjectMeta
	OldObject *metav1.ObjectMeta
}

// Consequences has the sorted queue items that one change added, and the events that it caused.
type Consequences struct {
	Deletes, Later, Orphans, Events []string
}

type listQueue[T comparable] struct {
	workqueue.TypedRateLimitingInterface[T]
	items, later []T
}

func (q *listQueue[T]) Add(item T)            { q.items = append(q.items, item) }
func (q *listQueue[T]) AddRateLimited(item T) { q.later = append(q.later, item) }
func (q *listQueue[T]) Done(T)                {}
func (q *listQueue[T]) Get() (T, bool) {
	item := q.items[0]
	q.items = q.items[1:]
	return item, false
}

// Graph is a graph builder without informers.
type Graph struct {
	builder         *GraphBuilder
	changes         *listQueue[*event]
	deletes, orphan *listQueue[*node]
	recorder        *record.FakeRecorder
}

func NewGraph() *Graph {
	g := &Graph{
		changes:  &listQueue[*event]{},
		deletes:  &listQueue[*node]{},
		orphan:   &listQueue[*node]{},
		recorder: record.NewFakeRecorder(1000),
	}
	g.builder = &GraphBuilder{
		eventRecorder:    g.recorder,
		graphChanges:     g.changes,
		uidToNode:        &concurrentUIDToNode{uidToNode: map[types.UID]*node{}},
		attemptToDelete:  g.deletes,
		attemptToOrphan:  g.orphan,
		absentOwnerCache: NewReferenceCache(500),
	}
	return g
}

func (g *Graph) Apply(change Change) Consequences {
	e := &event{gvk: change.Kind, obj: &metaonly.MetadataOnlyObject{ObjectMeta: change.Object}}
	switch change.Type {
	case "add":
		e.eventType = addEvent
	case "update":
		e.eventType = updateEvent
		e.oldObj = &metaonly.MetadataOnlyObject{ObjectMeta: *change.OldObject}
	case "delete":
		e.eventType = deleteEvent
	case "absent":
		e.eventType = deleteEvent
		e.virtual = true
	}
	g.deletes.items, g.deletes.later, g.orphan.items = nil, nil, nil
	g.changes.Add(e)
	g.builder.processGraphChanges(klog.FromContext(context.Background()))
	result := Consequences{Deletes: texts(g.deletes.items), Later: texts(g.deletes.later), Orphans: texts(g.orphan.items)}
	for len(g.recorder.Events) > 0 {
		result.Events = append(result.Events, <-g.recorder.Events)
	}
	sort.Strings(result.Events)
	return result
}

// Nodes describes the graph, a line per node.
func (g *Graph) Nodes() []string {
	lines := []string{}
	for _, n := range g.builder.uidToNode.uidToNode {
		owners, dependents := []string{}, []string{}
		for _, owner := range n.owners {
			owners = append(owners, string(owner.UID))
		}
		for dependent := range n.dependents {
			dependents = append(dependents, string(dependent.identity.UID))
		}
		sort.Strings(dependents)
		lines = append(lines, fmt.Sprintf("%s being deleted: %v, deleting dependents: %v, owners: %s, dependents: %s",
			text(n), n.beingDeleted, n.deletingDependents, strings.Join(owners, " "), strings.Join(dependents, " ")))
	}
	sort.Strings(lines)
	return lines
}

// Virtual are the identities of the virtual nodes, as kind, namespace, name and UID.
func (g *Graph) Virtual() []Change {
	result := []Change{}
	for _, n := range g.builder.uidToNode.uidToNode {
		if n.virtual {
			gv, _ := schema.ParseGroupVersion(n.identity.APIVersion)
			result = append(result, Change{Type: "absent", Kind: gv.WithKind(n.identity.Kind),
				Object: metav1.ObjectMeta{Namespace: n.identity.Namespace, Name: n.identity.Name, UID: n.identity.UID}})
		}
	}
	sort.Slice(result, func(i, j int) bool { return result[i].Object.UID < result[j].Object.UID })
	return result
}

func (g *Graph) IsKnownAbsent(apiVersion, kind, namespace, name, uid string) bool {
	ref := metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid)}
	return g.builder.absentOwnerCache.Has(objectReference{OwnerReference: ref, Namespace: namespace})
}

// Dot is the graph as the debug handler prints it; empty if an owner is missing, because upstream's text is then
// random.
func (g *Graph) Dot() string {
	nodes := g.builder.uidToNode.uidToNode
	for _, n := range nodes {
		for _, owner := range n.owners {
			if _, ok := nodes[owner.UID]; !ok || len(nodes[owner.UID].owners)+len(nodes[owner.UID].dependents) == 0 {
				return ""
			}
		}
	}
	out := bytes.NewBuffer(nil)
	vertices, edges := g.builder.uidToNode.ToDOTNodesAndEdges()
	if err := marshalDOT(out, vertices, edges); err != nil {
		panic(err)
	}
	return out.String()
}

func text(n *node) string {
	virtual := ""
	if n.virtual {
		virtual = " virtual"
	}
	return n.identity.String() + virtual
}

// texts returns each item once, as the queue holds it once.
func texts(nodes []*node) []string {
	seen := map[*node]bool{}
	result := []string{}
	for _, n := range nodes {
		if !seen[n] {
			seen[n] = true
			result = append(result, text(n))
		}
	}
	sort.Strings(result)
	return result
}
