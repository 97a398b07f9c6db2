//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package deployment

import (
	"context"

	apps "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
)

// Resized is a ReplicaSet with the size that a step wrote.
type Resized struct {
	Name string `json:"name"`
	Size int32  `json:"size"`
}

// Step is one of the three steps that decide sizes.
type Step func(dc *DeploymentController, d *apps.Deployment, newSet *apps.ReplicaSet, oldSets []*apps.ReplicaSet) (bool, error)

// Grow scales the new ReplicaSet towards the desired size.
func Grow(dc *DeploymentController, d *apps.Deployment, newSet *apps.ReplicaSet, oldSets []*apps.ReplicaSet) (bool, error) {
	return dc.reconcileNewReplicaSet(context.Background(), append(oldSets, newSet), newSet, d)
}

// Shrink removes replicas from the old ReplicaSets that have some.
func Shrink(dc *DeploymentController, d *apps.Deployment, newSet *apps.ReplicaSet, oldSets []*apps.ReplicaSet) (bool, error) {
	active := []*apps.ReplicaSet{}
	for _, set := range oldSets {
		if *set.Spec.Replicas > 0 {
			active = append(active, set)
		}
	}
	return dc.reconcileOldReplicaSets(context.Background(), append(append([]*apps.ReplicaSet{}, oldSets...), newSet), active, newSet, d)
}

// Scale distributes a new size over all ReplicaSets.
func Scale(dc *DeploymentController, d *apps.Deployment, newSet *apps.ReplicaSet, oldSets []*apps.ReplicaSet) (bool, error) {
	return false, dc.scale(context.Background(), d, newSet, oldSets)
}

// Run executes a step and returns the sizes that it wrote, in order. Writes that change only annotations are left out.
func Run(step Step, d *apps.Deployment, newSet *apps.ReplicaSet, oldSets []*apps.ReplicaSet) (resized []Resized, isScaled bool, err error) {
	sizes := map[string]int32{}
	objects := []runtime.Object{}
	copies := []*apps.ReplicaSet{}
	for _, set := range append(append([]*apps.ReplicaSet{}, oldSets...), newSet) {
		sizes[set.Name] = *set.Spec.Replicas
		objects = append(objects, set.DeepCopy())
		copies = append(copies, set.DeepCopy())
	}
	client := fake.NewClientset(objects...)
	dc := &DeploymentController{client: client, eventRecorder: record.NewFakeRecorder(1000)}
	last := len(copies) - 1
	isScaled, err = step(dc, d.DeepCopy(), copies[last], copies[:last:last])
	resized = []Resized{}
	for _, action := range client.Actions() {
		if update, ok := action.(clienttesting.UpdateAction); ok {
			set := update.GetObject().(*apps.ReplicaSet)
			if size := *set.Spec.Replicas; size != sizes[set.Name] {
				sizes[set.Name] = size
				resized = append(resized, Resized{set.Name, size})
			}
		}
	}
	return resized, isScaled, err
}
