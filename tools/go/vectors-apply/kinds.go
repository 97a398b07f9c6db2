package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A kind is written through endpoints: "<apiVersion>", with a subresource or another schema after "#".
type kind struct {
	name       string
	gvk        schema.GroupVersionKind
	managers   map[string]*managedfields.FieldManager
	endpoints  []string
	definition *spec.Schema
	models     map[string]*spec.Schema
}

func loadModels() map[string]*spec.Schema {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		panic(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "api/openapi-spec/v3/*.json"))
	if err != nil || len(files) == 0 {
		panic("no OpenAPI documents")
	}
	models := map[string]*spec.Schema{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		var document struct {
			Components struct{ Schemas map[string]*spec.Schema }
		}
		if err := json.Unmarshal(data, &document); err != nil {
			panic(err)
		}
		for name, model := range document.Components.Schemas {
			models[name] = model
		}
	}
	return models
}

func widgetModels(models map[string]*spec.Schema, text string) map[string]*spec.Schema {
	out := map[string]*spec.Schema{}
	for name, model := range models {
		if strings.Contains(name, ".meta.v1.") {
			out[name] = model
		}
	}
	for _, version := range []string{"v1", "v2"} {
		var model spec.Schema
		body := text
		if version == "v2" {
			body = strings.Replace(body, `"size":`, `"replicas":`, 1)
		}
		if err := json.Unmarshal([]byte(body), &model); err != nil {
			panic(err)
		}
		model.Properties["metadata"] = *spec.RefSchema("#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
		model.Properties["apiVersion"] = *spec.StringProperty()
		model.Properties["kind"] = *spec.StringProperty()
		model.AddExtension("x-kubernetes-group-version-kind", list{object{"group": "example.com", "version": version, "kind": "Widget"}})
		out["com.example."+version+".Widget"] = &model
	}
	return out
}

func loadKinds() []*kind {
	models := loadModels()
	converter, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		panic(err)
	}
	var kinds []*kind
	add := func(group, version, name, model string) *kind {
		gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: name}
		k := &kind{name: name, gvk: gvk, managers: map[string]*managedfields.FieldManager{}, models: models, definition: models[model]}
		kinds = append(kinds, k)
		return k
	}
	pod := add("", "v1", "Pod", "io.k8s.api.core.v1.Pod")
	pod.endpoint("v1", pod.gvk, converter, "", exclude("v1", fieldpath.MakePathOrDie("status")), false)
	pod.endpoint("v1#status", pod.gvk, converter, "status", exclude("v1", fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata", "deletionTimestamp"), fieldpath.MakePathOrDie("metadata", "ownerReferences")), false)
	resize := fieldpath.NewIncludeMatcherFilter(fieldpath.MakePrefixMatcherOrDie("spec", "containers", fieldpath.MatchAnyPathElement(), "resources"), fieldpath.MakePrefixMatcherOrDie("spec", "initContainers", fieldpath.MatchAnyPathElement(), "resources"))
	pod.endpoint("v1#resize", pod.gvk, converter, "resize", map[fieldpath.APIVersion]fieldpath.Filter{"v1": resize}, false)
	deployment := add("apps", "v1", "Deployment", "io.k8s.api.apps.v1.Deployment")
	deployment.endpoint("apps/v1", deployment.gvk, converter, "", exclude("apps/v1", fieldpath.MakePathOrDie("status")), false)
	deployment.endpoint("apps/v1#status", deployment.gvk, converter, "status", exclude("apps/v1", fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata", "labels")), false)
	service := add("", "v1", "Service", "io.k8s.api.core.v1.Service")
	service.endpoint("v1", service.gvk, converter, "", nil, false)
	configMap := add("", "v1", "ConfigMap", "io.k8s.api.core.v1.ConfigMap")
	configMap.endpoint("v1", configMap.gvk, converter, "", nil, false)
	for range 2 {
		widget := add("example.com", "v1", "Widget", "")
		first := widgetModels(models, widgetSchema)
		widget.definition, widget.models = first["com.example.v1.Widget"], first
		for suffix, text := range map[string]string{"": widgetSchema, "#changed": widgetChangedSchema} {
			converter, err := managedfields.NewTypeConverter(widgetModels(models, text), false)
			if err != nil {
				panic(err)
			}
			for _, version := range []string{"v1", "v2"} {
				gvk := schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Widget"}
				widget.endpoint("example.com/"+version+suffix, gvk, converter, "", nil, true)
			}
		}
		widget.endpoints = []string{"example.com/v1", "example.com/v2", "example.com/v1#changed"}
	}
	free := add("example.com", "v1", "Free", "")
	free.definition = widgetModels(models, widgetSchema)["com.example.v1.Widget"]
	free.endpoint("example.com/v1", free.gvk, managedfields.NewDeducedTypeConverter(), "", nil, true)
	return kinds
}

func exclude(version fieldpath.APIVersion, paths ...fieldpath.Path) map[fieldpath.APIVersion]fieldpath.Filter {
	return fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{version: fieldpath.NewSet(paths...)})
}

func (k *kind) endpoint(name string, gvk schema.GroupVersionKind, converter managedfields.TypeConverter, subresource string, reset map[fieldpath.APIVersion]fieldpath.Filter, custom bool) {
	create := managedfields.NewDefaultFieldManager
	if custom {
		create = managedfields.NewDefaultCRDFieldManager
	}
	hub := schema.GroupVersion{Group: gvk.Group, Version: "v1"}
	manager, err := create(converter, plain{}, plain{}, plain{}, gvk, hub, subresource, reset)
	if err != nil {
		panic(err)
	}
	k.managers[name] = manager
	k.endpoints = append(k.endpoints, name)
}

// Mostly the resource itself. A changed schema is used only in the last steps, and then permanently.
func (k *kind) endpointFor(r *rand.Rand, step int, live *unstructured.Unstructured) string {
	last := k.endpoints[len(k.endpoints)-1]
	if strings.HasSuffix(last, "#changed") {
		if step >= 3 {
			return last
		}
		return k.endpoints[r.Intn(2)]
	}
	if live == nil || chance(r, 65) {
		return k.endpoints[0]
	}
	return k.endpoints[r.Intn(len(k.endpoints))]
}

func (k *kind) empty(endpoint string) *unstructured.Unstructured {
	version, _, _ := strings.Cut(endpoint, "#")
	return &unstructured.Unstructured{Object: object{"apiVersion": version, "kind": k.gvk.Kind}}
}

// plain replaces the scheme: unstructured objects, with one field of Widget renamed between its versions.
type plain struct{}

func (plain) Default(runtime.Object) {}
func (plain) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	o := &unstructured.Unstructured{Object: object{}}
	o.SetGroupVersionKind(gvk)
	return o, nil
}
func (plain) Convert(in, out, context any) error { return fmt.Errorf("not used") }
func (plain) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (plain) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from := in.GetObjectKind().GroupVersionKind()
	to := target.(schema.GroupVersion)
	if from.GroupVersion() == to {
		return in, nil
	}
	if to.Group != "example.com" || (to.Version != "v1" && to.Version != "v2") {
		return nil, runtime.NewNotRegisteredErrForTarget("vectors", nil, to)
	}
	out := in.DeepCopyObject().(*unstructured.Unstructured)
	out.SetGroupVersionKind(to.WithKind(from.Kind))
	if spec, ok := out.Object["spec"].(object); ok {
		before, after := "size", "replicas"
		if to.Version == "v1" {
			before, after = after, before
		}
		if value, ok := spec[before]; ok {
			spec[after] = value
			delete(spec, before)
		}
	}
	return out, nil
}
