// Writes the answers of the upstream patch packages to seeded random documents and patches, as JSON for the tests of
// src/api/patch: `go run ./vectors-patch > ../../test/vectors/patch.json`.
// Cases whose answer depends on Go's map order, or that make upstream panic, are left out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sync/atomic"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

type object = map[string]any
type list = []any

var structs = map[string]any{
	"v1/Pod": corev1.Pod{}, "apps/v1/Deployment": appsv1.Deployment{}, "v1/Service": corev1.Service{},
	"v1/ServiceAccount": corev1.ServiceAccount{}, "v1/Node": corev1.Node{},
}
var kinds = []string{"v1/Pod", "apps/v1/Deployment", "v1/Service", "v1/ServiceAccount", "v1/Node"}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	sections := []struct {
		name  string
		count int
		make  func(*rand.Rand) list
	}{
		{"jsonPatch", 500, jsonPatchCase},
		{"mergePatch", 320, mergePatchCase},
		{"createMergePatch", 150, createMergeCase},
		{"threeWayJson", 150, threeWayJSONCase},
		{"strategic", 1000, strategicCase},
		{"twoWay", 250, twoWayCase},
		{"threeWay", 250, threeWayCase},
	}
	fmt.Fprint(out, "{")
	for i, section := range sections {
		random := rand.New(rand.NewSource(int64(1000 + i)))
		fmt.Fprintf(out, "%s\n%q:[", separator(i), section.name)
		for n := 0; n < section.count; {
			vector := section.make(random)
			if vector == nil {
				continue
			}
			line, err := json.Marshal(vector)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(out, "%s\n%s", separator(n), line)
			n++
		}
		fmt.Fprint(out, "\n]")
	}
	fmt.Fprintln(out, "\n}")
}

func separator(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

// stable runs a function several times on fresh copies; returns false after a panic or two different answers.
func stable(run func() (any, error)) (result any, failure any, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var first string
	for i := 0; i < 64; i++ {
		value, err := run()
		failure = nil
		if err != nil {
			value, failure = nil, err.Error()
		}
		text, _ := json.Marshal(list{value, failure})
		if i == 0 {
			first, result = string(text), value
		} else if string(text) != first {
			return nil, nil, false
		}
	}
	return result, failure, true
}

func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(buffer.Bytes())
}

func clone(v any) any {
	var out any
	if err := kjson.Unmarshal(encode(object{"v": v}), &out); err != nil {
		panic(err)
	}
	return out.(object)["v"]
}

func decoded(data []byte, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return out, nil
}

func jsonPatchCase(r *rand.Rand) list {
	doc := randomDocument(r)
	operations := list{}
	for i := 1 + r.Intn(4); i > 0; i-- {
		operations = append(operations, randomOperation(r, doc))
	}
	limit := int64(0)
	if r.Intn(8) == 0 {
		limit = int64(10 + r.Intn(100))
	}
	result, failure, ok := stable(func() (any, error) {
		patch, err := jsonpatch.DecodePatch(encode(operations))
		if err != nil {
			return nil, err
		}
		atomic.StoreInt64(&jsonpatch.AccumulatedCopySizeLimit, limit)
		return decoded(patch.Apply(encode(doc)))
	})
	if !ok {
		return nil
	}
	return list{doc, operations, limit, result, failure}
}

func mergePatchCase(r *rand.Rand) list {
	doc := randomDocument(r)
	var patch any = mutate(r, doc, true)
	if r.Intn(20) == 0 {
		patch = pick(r, list{nil, "text", float64(1), list{object{"a": nil}, nil}, true})
	}
	result, failure, ok := stable(func() (any, error) { return decoded(jsonpatch.MergePatch(encode(doc), encode(patch))) })
	if !ok {
		return nil
	}
	return list{doc, patch, result, failure}
}

func createMergeCase(r *rand.Rand) list {
	before := randomDocument(r)
	after := mutate(r, before, false)
	result, _, ok := stable(func() (any, error) { return decoded(jsonpatch.CreateMergePatch(encode(before), encode(after))) })
	if !ok {
		return nil
	}
	return list{before, after, result}
}

func threeWayJSONCase(r *rand.Rand) list {
	original := randomDocument(r)
	modified, current := mutate(r, original, false), mutate(r, original, false)
	result, failure, ok := stable(func() (any, error) {
		return decoded(jsonmergepatch.CreateThreeWayJSONMergePatch(encode(original), encode(modified), encode(current)))
	})
	if !ok {
		return nil
	}
	return list{original, modified, current, result, failure != nil}
}

func strategicCase(r *rand.Rand) list {
	kind := kinds[r.Intn(len(kinds))]
	original := randomObject(r, kind)
	patch := randomStrategicPatch(r, original, "")
	result, failure, ok := stable(func() (any, error) {
		return strategicpatch.StrategicMergeMapPatch(clone(original).(object), clone(patch).(object), structs[kind])
	})
	if !ok || len(patch) == 0 {
		return nil
	}
	return list{kind, original, patch, result, failure}
}

func twoWayCase(r *rand.Rand) list {
	kind := kinds[r.Intn(len(kinds))]
	before := randomObject(r, kind)
	after := vary(r, before, kind)
	patch, failure, ok := stable(func() (any, error) {
		return strategicpatch.CreateTwoWayMergeMapPatch(clone(before).(object), clone(after).(object), structs[kind])
	})
	if !ok {
		return nil
	}
	if failure != nil {
		return list{kind, before, after, nil, nil, failure}
	}
	applied, failure, ok := stable(func() (any, error) {
		return strategicpatch.StrategicMergeMapPatch(clone(before).(object), clone(patch).(object), structs[kind])
	})
	if !ok {
		return nil
	}
	return list{kind, before, after, patch, applied, failure}
}

func threeWayCase(r *rand.Rand) list {
	kind := kinds[r.Intn(len(kinds))]
	original := randomObject(r, kind)
	modified, current := vary(r, original, kind), vary(r, original, kind)
	overwrite := r.Intn(3) > 0
	result, failure, ok := stable(func() (any, error) {
		schema, err := strategicpatch.NewPatchMetaFromStruct(structs[kind])
		if err != nil {
			return nil, err
		}
		return decoded(strategicpatch.CreateThreeWayMergePatch(encode(original), encode(modified), encode(current), schema, overwrite))
	})
	if !ok {
		return nil
	}
	return list{kind, original, modified, current, overwrite, result, failure}
}
