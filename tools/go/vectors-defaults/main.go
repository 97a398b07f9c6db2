// Writes inputs and outputs of upstream defaulting: for every served kind and version an empty
// object, one with every field set and sparse ones, all seeded. Only the difference is stored.
// Usage: vectors-defaults > defaults.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistrationinstall "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

// What kube-apiserver 1.36 can serve, alpha and beta included.
var served = []string{
	"v1", "admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1",
	"apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "apps/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1",
	"autoscaling/v1", "autoscaling/v2", "batch/v1", "certificates.k8s.io/v1", "certificates.k8s.io/v1alpha1", "certificates.k8s.io/v1beta1",
	"coordination.k8s.io/v1", "coordination.k8s.io/v1alpha2", "coordination.k8s.io/v1beta1", "discovery.k8s.io/v1", "events.k8s.io/v1",
	"flowcontrol.apiserver.k8s.io/v1", "internal.apiserver.k8s.io/v1alpha1", "networking.k8s.io/v1", "networking.k8s.io/v1beta1", "node.k8s.io/v1",
	"policy/v1", "rbac.authorization.k8s.io/v1", "resource.k8s.io/v1", "resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2",
	"scheduling.k8s.io/v1", "scheduling.k8s.io/v1alpha2", "storage.k8s.io/v1", "storage.k8s.io/v1beta1", "storagemigration.k8s.io/v1beta1",
}

// Kinds of the versions above that no server offers any more.
var unserved = []string{
	"v1/PodStatusResult", "certificates.k8s.io/v1beta1/CertificateSigningRequest",
	"networking.k8s.io/v1beta1/Ingress", "networking.k8s.io/v1beta1/IngressClass",
	"storage.k8s.io/v1beta1/CSIDriver", "storage.k8s.io/v1beta1/CSINode", "storage.k8s.io/v1beta1/CSIStorageCapacity",
	"storage.k8s.io/v1beta1/StorageClass", "storage.k8s.io/v1beta1/VolumeAttachment",
	"admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration",
}

// Values of string types that defaulting reads.
var choices = map[string][]string{
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

type filler struct {
	rng    *rand.Rand
	sparse bool
	count  int
}

func (f *filler) skip() bool { return f.sparse && f.rng.Float64() < 0.35 }

func (f *filler) fill(v reflect.Value, field string, depth int) {
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
		v.Set(reflect.ValueOf(meta))
		return
	case reflect.TypeFor[metav1.TypeMeta]():
		return
	case reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(resource.MustParse(quantities[f.rng.Intn(len(quantities))])))
		return
	case reflect.TypeFor[intstr.IntOrString]():
		v.Set(reflect.ValueOf([]intstr.IntOrString{intstr.FromInt32(7), intstr.FromString("10%"), intstr.FromInt32(0), intstr.FromString("")}[f.rng.Intn(4)]))
		return
	case reflect.TypeFor[metav1.Time]():
		v.Set(reflect.ValueOf(metav1.Time{Time: time.Unix(1700000000+int64(f.rng.Intn(1000)), 0).UTC()}))
		return
	case reflect.TypeFor[metav1.MicroTime]():
		v.Set(reflect.ValueOf(metav1.MicroTime{Time: time.Unix(1700000000, 123456000).UTC()}))
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
		if f.sparse {
			n = f.rng.Intn(3)
		}
		s := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			f.fill(s.Index(i), field, depth+1)
		}
		v.Set(s)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		for range 1 + f.rng.Intn(2) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, field, depth+1)
			f.fill(value, field, depth+1)
			m.SetMapIndex(key, value)
		}
		v.Set(m)
	case reflect.String:
		if list, ok := choices[v.Type().Name()]; ok {
			v.SetString(list[f.rng.Intn(len(list))])
		} else if field == "Image" || field == "Reference" {
			v.SetString(images[f.rng.Intn(len(images))])
		} else {
			v.SetString(f.word())
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(1 + f.rng.Intn(90)))
	case reflect.Bool:
		v.SetBool(!f.sparse || f.rng.Intn(2) == 0)
	case reflect.Float64:
		v.SetFloat(1.5)
	}
}

func (f *filler) fillStruct(v reflect.Value, depth int) {
	t := v.Type()
	// A union of sources: set all of them in full objects, one or none in sparse ones.
	isUnion := strings.HasSuffix(t.Name(), "VolumeSource") || t.Name() == "PersistentVolumeSource"
	chosen := -1
	if isUnion && f.sparse {
		chosen = f.rng.Intn(t.NumField() + 3)
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() || field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		if f.sparse && isUnion && !field.Anonymous && field.Type.Kind() == reflect.Pointer && chosen < t.NumField() {
			if i != chosen {
				continue
			}
		} else if !field.Anonymous && field.Type.Kind() != reflect.Struct && f.skip() {
			continue
		}
		f.fill(v.Field(i), field.Name, depth+1)
	}
}

func (f *filler) word() string {
	f.count++
	return fmt.Sprintf("s%d", f.count)
}

type vector struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	In         any    `json:"in"`
	// Each entry is [path] for a removed value or [path, value] for one that was set.
	Diff [][]any `json:"diff"`
}

func decode(o runtime.Object) any {
	raw, err := json.Marshal(o)
	must(err)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out any
	must(d.Decode(&out))
	return out
}

func diff(path []any, a, b any, out *[][]any) {
	if am, ok := a.(map[string]any); ok {
		if bm, ok := b.(map[string]any); ok {
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
				case k == "timeAdded":
					*out = append(*out, []any{next, "$now"})
				default:
					*out = append(*out, []any{next, bv})
				}
			}
			return
		}
	}
	if as, ok := a.([]any); ok {
		if bs, ok := b.([]any); ok && len(as) == len(bs) {
			for i := range as {
				diff(append(slices.Clone(path), i), as[i], bs[i], out)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*out = append(*out, []any{path, b})
	}
}

// An empty object, a full one, and sparse ones.
const variants = 6

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	scheme := legacyscheme.Scheme
	apiextensionsinstall.Install(scheme)
	apiregistrationinstall.Install(scheme)
	var kinds []schema.GroupVersionKind
	for gvk, t := range scheme.AllKnownTypes() {
		_, hasMeta := t.FieldByName("ObjectMeta")
		if slices.Contains(served, gvk.GroupVersion().String()) && hasMeta && !slices.Contains(unserved, gvk.GroupVersion().String()+"/"+gvk.Kind) {
			kinds = append(kinds, gvk)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	os.Stdout.WriteString("[\n")
	for i, gvk := range kinds {
		for variant := range variants {
			object, err := scheme.New(gvk)
			must(err)
			if variant > 0 {
				f := &filler{rng: rand.New(rand.NewSource(int64(variant))), sparse: variant > 1}
				f.fill(reflect.ValueOf(object).Elem(), "", 0)
			}
			in := decode(object)
			scheme.Default(object)
			v := vector{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, In: in, Diff: [][]any{}}
			diff([]any{}, in, decode(object), &v.Diff)
			line, err := json.Marshal(v)
			must(err)
			if i+variant > 0 {
				os.Stdout.WriteString(",\n")
			}
			os.Stdout.Write(line)
		}
	}
	os.Stdout.WriteString("\n]\n")
}
