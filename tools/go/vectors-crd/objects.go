package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

type objectCase struct {
	Schema    json.RawMessage `json:"schema"`
	Object    any             `json:"object"`
	Old       any             `json:"old,omitempty"`
	Pruned    any             `json:"pruned"`
	Unknown   []string        `json:"unknown,omitempty"`
	Defaulted any             `json:"defaulted"`
	Errors    []string        `json:"errors,omitempty"`
	Update    []string        `json:"updateErrors,omitempty"`
}

func internalSchema(raw json.RawMessage) *apiextensions.JSONSchemaProps {
	var v1 apiextensionsv1.JSONSchemaProps
	must(json.Unmarshal(raw, &v1))
	var internal apiextensions.JSONSchemaProps
	must(apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil))
	return &internal
}

func texts(errs field.ErrorList) []string {
	out := []string{}
	for _, e := range errs {
		out = append(out, e.Error())
	}
	sort.Strings(out)
	return out
}

// run processes an object like the API server: prune, drop nulls, default, validate.
func run(raw json.RawMessage, object, old any) (c objectCase) {
	schema := internalSchema(raw)
	ss, err := structuralschema.NewStructural(schema)
	must(err)
	c = objectCase{Schema: raw, Object: clone(object)}
	current := clone(object).(map[string]any)
	c.Unknown = pruning.PruneWithOptions(current, ss, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(current, ss)
	c.Pruned = clone(current)
	defaulting.Default(current, ss)
	c.Defaulted = clone(current)
	validator, _, err := validation.NewSchemaValidator(schema)
	must(err)
	c.Errors = texts(check(ss, validator, current, nil))
	if old != nil {
		before := clone(old).(map[string]any)
		c.Old = clone(old)
		c.Update = texts(check(ss, validator, current, before))
	}
	return c
}

func check(ss *structuralschema.Structural, validator validation.SchemaValidator, obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	var options []cel.Option
	if old == nil {
		errs = append(errs, validation.ValidateCustomResource(nil, obj, validator)...)
	} else {
		correlated := common.NewCorrelatedObject(obj, old, &model.Structural{Structural: ss})
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, obj, old, validator, validation.WithRatcheting(correlated))...)
		options = append(options, cel.WithRatcheting(correlated))
	}
	errs = append(errs, objectmeta.Validate(nil, obj, ss, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, ss, obj)...)
	if v := cel.NewValidator(ss, true, celconfig.PerCallLimit); v != nil && len(errs) == 0 {
		var oldValue any
		if old != nil {
			oldValue = old
		}
		celErrs, _ := v.Validate(context.Background(), nil, ss, obj, oldValue, celconfig.RuntimeCELCostBudget, options...)
		errs = append(errs, celErrs...)
	}
	return errs
}

