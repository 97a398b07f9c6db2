package main

import (
	"math/rand"
	"path"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

func chance(r *rand.Rand, percent int) bool { return r.Intn(100) < percent }
func word(r *rand.Rand, from string) string { f := strings.Fields(from); return f[r.Intn(len(f))] }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func (k *kind) resolve(s *spec.Schema) *spec.Schema {
	ref := s.Ref.String()
	if ref == "" && len(s.AllOf) == 1 {
		ref = s.AllOf[0].Ref.String()
	}
	if ref == "" {
		return s
	}
	return k.models[path.Base(ref)]
}

func listKeys(s *spec.Schema) list {
	keys, _ := s.Extensions["x-kubernetes-list-map-keys"].([]any)
	return keys
}

// value returns a random value that fits the schema; wide limits the number of fields of an object.
func (k *kind) value(r *rand.Rand, s *spec.Schema, depth, wide int) any {
	name := path.Base(s.Ref.String())
	if len(s.AllOf) == 1 {
		name = path.Base(s.AllOf[0].Ref.String())
	}
	s = k.resolve(s)
	if strings.HasSuffix(name, ".Quantity") {
		return word(r, "1 500m 2Gi")
	}
	typ := ""
	if len(s.Type) > 0 {
		typ = s.Type[0]
	}
	switch typ {
	case "string":
		if s.Format == "date-time" {
			return word(r, "2026-01-01T00:00:00Z 2026-01-02T00:00:00Z")
		}
		return word(r, "a b c <x>")
	case "integer":
		return int64(r.Intn(3))
	case "number":
		return float64(r.Intn(3)) + 0.5
	case "boolean":
		return chance(r, 50)
	case "array":
		return k.elements(r, s, depth, wide)
	case "object":
		return k.fields(r, s, depth, wide)
	}
	if s.Format == "int-or-string" || s.Extensions["x-kubernetes-int-or-string"] == true {
		if chance(r, 50) {
			return int64(r.Intn(3))
		}
		return word(r, "10% http")
	}
	return anything(r, 2)
}

func anything(r *rand.Rand, depth int) any {
	switch n := r.Intn(6); {
	case depth > 0 && n == 0:
		return object{word(r, "p q"): anything(r, depth-1), word(r, "r s"): anything(r, depth-1)}
	case depth > 0 && n == 1:
		return list{anything(r, depth-1)}
	case n == 2:
		return int64(r.Intn(3))
	case n == 3:
		return chance(r, 50)
	}
	return word(r, "a b")
}

func (k *kind) elements(r *rand.Rand, s *spec.Schema, depth, wide int) any {
	out, seen := list{}, map[string]bool{}
	items := k.resolve(s.Items.Schema)
	for i := 1 + r.Intn(3); i > 0; i-- {
		if depth == 0 && len(items.Properties) > 0 && len(listKeys(s)) == 0 {
			break
		}
		element := k.value(r, s.Items.Schema, max(depth-1, 0), wide)
		identity := fmtKey(element)
		if keys := listKeys(s); len(keys) > 0 {
			typed, ok := element.(object)
			if !ok {
				typed = object{}
				element = typed
			}
			identity = ""
			for i, key := range keys {
				property := items.Properties[key.(string)]
				if i == 0 || chance(r, 60) {
					typed[key.(string)] = k.value(r, &property, 0, 1)
				}
				identity += fmtKey(typed[key.(string)]) + "/"
			}
		}
		if !seen[identity] {
			seen[identity] = true
			out = append(out, element)
		}
	}
	return out
}

func (k *kind) fields(r *rand.Rand, s *spec.Schema, depth, wide int) any {
	out := object{}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		for i := r.Intn(3); i > 0; i-- {
			out[word(r, "k1 k2 k/3")] = k.value(r, s.AdditionalProperties.Schema, max(depth-1, 0), wide)
		}
		return out
	}
	if s.Extensions["x-kubernetes-preserve-unknown-fields"] == true {
		out["extra"] = anything(r, 2)
	}
	if depth == 0 {
		return out
	}
	names := sortedKeys(s.Properties)
	for i := 0; i < wide && len(names) > 0; i++ {
		name := names[r.Intn(len(names))]
		property := s.Properties[name]
		out[name] = k.value(r, &property, depth-1, wide)
	}
	return out
}

