package main

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"
)

func pick(r *rand.Rand, from list) any      { return from[r.Intn(len(from))] }
func word(r *rand.Rand, from string) string { f := strings.Fields(from); return f[r.Intn(len(f))] }
func chance(r *rand.Rand, percent int) bool { return r.Intn(100) < percent }

func sortedKeys(m object) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

var scalars = list{"x", "y", "", "<&>", int64(0), int64(1), int64(42), 1.5, true, false}

func randomValue(r *rand.Rand, depth int) any {
	switch {
	case depth > 0 && chance(r, 25):
		return randomMap(r, depth-1)
	case depth > 0 && chance(r, 25):
		out := list{}
		for i := r.Intn(4); i > 0; i-- {
			out = append(out, randomValue(r, depth-1))
		}
		return out
	case chance(r, 10):
		return nil
	}
	return pick(r, scalars)
}

func randomMap(r *rand.Rand, depth int) object {
	out := object{}
	for i := r.Intn(4); i > 0; i-- {
		out[word(r, "a b c d a/b m~n __proto__ constructor")] = randomValue(r, depth)
	}
	return out
}

func randomDocument(r *rand.Rand) object {
	out := randomMap(r, 3)
	out["list"] = list{randomValue(r, 1), randomValue(r, 1), randomMap(r, 1)}
	out["map"] = randomMap(r, 2)
	return out
}

// mutate returns another document or, with nulls, a merge patch of it.
func mutate(r *rand.Rand, doc object, nulls bool) object {
	out := object{}
	for _, key := range sortedKeys(doc) {
		value := doc[key]
		switch nested, isMap := value.(object); {
		case chance(r, 15):
			if nulls {
				out[key] = nil
			}
		case isMap && chance(r, 70):
			out[key] = mutate(r, nested, nulls)
		case chance(r, 30):
			out[key] = randomValue(r, 2)
		case !nulls:
			out[key] = value
		}
	}
	if chance(r, 50) {
		out[word(r, "a b c new e")] = randomValue(r, 2)
	}
	return out
}

func paths(prefix string, v any) []string {
	out := []string{prefix}
	switch v := v.(type) {
	case object:
		for _, key := range sortedKeys(v) {
			token := strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
			out = append(out, paths(prefix+"/"+token, v[key])...)
		}
	case list:
		for i := range v {
			out = append(out, paths(fmt.Sprintf("%s/%d", prefix, i), v[i])...)
		}
	}
	return out
}

func randomPath(r *rand.Rand, doc object) string {
	known := paths("", doc)
	path := known[r.Intn(len(known))]
	switch r.Intn(24) {
	case 0:
		return path + "/" + word(r, "new - 0 1 -1 -9 99 01 +1 x 99999999999999999999 a~1b")
	case 1:
		return path + "/" + word(r, "a b c") + "/" + word(r, "d e 0")
	case 2:
		return strings.TrimPrefix(path, "/")
	case 3:
		return "/list/" + word(r, "- 0 1 2 3 4 -1 -3 -4 -5 x")
	}
	return path
}

func valueAt(doc any, path string) (any, bool) {
	for _, token := range strings.Split(path, "/")[1:] {
		key := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := doc.(type) {
		case object:
			next, ok := v[key]
			if !ok {
				return nil, false
			}
			doc = next
		case list:
			i := -1
			if _, err := fmt.Sscanf(key, "%d", &i); err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

func randomOperation(r *rand.Rand, doc object) any {
	kind := word(r, "add add remove replace move copy test test")
	path := randomPath(r, doc)
	out := object{"op": kind, "path": path}
	if kind == "add" || kind == "replace" {
		out["value"] = randomValue(r, 2)
	}
	if kind == "test" {
		out["value"] = randomValue(r, 1)
		if actual, ok := valueAt(doc, path); ok && strings.HasPrefix(path, "/") && chance(r, 80) {
			out["value"] = actual
		}
	}
	if kind == "move" || kind == "copy" {
		out["from"] = randomPath(r, doc)
	}
	switch r.Intn(160) {
	case 0:
		delete(out, "path")
	case 1:
		out["path"] = pick(r, list{int64(5), nil, true})
	case 2:
		out["op"] = pick(r, list{"merge", int64(1), nil})
	case 3:
		delete(out, "from")
	case 4:
		out["from"] = int64(5)
	case 5:
		if kind != "test" {
			delete(out, "value")
		}
	case 6:
		return nil
	}
	return out
}
