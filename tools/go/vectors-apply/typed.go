package main

import (
	"encoding/json"
	"fmt"
	"math/rand"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/kubernetes/scheme"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

func sprint(v any) string { return fmt.Sprint(v) }

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (k *kind) managersVersion(apiVersion string) schema.GroupVersion {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		panic(err)
	}
	return gv
}

// typedCreates returns [apiVersion, kind, zero object, object, fields owned by its creator] for Go structs. Their empty
// fields decide which parents of a field are owned with it.
func typedCreates(r *rand.Rand) []list {
	utilruntime.Must(nil)
	models := loadModels()
	converter, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		panic(err)
	}
	var out []list
	for _, name := range sortedKeys(models) {
		for _, gvk := range gvksOf(models[name].Extensions["x-kubernetes-group-version-kind"]) {
			if !scheme.Scheme.Recognizes(gvk) || gvk.Group == "" && gvk.Version != "v1" {
				continue
			}
			zero, err := scheme.Scheme.New(gvk)
			if err != nil {
				panic(err)
			}
			if _, ok := zero.(metav1.Object); !ok {
				continue
			}
			k := &kind{name: gvk.Kind, gvk: gvk, models: models, definition: models[name]}
			for range 2 {
				if vector := typedCreate(r, k, converter, zero); vector != nil {
					out = append(out, vector)
				}
			}
		}
	}
	return out
}

func typedCreate(r *rand.Rand, k *kind, converter managedfields.TypeConverter, zero runtime.Object) list {
	gv := k.gvk.GroupVersion()
	manager, err := managedfields.NewDefaultFieldManager(converter, scheme.Scheme, plain{}, scheme.Scheme, k.gvk, gv, "", nil)
	if err != nil {
		panic(err)
	}
	written := k.stamp(r, gv.String(), k.universe(r))
	created := zero.DeepCopyObject()
	if err := json.Unmarshal([]byte(toJSON(written)), created); err != nil {
		return nil
	}
	text := toJSON(created)
	after, err := manager.Update(withKind(zero, k.gvk), withKind(created, k.gvk), "creator")
	if err != nil {
		return nil
	}
	entries := after.(metav1.Object).GetManagedFields()
	if len(entries) != 1 {
		panic(fmt.Sprintf("%v: %d entries", k.gvk, len(entries)))
	}
	return list{gv.String(), k.gvk.Kind, json.RawMessage(toJSON(zero)), json.RawMessage(text), json.RawMessage(entries[0].FieldsV1.GetRawBytes())}
}

func withKind(o runtime.Object, gvk schema.GroupVersionKind) runtime.Object {
	out := o.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out
}

func gvksOf(extension any) []schema.GroupVersionKind {
	entries, _ := extension.([]any)
	if len(entries) != 1 {
		return nil
	}
	entry := entries[0].(object)
	return []schema.GroupVersionKind{{Group: entry["group"].(string), Version: entry["version"].(string), Kind: entry["kind"].(string)}}
}
