// Writes the results of upstream's strategies for valid objects with seeded mutations: the prepared objects and the
// errors. Objects are stored as differences from their base. One file per kind.
//
//	go run ./vectors-validation <directory> [resource.group or resource ...]
//
// SEED=<number> generates other cases, ten times as many. A kind is a suite and its bases: kind_poddisruptionbudgets.go
// is the example for a new one.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/coordination/leasecandidate"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"sigs.k8s.io/yaml"
)

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

type update interface {
	PrepareForUpdate(ctx context.Context, obj, old runtime.Object)
	ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
	WarningsOnUpdate(ctx context.Context, obj, old runtime.Object) []string
}

type suite struct {
	// The name of its YAML in bases.
	bases    string
	resource string
	gvk      schema.GroupVersionKind
	create   rest.RESTCreateStrategy
	updates  map[string]update
	group    string
	count    int
	seed     int
	// Values of mutations in addition to those of all kinds.
	texts   []string
	numbers []int64
}

var added []suite

// add is called by the file of a kind; documents are valid objects, separated by "---".
func add(s suite, documents string) {
	s.bases = s.resource
	s.seed = 1
	bases[s.bases] = documents
	added = append(added, s)
}

func core(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: kind}
}

func simple(resource, kind string, s strategy, more map[string]update) suite {
	updates := map[string]update{"": s}
	for name, u := range more {
		updates[name] = u
	}
	return suite{bases: resource, resource: resource, gvk: core(kind), create: s, updates: updates, count: 620}
}

func suites() []suite {
	leases := simple("leases.coordination.k8s.io", "Lease", lease.Strategy, nil)
	leases.gvk = schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}
	candidates := simple("leasecandidates.coordination.k8s.io", "LeaseCandidate", leasecandidate.Strategy, nil)
	candidates.gvk = schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1alpha2", Kind: "LeaseCandidate"}
	sets := simple("replicasets", "ReplicaSet", replicaset.Strategy, map[string]update{"status": replicaset.StatusStrategy})
	sets.gvk = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}
	sets.resource = "replicasets.apps"
	sets.count = 600
	apps := func(resource, kind string, s strategy, more map[string]update) suite {
		out := simple(resource, kind, s, more)
		out.gvk = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: kind}
		out.resource += ".apps"
		out.count = 520
		return out
	}
	limits := simple("limitranges", "LimitRange", limitrange.Strategy, nil)
	limits.count = 720
	priorities := simple("priorityclasses", "PriorityClass", priorityclass.Strategy, nil)
	priorities.gvk = schema.GroupVersionKind{Group: "scheduling.k8s.io", Version: "v1", Kind: "PriorityClass"}
	priorities.resource = "priorityclasses.scheduling.k8s.io"
	accounts := simple("serviceaccounts", "ServiceAccount", serviceaccount.Strategy, nil)
	accounts.count = 860
	newEvents := simple("events", "Event", event.Strategy, nil)
	newEvents.group = "events.k8s.io"
	first := []suite{
		{bases: "pods", resource: "pods", gvk: core("Pod"), create: pod.Strategy, count: 1150},
		{bases: "podupdates", resource: "pods", gvk: core("Pod"), updates: map[string]update{"": pod.Strategy}, count: 300},
		{bases: "podstatuses", resource: "pods", gvk: core("Pod"), updates: map[string]update{"status": pod.StatusStrategy}, count: 300},
		{bases: "podresizes", resource: "pods", gvk: core("Pod"), updates: map[string]update{"resize": pod.ResizeStrategy}, count: 220},
		{bases: "podephemerals", resource: "pods", gvk: core("Pod"), updates: map[string]update{"ephemeralcontainers": pod.EphemeralContainersStrategy}, count: 160},
		sets,
		simple("replicationcontrollers", "ReplicationController", replicationcontroller.Strategy, map[string]update{"status": replicationcontroller.StatusStrategy}),
		simple("podtemplates", "PodTemplate", podtemplate.Strategy, nil),
		simple("namespaces", "Namespace", namespace.Strategy, map[string]update{"status": namespace.StatusStrategy, "finalize": namespace.FinalizeStrategy}),
		simple("nodes", "Node", node.Strategy, map[string]update{"status": node.StatusStrategy}),
		accounts,
		simple("services", "Service", service.Strategy, map[string]update{"status": service.StatusStrategy}),
		priorities,
		simple("secrets", "Secret", secret.Strategy, nil),
		simple("configmaps", "ConfigMap", configmap.Strategy, nil),
		simple("resourcequotas", "ResourceQuota", resourcequota.Strategy, map[string]update{"status": resourcequota.StatusStrategy}),
		limits,
		leases, candidates,
		apps("deployments", "Deployment", deployment.Strategy, map[string]update{"status": deployment.StatusStrategy}),
		apps("statefulsets", "StatefulSet", statefulset.Strategy, map[string]update{"status": statefulset.StatusStrategy}),
		apps("daemonsets", "DaemonSet", daemonset.Strategy, map[string]update{"status": daemonset.StatusStrategy}),
		apps("controllerrevisions", "ControllerRevision", controllerrevision.Strategy, nil),
		simple("events", "Event", event.Strategy, nil),
		newEvents,
	}
	for i := range first {
		first[i].seed = i + 1
	}
	slices.SortFunc(added, func(a, b suite) int { return strings.Compare(a.resource, b.resource) })
	return append(first, added...)
}

