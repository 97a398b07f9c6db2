// Prints the enums of the built-in definitions, which the published OpenAPI documents leave out:
// {"io.k8s.api.core.v1.Container": {"imagePullPolicy": ["Always", …]}}. A key "a[]" is the items of a.
package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

func main() {
	definitions := openapi.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef("#/" + path) })
	enums := map[string]map[string][]any{}
	for name, definition := range definitions {
		for field, schema := range definition.Schema.Properties {
			key := field
			if schema.Items != nil && schema.Items.Schema != nil {
				schema, key = *schema.Items.Schema, field+"[]"
			}
			if len(schema.Enum) == 0 {
				continue
			}
			if enums[name] == nil {
				enums[name] = map[string][]any{}
			}
			values := slices.Clone(schema.Enum)
			slices.SortFunc(values, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			enums[name][key] = values
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(enums); err != nil {
		panic(err)
	}
}
