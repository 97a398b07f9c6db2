package main

import "encoding/json"

// prune returns the JSON form of a value without nulls and the empty states of containers, which take up space. Other
// empty values stay: they may differ from missing ones.
func prune(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		panic(err)
	}
	pruned, _ := pruneTree(tree)
	return pruned
}

func pruneTree(v any) (any, bool) {
	switch t := v.(type) {
	case nil:
		return nil, false
	case []any:
		for i := range t {
			t[i], _ = pruneTree(t[i])
		}
	case map[string]any:
		for k, inner := range t {
			if kept, ok := pruneTree(inner); ok && k != "state" && k != "lastState" {
				t[k] = kept
			} else {
				delete(t, k)
			}
		}
		return t, true
	}
	return v, true
}