// objectCases returns random schemas, and objects that mostly fit them.
func objectCases(rng *rand.Rand) []objectCase {
	var cases []objectCase
	for len(cases) < 420 {
		schema := map[string]any{"type": "object", "properties": map[string]any{"spec": randomSchema(rng, 0)}}
		raw, err := json.Marshal(schema)
		must(err)
		if len(raw) > 2500 {
			continue
		}
		if ss, err := structuralschema.NewStructural(internalSchema(raw)); err != nil || len(structuralschema.ValidateStructural(nil, ss)) > 0 {
			continue
		}
		for i := 0; i < 3; i++ {
			object := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}}
			object["spec"] = randomValue(rng, schema["properties"].(map[string]any)["spec"].(map[string]any), 0)
			if rng.Intn(6) == 0 {
				object["extra"] = map[string]any{"x": int64(1)}
			}
			var old any
			if rng.Intn(2) == 0 {
				before := clone(object).(map[string]any)
				if rng.Intn(2) == 0 {
					before["spec"] = randomValue(rng, schema["properties"].(map[string]any)["spec"].(map[string]any), 0)
				}
				old = before
			}
			c := run(raw, clone(object), old)
			if stable(c, raw, object, old) {
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// stable leaves out cases that depend on map order, which upstream visits at random.
func stable(c objectCase, raw json.RawMessage, object, old any) bool {
	want, _ := json.Marshal(c)
	for i := 0; i < 8; i++ {
		got, _ := json.Marshal(run(raw, clone(object), old))
		if string(got) != string(want) {
			return false
		}
	}
	return true
}

var fieldNames = []string{"a", "b", "name", "x-y", "namespace", "c_d"}

func randomSchema(rng *rand.Rand, depth int) map[string]any {
	s := map[string]any{}
	kinds := []string{"string", "integer", "number", "boolean", "object", "array", "map", "intOrString", "any"}
	kind := kinds[rng.Intn(len(kinds))]
	if depth == 0 {
		kind = "object"
	} else if depth > 3 {
		kind = kinds[rng.Intn(4)]
	}
	switch kind {
	case "string":
		s["type"] = "string"
		switch rng.Intn(6) {
		case 0:
			s["maxLength"] = rng.Intn(4)
		case 1:
			s["minLength"] = rng.Intn(4)
		case 2:
			s["pattern"] = []string{"^[a-z]+$", "b.?c", "^$"}[rng.Intn(3)]
		case 3:
			s["enum"] = []any{"red", "blue"}
		case 4:
			s["format"] = []string{"date-time", "date", "ipv4", "ipv6", "cidr", "uuid", "byte", "duration", "uri", "email", "hostname", "mac", "nonsense", "k8s-short-name"}[rng.Intn(14)]
		}
	case "integer", "number":
		s["type"] = kind
		if rng.Intn(3) == 0 {
			s["minimum"] = rng.Intn(5)
			s["exclusiveMinimum"] = rng.Intn(2) == 0
		}
		if rng.Intn(3) == 0 {
			s["maximum"] = []any{3, 7.5, 10}[rng.Intn(3)]
		}
		if rng.Intn(4) == 0 {
			s["multipleOf"] = []any{2, 3, 0.5}[rng.Intn(3)]
		}
		if kind == "integer" && rng.Intn(4) == 0 {
			s["format"] = []string{"int32", "int64"}[rng.Intn(2)]
		}
	case "boolean":
		s["type"] = "boolean"
	case "object":
		s["type"] = "object"
		properties := map[string]any{}
		for i := 0; i < 1+rng.Intn(4); i++ {
			properties[fieldNames[rng.Intn(len(fieldNames))]] = randomSchema(rng, depth+1)
		}
		s["properties"] = properties
		if rng.Intn(3) == 0 {
			s["required"] = []string{fieldNames[rng.Intn(len(fieldNames))]}
		}
		if rng.Intn(8) == 0 {
			s["x-kubernetes-preserve-unknown-fields"] = true
		}
		if rng.Intn(8) == 0 {
			s["maxProperties"] = 1 + rng.Intn(3)
		}
		if rng.Intn(6) == 0 {
			var clauses []any
			for name := range properties {
				clauses = append(clauses, map[string]any{"required": []string{name}})
			}
			sort.Slice(clauses, func(i, j int) bool { return fmt.Sprint(clauses[i]) < fmt.Sprint(clauses[j]) })
			s[[]string{"anyOf", "oneOf", "allOf"}[rng.Intn(3)]] = clauses
		}
		if rng.Intn(10) == 0 {
			s["not"] = map[string]any{"required": []string{"a"}}
		}
	case "map":
		s["type"] = "object"
		s["additionalProperties"] = randomSchema(rng, depth+1)
	case "array":
		s["type"] = "array"
		items := randomSchema(rng, depth+1)
		s["items"] = items
		switch {
		case rng.Intn(4) == 0:
			s["maxItems"] = 1 + rng.Intn(3)
		case rng.Intn(4) == 0:
			s["minItems"] = 1 + rng.Intn(3)
		case rng.Intn(2) == 0 && items["type"] != "object" && items["type"] != "array":
			s["x-kubernetes-list-type"] = "set"
		case items["properties"] != nil && rng.Intn(2) == 0:
			items["properties"].(map[string]any)["name"] = map[string]any{"type": "string"}
			items["required"] = []string{"name"}
			s["x-kubernetes-list-type"] = "map"
			s["x-kubernetes-list-map-keys"] = []string{"name"}
		}
	case "intOrString":
		s["x-kubernetes-int-or-string"] = true
	case "any":
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if depth > 0 && rng.Intn(6) == 0 && s["x-kubernetes-list-type"] == nil {
		s["nullable"] = true
	}
	if depth > 0 && rng.Intn(4) == 0 {
		if d := fitting(rng, s); d != nil {
			s["default"] = d
		}
	}
	return s
}

func fitting(rng *rand.Rand, s map[string]any) any {
	switch s["type"] {
	case "string":
		if s["enum"] != nil {
			return "red"
		}
		if s["format"] == nil && s["pattern"] == nil {
			return "d"
		}
	case "integer":
		return int64(rng.Intn(4))
	case "boolean":
		return true
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	}
	return nil
}

func randomValue(rng *rand.Rand, s map[string]any, depth int) any {
	if rng.Intn(14) == 0 {
		return []any{nil, "text", int64(3), true, []any{int64(1)}, map[string]any{"q": int64(1)}, 2.5}[rng.Intn(7)]
	}
	if s["x-kubernetes-int-or-string"] != nil {
		return []any{int64(7), "7%"}[rng.Intn(2)]
	}
	switch s["type"] {
	case "string":
		if f, ok := s["format"].(string); ok && rng.Intn(3) > 0 {
			return []string{"2020-01-02T03:04:05Z", "2020-01-02", "1.2.3.4", "fe80::1", "10.0.0.0/8", "123e4567-e89b-12d3-a456-426614174000", "aGVsbG8=", "1h30m", "https://a.b/c", "a@b.c", "host.example", "01:02:03:04:05:06", f, "a-b"}[rng.Intn(14)]
		}
		return []string{"", "a", "abc", "red", "bXc", "Ünïcode"}[rng.Intn(6)]
	case "integer":
		return int64(rng.Intn(14) - 2)
	case "number":
		return []any{int64(2), 2.5, 7.75, int64(-1)}[rng.Intn(4)]
	case "boolean":
		return rng.Intn(2) == 0
	case "array":
		items := s["items"].(map[string]any)
		list := []any{}
		for i := 0; i < rng.Intn(4); i++ {
			list = append(list, randomValue(rng, items, depth+1))
		}
		if len(list) > 0 && rng.Intn(4) == 0 {
			list = append(list, clone(list[0]))
		}
		return list
	case "object":
		object := map[string]any{}
		if values, ok := s["additionalProperties"].(map[string]any); ok {
			for i := 0; i < rng.Intn(3); i++ {
				object[fieldNames[rng.Intn(len(fieldNames))]] = randomValue(rng, values, depth+1)
			}
			return object
		}
		for name, p := range sorted(s["properties"].(map[string]any)) {
			if rng.Intn(4) > 0 {
				object[name] = randomValue(rng, p.(map[string]any), depth+1)
			}
		}
		if rng.Intn(4) == 0 {
			object["unknown"] = map[string]any{"deep": []any{int64(1), map[string]any{"er": "x"}}}
		}
		return object
	}
	return map[string]any{"any": []any{"thing", int64(1)}, "name": strings.Repeat("n", 2)}
}

func sorted(m map[string]any) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		keys := []string{}
		for k := range m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
