// Writes protobuf vectors: for every built-in kind a full and an empty object, as upstream encodes it in protobuf and
// prints it in JSON after decoding those bytes. The output is a JSON list of strings "base64 json", which is cheap for
// a type checker.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"os"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"steersman/tools/internal/fill"
)

// main takes the group versions to cover as its arguments.
func main() {
	scheme := clientscheme.Scheme
	utilruntime.Must(apiextensions.AddToScheme(scheme))
	utilruntime.Must(apiregistration.AddToScheme(scheme))
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	kinds := slices.SortedFunc(func(yield func(schema.GroupVersionKind) bool) {
		for gvk := range scheme.AllKnownTypes() {
			if slices.Contains(os.Args[1:], gvk.GroupVersion().String()) && !yield(gvk) {
				return
			}
		}
	}, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	rows := []string{}
	for _, gvk := range kinds {
		if isShared(gvk) {
			continue
		}
		for _, density := range []int{0, 100} {
			if row, ok := vector(scheme, gvk, density); ok {
				rows = append(rows, row)
			}
		}
	}
	utilruntime.Must(json.NewEncoder(os.Stdout).Encode(rows))
}

// isShared returns whether to skip a kind: options that every group repeats, except in core, and WatchEvent, which
// never has an envelope.
func isShared(gvk schema.GroupVersionKind) bool {
	return gvk.Kind == "WatchEvent" || gvk.Group != "" && strings.HasSuffix(gvk.Kind, "Options")
}

func vector(scheme *runtime.Scheme, gvk schema.GroupVersionKind, density int) (string, bool) {
	object, err := scheme.New(gvk)
	utilruntime.Must(err)
	if _, ok := object.(runtime.ProtobufMarshaller); !ok {
		return "", false
	}
	seed := fnv.New32a()
	seed.Write([]byte(gvk.String()))
	filler := fill.New(int64(seed.Sum32()), density)
	if isList := reflect.ValueOf(object).Elem().FieldByName("Items"); isList.IsValid() {
		filler.Density = min(density, 5)
		if density > 0 {
			filler.Object(object)
			isList.Set(reflect.MakeSlice(isList.Type(), 2, 2))
		}
	} else {
		filler.Object(object)
	}
	object.GetObjectKind().SetGroupVersionKind(gvk)
	serializer := protobuf.NewSerializer(scheme, scheme)
	var encoded bytes.Buffer
	utilruntime.Must(serializer.Encode(object, &encoded))
	decoded, _, err := serializer.Decode(encoded.Bytes(), nil, nil)
	utilruntime.Must(err)
	var printed bytes.Buffer
	encoder := json.NewEncoder(&printed)
	encoder.SetEscapeHTML(false)
	utilruntime.Must(encoder.Encode(decoded))
	return base64.StdEncoding.EncodeToString(encoded.Bytes()) + " " + strings.TrimSpace(printed.String()), true
}
