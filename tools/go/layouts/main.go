// Prints the Go types behind the built-in kinds as JSON: every struct's fields in order, with their
// types, JSON tags and protobuf numbers, and the type behind every other named type.
//
//	{"kinds": {"apps/v1": {"Deployment": "k8s.io/api/apps/v1.Deployment"}},
//	 "types": {"k8s.io/api/core/v1.Volume": {"fields": [{"name": "VolumeSource", "type": "@k8s.io/api/core/v1.VolumeSource", …}]},
//	           "k8s.io/api/core/v1.Protocol": {"underlying": "string"}}}
//
// A type is written as in Go, with "@" before the full path of a named type.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type field struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	JSON      string `json:"json"`
	Embedded  bool   `json:"embedded,omitempty"`
	OmitEmpty bool   `json:"omitEmpty,omitempty"`
	OmitZero  bool   `json:"omitZero,omitempty"`
	Inline    bool   `json:"inline,omitempty"`
	Number    int    `json:"number,omitempty"`
}

type goType struct {
	Fields     []field `json:"fields,omitempty"`
	Underlying string  `json:"underlying,omitempty"`
	// Message is true if the type has its own protobuf encoding.
	Message bool `json:"message,omitempty"`
}

type collector struct {
	types map[string]*goType
}

func main() {
	scheme := clientscheme.Scheme
	utilruntime.Must(apiextensions.AddToScheme(scheme))
	utilruntime.Must(apiregistration.AddToScheme(scheme))
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	c := collector{types: map[string]*goType{}}
	kinds := map[string]map[string]string{}
	for gvk, t := range scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		gv := schema.GroupVersion{Group: gvk.Group, Version: gvk.Version}.String()
		if kinds[gv] == nil {
			kinds[gv] = map[string]string{}
		}
		kinds[gv][gvk.Kind] = strings.TrimPrefix(c.describe(t), "@")
	}
	c.describe(reflect.TypeFor[runtime.Unknown]())
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"kinds": kinds, "types": c.types}); err != nil {
		panic(err)
	}
}

func (c *collector) describe(t reflect.Type) string {
	if t.Name() != "" && t.PkgPath() != "" {
		name := t.PkgPath() + "." + t.Name()
		if c.types[name] == nil {
			c.types[name] = &goType{}
			c.fill(c.types[name], t)
		}
		return "@" + name
	}
	return c.shape(t)
}

func (c *collector) fill(into *goType, t reflect.Type) {
	_, into.Message = reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	if t.Kind() != reflect.Struct {
		into.Underlying = c.shape(t)
		return
	}
	into.Fields = []field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		out := field{Name: f.Name, Type: c.describe(f.Type), JSON: name, Embedded: f.Anonymous}
		for option := range strings.SplitSeq(options, ",") {
			out.OmitEmpty = out.OmitEmpty || option == "omitempty"
			out.OmitZero = out.OmitZero || option == "omitzero"
			out.Inline = out.Inline || option == "inline"
		}
		if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
			number, err := strconv.Atoi(parts[1])
			utilruntime.Must(err)
			out.Number = number
		}
		into.Fields = append(into.Fields, out)
	}
}

func (c *collector) shape(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + c.describe(t.Elem())
	case reflect.Slice:
		return "[]" + c.describe(t.Elem())
	case reflect.Map:
		return "map[" + c.describe(t.Key()) + "]" + c.describe(t.Elem())
	case reflect.Struct, reflect.Array, reflect.Func, reflect.Chan:
		panic(fmt.Sprintf("no form for %v", t))
	default:
		return t.Kind().String()
	}
}
