package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

const basePod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"1"},"creationTimestamp":"2024-01-02T03:04:05Z"},
"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"i","args":["x","y"],"env":[{"name":"E","value":"1"}],
"resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1500m"}}}],"nodeSelector":{"z":"y"}}}`

// Each change sets one path, given as JSON, or removes it.
var changes = []struct {
	path  []any
	value string
}{
	{nil, ""},
	{[]any{"metadata", "labels"}, `{}`},
	{[]any{"metadata", "labels"}, ``},
	{[]any{"metadata", "labels", "b"}, `"2"`},
	{[]any{"metadata", "annotations"}, `{}`},
	{[]any{"metadata", "annotations"}, `null`},
	{[]any{"metadata", "finalizers"}, `[]`},
	{[]any{"metadata", "creationTimestamp"}, `"2024-01-02T04:04:05+01:00"`},
	{[]any{"spec", "volumes", 0, "emptyDir"}, ``},
	{[]any{"spec", "volumes", 0, "emptyDir"}, `{"medium":"Memory"}`},
	{[]any{"spec", "volumes"}, `[]`},
	{[]any{"spec", "containers", 0, "args"}, `["x"]`},
	{[]any{"spec", "containers", 0, "args"}, `["x","y","z"]`},
	{[]any{"spec", "containers", 0, "args"}, `[]`},
	{[]any{"spec", "containers", 0, "command"}, `[]`},
	{[]any{"spec", "containers", 0, "image"}, `"j"`},
	{[]any{"spec", "containers", 0, "image"}, ``},
	{[]any{"spec", "containers", 0, "resources", "requests", "cpu"}, `"1000m"`},
	{[]any{"spec", "containers", 0, "resources", "requests", "memory"}, `"1024Mi"`},
	{[]any{"spec", "containers", 0, "resources", "requests", "memory"}, `"1G"`},
	{[]any{"spec", "containers", 0, "resources", "limits"}, `{}`},
	{[]any{"spec", "containers", 0, "resources", "limits"}, ``},
	{[]any{"spec", "containers", 0, "securityContext"}, `{}`},
	{[]any{"spec", "securityContext"}, `{"runAsUser":0}`},
	{[]any{"spec", "nodeSelector"}, `{"z":"x"}`},
	{[]any{"spec", "priority"}, `0`},
	{[]any{"spec", "tolerations"}, `[{}]`},
	{[]any{"spec", "overhead"}, `{"cpu":"0"}`},
}

func set(doc any, path []any, value string) any {
	if len(path) == 0 {
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			panic(err)
		}
		return v
	}
	switch key := path[0].(type) {
	case string:
		m := doc.(map[string]any)
		if len(path) == 1 && value == "" {
			delete(m, key)
			return m
		}
		m[key] = set(m[key], path[1:], value)
		return m
	case int:
		l := doc.([]any)
		l[key] = set(l[key], path[1:], value)
		return l
	}
	panic("path")
}

func equalityVectors() []section {
	var docs []row
	var pods []corev1.Pod
	for _, c := range changes {
		var doc any
		if err := json.Unmarshal([]byte(basePod), &doc); err != nil {
			panic(err)
		}
		if c.path != nil {
			doc = set(doc, c.path, c.value)
		}
		data, _ := json.Marshal(doc)
		var pod corev1.Pod
		if err := json.Unmarshal(data, &pod); err != nil {
			panic(err)
		}
		docs = append(docs, row{doc})
		pods = append(pods, pod)
	}
	var pairs []row
	for i := range pods {
		equal, derivative := "", ""
		for j := range pods {
			equal += map[bool]string{true: "1", false: "0"}[apiequality.Semantic.DeepEqual(pods[i], pods[j])]
			derivative += map[bool]string{true: "1", false: "0"}[apiequality.Semantic.DeepDerivative(pods[i], pods[j])]
		}
		pairs = append(pairs, row{equal, derivative})
	}
	return []section{{"documents", docs}, {"rows", pairs}}
}