func fmtKey(v any) string { return strings.TrimSpace(strings.Join(strings.Fields(sprint(v)), " ")) }

// universe has the fields that the managers of one sequence write.
func (k *kind) universe(r *rand.Rand) object {
	out := object{"metadata": object{}}
	for _, name := range sortedKeys(k.definition.Properties) {
		property := k.definition.Properties[name]
		switch name {
		case "apiVersion", "kind", "metadata":
		default:
			out[name] = k.value(r, &property, 4, 4)
		}
	}
	if spec, ok := out["spec"].(object); ok && k.name == "Pod" {
		containers := k.resolve(ptr(k.definition.Properties["spec"])).Properties["containers"]
		spec["containers"] = k.value(r, &containers, 3, 4)
	}
	meta := out["metadata"].(object)
	meta["labels"] = object{"l1": word(r, "a b"), "l2": "x"}
	meta["annotations"] = object{"a1": word(r, "a b"), "a2": "y"}
	meta["finalizers"] = list{"f/a", "f/b"}
	meta["ownerReferences"] = list{
		object{"apiVersion": "v1", "kind": "X", "name": "o1", "uid": "u1"},
		object{"apiVersion": "v1", "kind": "X", "name": "o2", "uid": "u2", "controller": true},
	}
	return out
}

func ptr[T any](v T) *T { return &v }

