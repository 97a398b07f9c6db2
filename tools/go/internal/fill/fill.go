// Package fill sets every field of an API object to seeded values, so that vectors cover fields that no hand-written
// object has. Values are short, because the vectors are committed.
package fill

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Filler has its own random source: the same seed gives the same values.
type Filler struct {
	Rand *rand.Rand
	// Density is the probability in percent that a pointer, slice, map or scalar is set.
	Density  int
	inSchema bool
}

func New(seed int64, density int) *Filler {
	return &Filler{Rand: rand.New(rand.NewSource(seed)), Density: density}
}

// Object fills the target of the pointer, except its TypeMeta.
func (f *Filler) Object(pointer any) { f.value(reflect.ValueOf(pointer).Elem()) }

func (f *Filler) set() bool { return f.Rand.Intn(100) < f.Density }

func (f *Filler) text() string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	switch f.Rand.Intn(40) {
	case 0:
		return "ü€😀"
	case 1:
		return `"<&>\` + "\n"
	}
	out := make([]byte, 1+f.Rand.Intn(4))
	for i := range out {
		out[i] = letters[f.Rand.Intn(len(letters))]
	}
	return string(out)
}

func (f *Filler) integer(limit int64) int64 {
	switch f.Rand.Intn(4) {
	case 0:
		return f.Rand.Int63n(limit)
	case 1:
		return -f.Rand.Int63n(limit)
	default:
		return 1 + f.Rand.Int63n(1000)
	}
}

func (f *Filler) rawJSON() []byte {
	return fmt.Appendf(nil, `{"kind":"Foo","a":{"n":%d,"t":"x"}}`, f.Rand.Intn(100))
}

var quantities = []string{
	"0", "1", "100m", "1500m", "2", "1k", "10M", "1Ki", "512Mi", "1536Mi", "3Gi", "1e3", "12E", "1u", "5n", "0.5",
	"123456789012345678901234567890", "9223372036854775807", "-7", "-1500m", "8Ei", "1.25Gi", "1000", "4096Ki", "2e-3",
}

func (f *Filler) special(target any) bool {
	seconds := f.Rand.Int63n(4_000_000_000)
	switch value := target.(type) {
	case *metav1.TypeMeta:
	case *resource.Quantity:
		*value = resource.MustParse(quantities[f.Rand.Intn(len(quantities))])
	case *metav1.Time:
		*value = metav1.NewTime(time.Unix(seconds, 0))
	case *metav1.MicroTime:
		*value = metav1.NewMicroTime(time.Unix(seconds, f.Rand.Int63n(1_000_000)*1000))
	case *intstr.IntOrString:
		*value = intstr.FromInt32(int32(f.integer(70000)))
		if f.Rand.Intn(2) == 0 {
			*value = intstr.FromString(f.text())
		}
	case *runtime.RawExtension:
		value.Raw = f.rawJSON()
	case *metav1.FieldsV1:
		value.SetRawBytes([]byte(`{"f:a":{"f:b":{}}}`))
	case *apiextensions.JSON:
		value.Raw = f.rawJSON()
	default:
		return false
	}
	return true
}

func (f *Filler) value(v reflect.Value) {
	if v.CanAddr() && f.special(v.Addr().Interface()) || f.alternative(v) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.value(v.Field(i))
		}
	case reflect.Pointer:
		if f.set() {
			v.Set(reflect.New(v.Type().Elem()))
			f.value(v.Elem())
		}
	case reflect.Slice:
		f.slice(v)
	case reflect.Map:
		f.mapping(v)
	case reflect.String:
		if f.set() {
			v.SetString(f.text())
		}
	case reflect.Bool:
		v.SetBool(f.set() && f.Rand.Intn(4) > 0)
	case reflect.Int32:
		if f.set() {
			v.SetInt(f.integer(1<<31 - 1))
		}
	case reflect.Int, reflect.Int64:
		if f.set() {
			v.SetInt(f.integer(math.MaxInt64))
		}
	case reflect.Float64:
		if f.set() {
			v.SetFloat(float64(f.Rand.Intn(1000)) / 8)
		}
	default:
		panic(fmt.Sprintf("cannot fill %v", v.Type()))
	}
}

func (f *Filler) slice(v reflect.Value) {
	if !f.set() {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(f.text()))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 1+f.Rand.Intn(8)/7, 2))
	for i := range v.Len() {
		f.value(v.Index(i))
	}
}

func (f *Filler) mapping(v reflect.Value) {
	if !f.set() {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range 1 + f.Rand.Intn(2) {
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(f.text())
		elem := reflect.New(v.Type().Elem()).Elem()
		f.value(elem)
		v.SetMapIndex(key, elem)
	}
}

// alternative fills the recursive types of a CustomResourceDefinition's schema, and union types. A schema inside a
// schema has only a type.
func (f *Filler) alternative(v reflect.Value) bool {
	if !v.CanAddr() {
		return false
	}
	first := f.Rand.Intn(2) == 0
	switch value := v.Addr().Interface().(type) {
	case *apiextensions.JSONSchemaPropsOrBool:
		*value = apiextensions.JSONSchemaPropsOrBool{Allows: true}
		if first {
			value.Schema = f.typeSchema()
		}
	case *apiextensions.JSONSchemaPropsOrArray:
		if first {
			value.Schema = f.typeSchema()
		} else {
			value.JSONSchemas = []apiextensions.JSONSchemaProps{*f.typeSchema(), *f.typeSchema()}
		}
	case *apiextensions.JSONSchemaPropsOrStringArray:
		if first {
			value.Schema = f.typeSchema()
		} else {
			value.Property = []string{f.text()}
		}
	case *apiextensions.JSONSchemaProps:
		if !f.inSchema {
			f.inSchema = true
			for i := range v.NumField() {
				f.value(v.Field(i))
			}
			f.inSchema = false
		} else {
			*value = *f.typeSchema()
		}
	default:
		return false
	}
	return true
}

func (f *Filler) typeSchema() *apiextensions.JSONSchemaProps {
	return &apiextensions.JSONSchemaProps{Type: f.text()}
}