type vector struct {
	Base int `json:"b"`
	// "" for a create, otherwise "update" or "update/<subresource>" of the base.
	Op    string `json:"o,omitempty"`
	Group string `json:"g,omitempty"`
	// The object as a difference from its base, the changes by preparation, and the errors after it.
	Diff     [][]any  `json:"d"`
	Prepared [][]any  `json:"p,omitempty"`
	Errors   []string `json:"e,omitempty"`
	// The warnings about a valid object.
	Warnings []string `json:"w,omitempty"`
}

// internal returns the object decoded, defaulted and converted through the internal form, as the server has it.
func internal(gvk schema.GroupVersionKind, value any) (runtime.Object, bool) {
	raw, err := json.Marshal(value)
	must(err)
	object, err := legacyscheme.Scheme.New(gvk)
	must(err)
	if json.Unmarshal(raw, object) != nil {
		return nil, false
	}
	legacyscheme.Scheme.Default(object)
	out, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	return out, err == nil
}

func external(gvk schema.GroupVersionKind, object runtime.Object) any {
	out, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), gvk.GroupVersion())
	must(err)
	raw, err := json.Marshal(out)
	must(err)
	return decode(raw)
}

func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out any
	must(d.Decode(&out))
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (s suite) context(subresource string) context.Context {
	info := &genericapirequest.RequestInfo{APIGroup: s.gvk.Group, APIVersion: s.gvk.Version, Subresource: subresource, Namespace: "team-a"}
	if s.group != "" {
		info.APIGroup = s.group
	}
	ctx := genericapirequest.WithRequestInfo(genericapirequest.NewContext(), info)
	if s.gvk.Group == "resource.k8s.io" {
		ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "tester"})
	}
	return ctx
}

func (s suite) run(op, subresource string, value, base any) (*vector, bool) {
	object, ok := internal(s.gvk, value)
	if !ok {
		return nil, false
	}
	// Values that do not survive encoding, such as an empty list, are dropped first and then defaulted.
	object, _ = internal(s.gvk, external(s.gvk, object))
	before := external(s.gvk, object)
	var errs field.ErrorList
	var warnings func(ctx context.Context, object runtime.Object) []string
	ctx := s.context(subresource)
	if op == "" {
		s.create.PrepareForCreate(ctx, object)
		errs = s.create.Validate(ctx, object)
		warnings = s.create.WarningsOnCreate
	} else {
		old, _ := internal(s.gvk, base)
		s.updates[subresource].PrepareForUpdate(ctx, object, old)
		errs = s.updates[subresource].ValidateUpdate(ctx, object, old)
		warnings = func(ctx context.Context, object runtime.Object) []string {
			return s.updates[subresource].WarningsOnUpdate(ctx, object, old)
		}
	}
	v := &vector{Op: op, Group: s.group, Diff: [][]any{}}
	baseObject, _ := internal(s.gvk, base)
	diff([]any{}, external(s.gvk, baseObject), before, &v.Diff)
	diff([]any{}, before, external(s.gvk, object), &v.Prepared)
	for _, e := range errs {
		v.Errors = append(v.Errors, e.Error())
	}
	slices.Sort(v.Errors)
	// Certificates in secrets are not checked.
	if len(errs) == 0 && s.resource != "secrets" {
		v.Warnings = warnings(ctx, object)
		slices.Sort(v.Warnings)
	}
	return v, true
}

func diff(path []any, a, b any, out *[][]any) {
	am, aOk := a.(map[string]any)
	bm, bOk := b.(map[string]any)
	if aOk && bOk {
		keys := map[string]bool{}
		for k := range am {
			keys[k] = true
		}
		for k := range bm {
			keys[k] = true
		}
		sorted := make([]string, 0, len(keys))
		for k := range keys {
			sorted = append(sorted, k)
		}
		slices.Sort(sorted)
		for _, k := range sorted {
			next := append(slices.Clone(path), k)
			av, inA := am[k]
			bv, inB := bm[k]
			switch {
			case inA && inB:
				diff(next, av, bv, out)
			case inA:
				*out = append(*out, []any{next})
			default:
				*out = append(*out, []any{next, bv})
			}
		}
		return
	}
	as, aOk := a.([]any)
	bs, bOk := b.([]any)
	if aOk && bOk && len(as) == len(bs) {
		for i := range as {
			diff(append(slices.Clone(path), i), as[i], bs[i], out)
		}
		return
	}
	if !reflect.DeepEqual(a, b) {
		*out = append(*out, []any{path, b})
	}
}

