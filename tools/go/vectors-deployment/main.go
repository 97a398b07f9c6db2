//go:build overlay

// Writes how upstream's Deployment controller sizes the ReplicaSets of a rollout: the new one grows, old ones shrink,
// and a new size is distributed over all of them.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"time"

	apps "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	util "k8s.io/kubernetes/pkg/controller/deployment/util"

	"steersman/tools/upstream/pkg/controller/deployment"
)

type set struct {
	Name      string            `json:"name"`
	Age       int               `json:"age"`
	Replicas  int32             `json:"replicas"`
	Available int32             `json:"available"`
	Noted     map[string]string `json:"noted,omitempty"`
}

type outcome struct {
	Resized  []deployment.Resized `json:"resized"`
	IsScaled bool                 `json:"isScaled"`
	Error    string               `json:"error,omitempty"`
}

type vector struct {
	Replicas       int32                       `json:"replicas"`
	Total          int32                       `json:"total"`
	Strategy       apps.DeploymentStrategyType `json:"strategy"`
	MaxSurge       *intstr.IntOrString         `json:"maxSurge,omitempty"`
	MaxUnavailable *intstr.IntOrString         `json:"maxUnavailable,omitempty"`
	New            set                         `json:"new"`
	Old            []set                       `json:"old"`
	Surge          int32                       `json:"surge"`
	Unavailable    int32                       `json:"unavailable"`
	Grow           outcome                     `json:"grow"`
	Shrink         outcome                     `json:"shrink"`
	Scale          outcome                     `json:"scale"`
}

var (
	random = rand.New(rand.NewSource(1))
	now    = time.Unix(1_800_000_000, 0)
)

func draw(values ...int32) int32 { return values[random.Intn(len(values))] }

func amount() *intstr.IntOrString {
	value := intstr.FromInt32(draw(0, 0, 1, 2, 5))
	if random.Intn(2) == 0 {
		value = intstr.FromString(fmt.Sprintf("%d%%", draw(0, 1, 10, 25, 25, 30, 50, 100)))
	}
	return &value
}

func setOf(name string, age int, replicas, wanted int32) set {
	available := replicas
	switch random.Intn(6) {
	case 0:
		available = int32(random.Intn(int(replicas) + 1))
	case 1:
		available = 0
	case 2:
		// The controller has scaled the set down, and the status still has the old size.
		available = replicas + int32(random.Intn(3))
	}
	noted := map[string]string{}
	if random.Intn(5) > 0 {
		noted[util.DesiredReplicasAnnotation] = fmt.Sprint(draw(wanted, wanted, wanted+2, 10))
		noted[util.MaxReplicasAnnotation] = fmt.Sprint(draw(wanted, wanted+1, wanted+3, 13))
	} else if random.Intn(3) == 0 {
		noted[util.MaxReplicasAnnotation] = []string{"none", "0", "-4", "2147483648"}[random.Intn(4)]
	}
	return set{name, age, replicas, available, noted}
}

func (s set) object() *apps.ReplicaSet {
	object := &apps.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: s.Name, Annotations: s.Noted,
		CreationTimestamp: metav1.Time{Time: now.Add(-time.Duration(s.Age) * time.Second)},
	}}
	object.Spec.Replicas = &s.Replicas
	object.Status.AvailableReplicas = s.Available
	return object
}

func draft() vector {
	v := vector{Replicas: draw(0, 1, 2, 3, 5, 10, 10, 20, 100), Strategy: apps.RollingUpdateDeploymentStrategyType}
	if random.Intn(12) == 0 {
		v.Strategy = apps.RecreateDeploymentStrategyType
	} else {
		v.MaxSurge, v.MaxUnavailable = amount(), amount()
	}
	v.New = setOf("new", 0, int32(random.Intn(int(v.Replicas)+3)), v.Replicas)
	for index := range random.Intn(4) {
		size := int32(random.Intn(int(v.Replicas) + 2))
		// Ties in age are decided by name, ties in size by age.
		v.Old = append(v.Old, setOf(fmt.Sprintf("old-%d", index), 1+random.Intn(3), size, v.Replicas))
	}
	v.Total = int32(random.Intn(30))
	return v
}

func (v *vector) ask() {
	d := &apps.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	d.Spec.Replicas = &v.Replicas
	d.Status.Replicas = v.Total
	d.Spec.Strategy.Type = v.Strategy
	if v.MaxSurge != nil {
		d.Spec.Strategy.RollingUpdate = &apps.RollingUpdateDeployment{MaxSurge: v.MaxSurge, MaxUnavailable: v.MaxUnavailable}
	}
	v.Surge, v.Unavailable = util.MaxSurge(*d), util.MaxUnavailable(*d)
	old := []*apps.ReplicaSet{}
	for _, each := range v.Old {
		old = append(old, each.object())
	}
	for step, out := range map[string]*outcome{"grow": &v.Grow, "shrink": &v.Shrink, "scale": &v.Scale} {
		run := map[string]deployment.Step{"grow": deployment.Grow, "shrink": deployment.Shrink, "scale": deployment.Scale}[step]
		var err error
		out.Resized, out.IsScaled, err = deployment.Run(run, d, v.New.object(), old)
		if err != nil {
			out.Error = err.Error()
		}
	}
}

func main() {
	vectors := []vector{}
	for range 500 {
		v := draft()
		v.ask()
		vectors = append(vectors, v)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(vectors); err != nil {
		panic(err)
	}
}
