// Writes the answers of the real managedfields.FieldManager to seeded sequences of writes by several managers, as JSON
// for the tests of src/api/apply: `go run ./vectors-apply > ../../test/vectors/apply.json`. Steps whose answer depends
// on Go's map order, or that make upstream panic, are left out. Times are reduced to none, old and new, because
// upstream reads the wall clock.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

type object = map[string]any
type list = []any

var old = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

func main() {
	kinds := loadKinds()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	widgets, err := json.Marshal(list{json.RawMessage(widgetSchema), json.RawMessage(widgetChangedSchema)})
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(out, "{\"widgets\":%s,\n\"sequences\":[", widgets)
	random := rand.New(rand.NewSource(42))
	for n := 0; n < 560; n++ {
		line, err := json.Marshal(sequence(random, kinds[n%len(kinds)]))
		if err != nil {
			panic(err)
		}
		if n > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintf(out, "\n%s", line)
	}
	random = rand.New(rand.NewSource(44))
	sections := []struct {
		name  string
		cases []list
	}{{"creates", typedCreates(rand.New(rand.NewSource(43)))}, {"sets", nil}, {"decodes", nil}}
	for range 250 {
		sections[1].cases = append(sections[1].cases, setCase(random))
		sections[2].cases = append(sections[2].cases, decodeCase(random))
	}
	for _, section := range sections {
		fmt.Fprintf(out, "\n],\n%q:[", section.name)
		for i, vector := range section.cases {
			line, err := json.Marshal(vector)
			if err != nil {
				panic(err)
			}
			if i > 0 {
				fmt.Fprint(out, ",")
			}
			fmt.Fprintf(out, "\n%s", line)
		}
	}
	fmt.Fprintln(out, "\n]}")
}

// A step is [endpoint, operation, manager, force, input, resulting object (null if as sent or failed), managed fields,
// error].
func sequence(r *rand.Rand, k *kind) list {
	universe := k.universe(r)
	var live *unstructured.Unstructured
	steps := list{}
	count := 3 + r.Intn(4)
	crowd := chance(r, 4)
	if crowd {
		count = 15
	}
	for i := 0; i < count; i++ {
		endpoint := k.endpointFor(r, i, live)
		step, after := runStep(r, k, endpoint, universe, live, crowd)
		if step == nil {
			continue
		}
		steps = append(steps, step)
		if after != nil {
			live = after
		}
	}
	return list{k.name, steps}
}

func runStep(r *rand.Rand, k *kind, endpoint string, universe object, live *unstructured.Unstructured, crowd bool) (list, *unstructured.Unstructured) {
	isApply := chance(r, 60) && (!crowd || chance(r, 10))
	manager := word(r, "alice bob carol kubectl")
	force := chance(r, 30)
	var input object
	if isApply {
		input = k.configuration(r, endpoint, universe)
	} else {
		input = k.update(r, endpoint, universe, live)
		if crowd || chance(r, 15) {
			manager = word(r, "m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14")
		}
	}
	base := live
	if base == nil {
		base = k.empty(endpoint)
	}
	result, failure, ok := stable(func() (*unstructured.Unstructured, error) {
		manage := k.managers[endpoint]
		if isApply {
			patch := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(input)}
			return asUnstructured(manage.Apply(base.DeepCopy(), patch, manager, force))
		}
		return asUnstructured(manage.Update(base.DeepCopy(), &unstructured.Unstructured{Object: runtime.DeepCopyJSON(input)}, manager))
	})
	if !ok {
		return nil, nil
	}
	operation := "update"
	if isApply {
		operation = "apply"
	}
	step := list{endpoint, operation, manager, force, input}
	if failure != nil {
		return append(step, nil, nil, failure), nil
	}
	managed := describe(result)
	plain := result.DeepCopy()
	unstructured.RemoveNestedField(plain.Object, "metadata", "managedFields")
	var after any = plain.Object
	if !isApply {
		after = nil
	}
	settle(result)
	return append(step, after, managed, nil), result
}

func asUnstructured(out runtime.Object, err error) (*unstructured.Unstructured, error) {
	if err != nil {
		return nil, err
	}
	return out.(*unstructured.Unstructured), nil
}

// stable runs a step several times; returns false after a panic or two different answers.
func stable(run func() (*unstructured.Unstructured, error)) (result *unstructured.Unstructured, failure any, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var first string
	for i := 0; i < 48; i++ {
		object, err := run()
		failure = nil
		var answer list
		if err != nil {
			failure = describeError(err)
			answer = list{failure}
		} else {
			plain := object.DeepCopy()
			unstructured.RemoveNestedField(plain.Object, "metadata", "managedFields")
			answer = list{plain.Object, describe(object)}
		}
		text, _ := json.Marshal(answer)
		if i == 0 {
			first, result = string(text), object
		} else if string(text) != first {
			return nil, nil, false
		}
	}
	return result, failure, true
}

// Causes come in the order of a Go map of managers.
func describeError(err error) any {
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		return list{500, err.Error()}
	}
	causes := list{}
	if details := status.Status().Details; details != nil {
		sort.SliceStable(details.Causes, func(i, j int) bool {
			a, b := details.Causes[i], details.Causes[j]
			return a.Message+a.Field < b.Message+b.Field
		})
		for _, cause := range details.Causes {
			causes = append(causes, list{string(cause.Type), cause.Message, cause.Field})
		}
	}
	return list{status.Status().Code, status.Status().Message, causes}
}

// describe returns entries as [manager, operation, apiVersion, subresource, time: 0 none, 1 old, 2 new, fields].
func describe(o *unstructured.Unstructured) list {
	out := list{}
	for _, entry := range o.GetManagedFields() {
		age := 0
		if entry.Time != nil {
			age = 2
			if entry.Time.Time.Equal(old.Time) {
				age = 1
			}
		}
		out = append(out, list{entry.Manager, string(entry.Operation), entry.APIVersion, entry.Subresource, age, json.RawMessage(entry.FieldsV1.GetRawBytes())})
	}
	return out
}

// settle makes the result the stored object of the next step.
func settle(o *unstructured.Unstructured) {
	o.SetUID("u")
	entries := o.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil {
			entries[i].Time = &old
		}
	}
	if len(entries) > 0 {
		o.SetManagedFields(entries)
	}
}