// Values that each run generates.
func stripTimes(op string, entries [][]any) {
	for _, entry := range entries {
		if len(entry) == 2 {
			entry[1] = withoutNow(entry[1])
		}
		if path := entry[0].([]any); len(entry) == 2 && op == "" && len(path) == 2 && path[1] == "name" {
			entry[1] = "random-name"
		}
		if len(entry) == 2 {
			if m, ok := entry[1].([]any); ok {
				for _, item := range m {
					if condition, ok := item.(map[string]any); ok && condition["reason"] == "SchedulingGated" {
						condition["lastTransitionTime"] = "$now"
					}
				}
			}
		}
	}
}

// withoutNow marks times of the current run.
func withoutNow(value any) any {
	switch v := value.(type) {
	case string:
		if t, err := time.Parse(time.RFC3339, v); err == nil && time.Since(t).Abs() < time.Hour {
			return "$now"
		}
	case []any:
		for i := range v {
			v[i] = withoutNow(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = withoutNow(v[k])
		}
	}
	return value
}

// file is the input of the tests of one kind.
type file struct {
	bases []any
	cases []*vector
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: vectors-validation <directory> [resource.group ...]")
		os.Exit(2)
	}
	directory, wanted := os.Args[1], os.Args[2:]
	capabilities.Setup(true, 0)
	seed, scale := 0, 1
	if text := os.Getenv("SEED"); text != "" {
		_, err := fmt.Sscan(text, &seed)
		must(err)
		scale = 10
	}
	var off []string
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if !utilfeature.DefaultFeatureGate.Enabled(name) {
			off = append(off, string(name))
		}
	}
	slices.Sort(off)
	files := map[string]*file{}
	for _, s := range suites() {
		if len(wanted) > 0 && !slices.Contains(wanted, s.resource) {
			continue
		}
		if files[s.resource] == nil {
			files[s.resource] = &file{}
		}
		s.fill(files[s.resource], seed, scale)
	}
	for resource, f := range files {
		f.write(filepath.Join(directory, resource+".json"), off)
		f.summarize(resource)
	}
}

func (s suite) fill(f *file, seed, scale int) {
	var list []any
	for _, text := range strings.Split(bases[s.bases], "---\n") {
		raw, err := yaml.YAMLToJSON([]byte(text))
		must(err)
		list = append(list, decode(raw))
		object, err := legacyscheme.Scheme.New(s.gvk)
		must(err)
		must(json.Unmarshal(raw, object))
	}
	offset := len(f.bases)
	if s.group != "" {
		offset = 0
	}
	m := &mutator{rng: rand.New(rand.NewSource(int64(seed*1000 + s.seed))), donors: list, texts: append(slices.Clone(texts), s.texts...), numbers: append(slices.Clone(numbers), s.numbers...)}
	seen := map[string]bool{}
	for n := range s.count * scale {
		at := n % len(list)
		value := list[at]
		if n >= len(list) {
			value = m.mutate(value)
		}
		op, subresource := s.choose(m.rng)
		v, ok := s.run(op, subresource, value, list[at])
		if !ok {
			continue
		}
		// The parser's recovery from syntax errors is not compared.
		if slices.ContainsFunc(v.Errors, func(e string) bool { return strings.Contains(e, "Syntax error") }) {
			continue
		}
		// Only a sixth of the objects that pass unchanged is kept: they prove little.
		if len(v.Errors)+len(v.Prepared)+len(v.Warnings) == 0 && n%6 > 0 {
			continue
		}
		v.Base = offset + at
		stripTimes(op, v.Prepared)
		line, err := json.Marshal(v)
		must(err)
		if seen[string(line)] || len(line) > 6000 {
			continue
		}
		seen[string(line)] = true
		f.cases = append(f.cases, v)
	}
	if s.group != "" {
		return
	}
	for _, b := range list {
		object, ok := internal(s.gvk, b)
		if !ok {
			panic(fmt.Sprintf("base of %s", s.resource))
		}
		f.bases = append(f.bases, external(s.gvk, object))
	}
}

func (s suite) choose(rng *rand.Rand) (string, string) {
	var ops []string
	if s.create != nil {
		ops = append(ops, "")
	}
	var names []string
	for name := range s.updates {
		names = append(names, name)
	}
	slices.Sort(names)
	ops = append(ops, names...)
	pick := rng.Intn(len(ops))
	if s.create != nil && pick == 0 {
		return "", ""
	}
	name := ops[pick]
	if name == "" {
		return "update", ""
	}
	return "update/" + name, name
}

func (f *file) write(path string, off []string) {
	var out bytes.Buffer
	raw, err := json.Marshal(off)
	must(err)
	fmt.Fprintf(&out, "{\"gatesOff\":%s,\n\"bases\":", raw)
	raw, err = json.Marshal(f.bases)
	must(err)
	fmt.Fprintf(&out, "%s,\n\"cases\":[\n", raw)
	for i, v := range f.cases {
		raw, err := json.Marshal(v)
		must(err)
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(raw)
	}
	out.WriteString("\n]}\n")
	must(os.WriteFile(path, out.Bytes(), 0o644))
}

func (f *file) summarize(resource string) {
	invalid := 0
	for _, v := range f.cases {
		if len(v.Errors) > 0 {
			invalid++
		}
	}
	fmt.Fprintln(os.Stderr, resource, len(f.cases), "cases,", invalid, "invalid")
}
