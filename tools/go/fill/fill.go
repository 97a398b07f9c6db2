// Package fill sets the fields of API objects to seeded values: all of them, or some.
package fill

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Choices are the values of string types that rules depend on, by type.
var Choices = map[string][]string{
	"ServiceType":                 {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"},
	"ServiceAffinity":             {"None", "ClientIP"},
	"DeploymentStrategyType":      {"RollingUpdate", "Recreate"},
	"DaemonSetUpdateStrategyType": {"RollingUpdate", "OnDelete"},
	"StatefulSetUpdateStrategyType": {
		"RollingUpdate", "OnDelete",
	},
	"LimitType":            {"Container", "Pod"},
	"DeviceAllocationMode": {"ExactCount", "All"},
	"ResourceName":         {"cpu", "memory", "hugepages-2Mi", "nvidia.com/gpu"},
}

var images = []string{"nginx", "nginx:latest", "nginx:1.27", "r.example.com:5000/a/b", "a/b@sha256:" + strings.Repeat("0a", 32), "UPPER", "a:latest@sha256:" + strings.Repeat("1b", 32), ""}
var quantities = []string{"1", "250m", "1500u", "1Gi", "3n", "0.0001", "1e3", "2k"}

// Filler fills objects. In sparse mode it leaves a third of the fields unset.
type Filler struct {
	Rng    *rand.Rand
	Sparse bool
	// Time generates times; nil means a fixed time.
	Time  func() time.Time
	count int
}

// Fill sets the fields of the object that the pointer points to.
func (f *Filler) Fill(object any) {
	f.fill(reflect.ValueOf(object).Elem(), "", 0)
}

func (f *Filler) skip() bool { return f.Sparse && f.Rng.Float64() < 0.35 }

func (f *Filler) fill(v reflect.Value, field string, depth int) {
	if depth > 14 {
		return
	}
	switch v.Type() {
	case reflect.TypeFor[metav1.ObjectMeta]():
		meta := metav1.ObjectMeta{Name: f.word()}
		if !f.skip() {
			meta.Labels = map[string]string{"app": f.word()}
		}
		if !f.skip() {
			meta.Annotations = map[string]string{f.word(): "a"}
		}
		if f.Time != nil {
			meta.CreationTimestamp = metav1.Time{Time: f.Time()}
		}
		v.Set(reflect.ValueOf(meta))
		return
	case reflect.TypeFor[metav1.TypeMeta]():
		return
	case reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(resource.MustParse(quantities[f.Rng.Intn(len(quantities))])))
		return
	case reflect.TypeFor[intstr.IntOrString]():
		v.Set(reflect.ValueOf([]intstr.IntOrString{intstr.FromInt32(7), intstr.FromString("10%"), intstr.FromInt32(0), intstr.FromString("")}[f.Rng.Intn(4)]))
		return
	case reflect.TypeFor[metav1.Time]():
		v.Set(reflect.ValueOf(metav1.Time{Time: f.time()}))
		return
	case reflect.TypeFor[metav1.MicroTime]():
		at := time.Unix(1700000000, 123456000).UTC()
		if f.Time != nil {
			at = f.Time()
		}
		v.Set(reflect.ValueOf(metav1.MicroTime{Time: at}))
		return
	case reflect.TypeFor[runtime.RawExtension]():
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(`{"a":1}`)}))
		return
	}
	switch v.Type().Name() {
	case "JSON":
		v.FieldByName("Raw").SetBytes([]byte(`{"a":1}`))
		return
	case "JSONSchemaProps":
		v.FieldByName("Type").SetString("object")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		f.fill(p.Elem(), field, depth+1)
		v.Set(p)
	case reflect.Struct:
		f.fillStruct(v, depth)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("x"))
			return
		}
		n := 1
		if f.Sparse {
			n = f.Rng.Intn(3)
		}
		s := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			f.fill(s.Index(i), field, depth+1)
		}
		v.Set(s)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		for range 1 + f.Rng.Intn(2) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, field, depth+1)
			f.fill(value, field, depth+1)
			m.SetMapIndex(key, value)
		}
		v.Set(m)
	case reflect.String:
		if list, ok := Choices[v.Type().Name()]; ok {
			v.SetString(list[f.Rng.Intn(len(list))])
		} else if field == "Image" || field == "Reference" {
			v.SetString(images[f.Rng.Intn(len(images))])
		} else {
			v.SetString(f.word())
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(1 + f.Rng.Intn(90)))
	case reflect.Bool:
		v.SetBool(!f.Sparse || f.Rng.Intn(2) == 0)
	case reflect.Float64:
		v.SetFloat(1.5)
	}
}

func (f *Filler) fillStruct(v reflect.Value, depth int) {
	t := v.Type()
	// A union of sources: full objects set all of them, sparse ones set one or none.
	isUnion := strings.HasSuffix(t.Name(), "VolumeSource") || t.Name() == "PersistentVolumeSource"
	chosen := -1
	if isUnion && f.Sparse {
		chosen = f.Rng.Intn(t.NumField() + 3)
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() || field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		if f.Sparse && isUnion && !field.Anonymous && field.Type.Kind() == reflect.Pointer && chosen < t.NumField() {
			if i != chosen {
				continue
			}
		} else if !field.Anonymous && field.Type.Kind() != reflect.Struct && f.skip() {
			continue
		}
		f.fill(v.Field(i), field.Name, depth+1)
	}
}

func (f *Filler) time() time.Time {
	if f.Time != nil {
		return f.Time()
	}
	return time.Unix(1700000000+int64(f.Rng.Intn(1000)), 0).UTC()
}

func (f *Filler) word() string {
	f.count++
	return fmt.Sprintf("s%d", f.count)
}
