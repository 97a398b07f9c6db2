// Writes inputs and outputs of upstream defaulting: for every served kind and version an empty
// object, one with every field set and sparse ones, all seeded. Only the difference is stored.
// Usage: vectors-defaults > defaults.json
package main

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"strings"

	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

	"steersman/tools/fill"
)

// All versions that kube-apiserver 1.36 can serve, including alpha and beta.
var served = []string{
	"v1", "admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1",
	"apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "apps/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1",
	"autoscaling/v1", "autoscaling/v2", "batch/v1", "certificates.k8s.io/v1", "certificates.k8s.io/v1alpha1", "certificates.k8s.io/v1beta1",
	"coordination.k8s.io/v1", "coordination.k8s.io/v1alpha2", "coordination.k8s.io/v1beta1", "discovery.k8s.io/v1", "events.k8s.io/v1",
	"flowcontrol.apiserver.k8s.io/v1", "internal.apiserver.k8s.io/v1alpha1", "networking.k8s.io/v1", "networking.k8s.io/v1beta1", "node.k8s.io/v1",
	"policy/v1", "rbac.authorization.k8s.io/v1", "resource.k8s.io/v1", "resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2",
	"scheduling.k8s.io/v1", "scheduling.k8s.io/v1alpha2", "storage.k8s.io/v1", "storage.k8s.io/v1beta1", "storagemigration.k8s.io/v1beta1",
}

// Kinds of the versions above that servers no longer offer.
var unserved = []string{
	"v1/PodStatusResult", "certificates.k8s.io/v1beta1/CertificateSigningRequest",
	"networking.k8s.io/v1beta1/Ingress", "networking.k8s.io/v1beta1/IngressClass",
	"storage.k8s.io/v1beta1/CSIDriver", "storage.k8s.io/v1beta1/CSINode", "storage.k8s.io/v1beta1/CSIStorageCapacity",
	"storage.k8s.io/v1beta1/StorageClass", "storage.k8s.io/v1beta1/VolumeAttachment",
	"admissionregistration.k8s.io/v1beta1/MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration",
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
				f := &fill.Filler{Rng: rand.New(rand.NewSource(int64(variant))), Sparse: variant > 1}
				f.Fill(object)
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
