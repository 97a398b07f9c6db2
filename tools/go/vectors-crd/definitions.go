package main

import (
	"context"
	"encoding/json"
	"math/rand"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

type definitionCase struct {
	Definition any      `json:"definition"`
	Errors     []string `json:"errors"`
}

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"conversion":{"strategy":"None"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"},"l":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}},"status":{"type":"object","properties":{"r":{"type":"integer"}}}}}}}]},
"status":{"storedVersions":["v1"],"acceptedNames":{"plural":"","kind":""}}}`

func definitionCases(rng *rand.Rand) []definitionCase {
	var cases []definitionCase
	add := func(mutations ...mutation) {
		crd := parse(definition)
		for _, m := range mutations {
			crd = m.apply(crd)
		}
		if c, ok := judge(crd); ok {
			cases = append(cases, c)
		}
	}
	add()
	for _, m := range mutations {
		add(m)
	}
	for len(cases) < len(mutations)+90 {
		picked := []mutation{}
		for i := 0; i < 2+rng.Intn(2); i++ {
			picked = append(picked, mutations[rng.Intn(len(mutations))])
		}
		add(picked...)
	}
	return cases
}

func judge(crd any) (definitionCase, bool) {
	errors := validateDefinition(crd)
	for i := 0; i < 6; i++ {
		again := validateDefinition(crd)
		if len(again) != len(errors) {
			return definitionCase{}, false
		}
		for j := range again {
			if again[j] != errors[j] {
				return definitionCase{}, false
			}
		}
	}
	return definitionCase{Definition: crd, Errors: errors}, true
}

func validateDefinition(crd any) []string {
	raw, err := json.Marshal(crd)
	must(err)
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(raw, &v1); err != nil {
		return []string{"decode"}
	}
	var internal apiextensions.CustomResourceDefinition
	must(apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &internal, nil))
	out := []string{}
	for _, e := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
		out = append(out, e.Error())
	}
	sort.Strings(out)
	return out
}

// mutation sets the value at a path; nil removes it.
type mutation struct {
	path  []any
	value any
}

func at(value any, path ...any) mutation { return mutation{path, value} }

func (m mutation) apply(root any) any { return set(root, m.path, m.value) }

func set(node any, path []any, value any) any {
	if len(path) == 0 {
		return clone(value)
	}
	switch key := path[0].(type) {
	case string:
		object, ok := node.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		if value == nil && len(path) == 1 {
			delete(object, key)
			return object
		}
		object[key] = set(object[key], path[1:], value)
		return object
	case int:
		list, _ := node.([]any)
		for len(list) <= key {
			list = append(list, map[string]any{})
		}
		list[key] = set(list[key], path[1:], value)
		return list
	}
	return node
}