// part returns a part of a value: fewer fields and elements, other scalars, sometimes something odd.
func part(r *rand.Rand, v any, keep, odd int) any {
	if chance(r, odd) {
		return []any{nil, object{}, list{}, "odd", int64(9), object{"odd": "x"}}[r.Intn(6)]
	}
	switch v := v.(type) {
	case object:
		out := object{}
		for _, key := range sortedKeys(v) {
			if isKey(key) || chance(r, keep) {
				out[key] = part(r, v[key], keep, odd)
			}
		}
		return out
	case list:
		out := list{}
		for _, element := range v {
			if chance(r, keep) {
				out = append(out, part(r, element, keep, odd))
			}
		}
		if chance(r, 15) {
			r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		return out
	case string:
		if chance(r, 12) {
			return v + "'"
		}
	case int64:
		if chance(r, 12) {
			return v + 1
		}
	case bool:
		return v != chance(r, 12)
	}
	return v
}

// Names of list keys mostly stay the same, so that managers write the same elements.
func isKey(name string) bool {
	switch name {
	case "name", "uid", "type", "containerPort", "number", "port", "topologyKey", "mountPath", "ip", "devicePath":
		return true
	}
	return false
}

func (k *kind) stamp(r *rand.Rand, endpoint string, o object) object {
	version, _, _ := strings.Cut(endpoint, "#")
	o["apiVersion"], o["kind"] = version, k.gvk.Kind
	meta, ok := o["metadata"].(object)
	if !ok {
		meta = object{}
		o["metadata"] = meta
	}
	meta["name"] = "it"
	if spec, ok := o["spec"].(object); ok && k.name == "Widget" && version == "example.com/v2" {
		if size, ok := spec["size"]; ok {
			spec["replicas"] = size
			delete(spec, "size")
		}
	}
	return o
}

func (k *kind) configuration(r *rand.Rand, endpoint string, universe object) object {
	odd := 0
	if chance(r, 12) {
		odd = 3
	}
	o, ok := part(r, universe, 65, odd).(object)
	if !ok {
		o = object{}
	}
	o = k.stamp(r, endpoint, o)
	switch r.Intn(60) {
	case 0:
		o["kind"] = "Other"
	case 1:
		o["apiVersion"] = "other/v1"
	case 2:
		o["metadata"].(object)["managedFields"] = list{}
	case 3:
		o["unknown"] = "field"
	case 4:
		if spec, ok := o["spec"].(object); ok {
			for _, key := range sortedKeys(spec) {
				if elements, ok := spec[key].(list); ok && len(elements) > 0 {
					spec[key] = append(elements, elements[0])
					break
				}
			}
		}
	}
	return o
}

// update returns the live object with parts removed and parts of the universe added.
func (k *kind) update(r *rand.Rand, endpoint string, universe object, live *unstructured.Unstructured) object {
	base := object{}
	if live != nil {
		version, _, _ := strings.Cut(endpoint, "#")
		base = runtime.DeepCopyJSON(live.Object)
		if k.name == "Widget" && base["apiVersion"] != version {
			converted, err := plain{}.ConvertToVersion(&unstructured.Unstructured{Object: base}, k.managersVersion(version))
			if err != nil {
				panic(err)
			}
			base = converted.(*unstructured.Unstructured).Object
		}
	}
	unstructured.RemoveNestedField(base, "metadata", "managedFields")
	odd := 0
	if chance(r, 10) {
		odd = 2
	}
	more, _ := part(r, universe, 50, odd).(object)
	o := k.stamp(r, endpoint, overlay(r, base, k.stamp(r, endpoint, runtime.DeepCopyJSON(orEmpty(more)))).(object))
	if live != nil {
		o["metadata"].(object)["uid"] = "u"
		o["metadata"].(object)["resourceVersion"] = word(r, "1 2 3")
		if chance(r, 10) {
			setAnnotation(o, live)
		}
		editManagedFields(r, o, live)
	}
	return o
}

func orEmpty(o object) object {
	if o == nil {
		return object{}
	}
	return o
}

func overlay(r *rand.Rand, a, b any) any {
	am, aIsMap := a.(object)
	bm, bIsMap := b.(object)
	if aIsMap && bIsMap {
		out := object{}
		for _, key := range sortedKeys(am) {
			if other, ok := bm[key]; ok && chance(r, 50) {
				out[key] = overlay(r, am[key], other)
			} else if isKey(key) || chance(r, 85) {
				out[key] = am[key]
			}
		}
		for _, key := range sortedKeys(bm) {
			if _, ok := am[key]; !ok && chance(r, 60) {
				out[key] = bm[key]
			}
		}
		return out
	}
	if chance(r, 50) {
		return b
	}
	al, ok := a.(list)
	if !ok {
		return a
	}
	out := append(list{}, al...)
	if len(out) > 0 && chance(r, 20) {
		out = append(out, out[0])
	}
	if len(out) > 0 && chance(r, 20) {
		out = out[1:]
	}
	return out
}

// The annotation of client-side apply, as kubectl writes it.
func setAnnotation(o object, live *unstructured.Unstructured) {
	applied := runtime.DeepCopyJSON(live.Object)
	unstructured.RemoveNestedField(applied, "metadata", "managedFields")
	unstructured.RemoveNestedField(applied, "metadata", "uid")
	meta := o["metadata"].(object)
	annotations, ok := meta["annotations"].(object)
	if !ok {
		annotations = object{}
	}
	if old, ok := applied["metadata"].(object)["annotations"].(object); ok {
		delete(old, "kubectl.kubernetes.io/last-applied-configuration")
	}
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = toJSON(applied)
	meta["annotations"] = annotations
}

func editManagedFields(r *rand.Rand, o object, live *unstructured.Unstructured) {
	meta := o["metadata"].(object)
	stored, _, _ := unstructured.NestedSlice(live.Object, "metadata", "managedFields")
	switch r.Intn(30) {
	case 0:
		meta["managedFields"] = list{}
	case 1:
		meta["managedFields"] = list{object{}}
	case 2:
		meta["managedFields"] = list{object{"manager": "x", "operation": "Delete"}}
	case 3:
		if len(stored) > 0 {
			meta["managedFields"] = runtime.DeepCopyJSONValue(stored[:1])
		}
	case 4:
		meta["managedFields"] = list{object{
			"manager": "editor", "operation": "Update", "apiVersion": o["apiVersion"], "fieldsType": "FieldsV1",
			"fieldsV1": object{"f:metadata": object{".": object{}, "f:labels": object{"f:l1": object{}}, "x:unknown": object{}}, "f:spec": object{}},
		}}
	case 5:
		meta["managedFields"] = list{object{
			"manager": "gone", "operation": "Update", "apiVersion": "example.com/v0", "fieldsType": "FieldsV1",
			"fieldsV1": object{"f:metadata": object{"f:labels": object{"f:l1": object{}}}},
		}}
	case 6, 7:
		meta["managedFields"] = runtime.DeepCopyJSONValue(append(list{}, stored...))
	}
}
