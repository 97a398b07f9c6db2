package main

import (
	"encoding/json"
	"math/rand"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func randomElement(r *rand.Rand) fieldpath.PathElement {
	scalar := func() any {
		return []any{"a", "b", "<&>", "é", "", int64(1), int64(9), int64(10), 1.5, true, false, nil}[r.Intn(12)]
	}
	switch r.Intn(6) {
	case 0:
		return fieldpath.KeyElementByFields("name", scalar())
	case 1:
		return fieldpath.KeyElementByFields("port", int64(r.Intn(12)), "protocol", scalar())
	case 2:
		return fieldpath.ValueElement(value.NewValueInterface(scalar()))
	case 3:
		return fieldpath.IndexElement(r.Intn(12))
	}
	return fieldpath.FieldNameElement(word(r, "a b c aa B a/b a.b __proto__ é \u00ff"))
}

func randomSet(r *rand.Rand) *fieldpath.Set {
	set := fieldpath.NewSet()
	for i := r.Intn(8); i > 0; i-- {
		path := fieldpath.Path{}
		for depth := 1 + r.Intn(3); depth > 0; depth-- {
			path = append(path, randomElement(r))
		}
		set.Insert(path)
		if chance(r, 30) {
			set.Insert(path[:1])
		}
	}
	return set
}

func encoded(set *fieldpath.Set) json.RawMessage {
	text, err := set.ToJSON()
	if err != nil {
		panic(err)
	}
	return text
}

// A case is [a, b, union, difference, recursive difference, intersection, paths of a], in canonical spelling.
func setCase(r *rand.Rand) list {
	a, b := randomSet(r), randomSet(r)
	if chance(r, 50) {
		b = b.Union(randomSet(r)).Union(a.Difference(randomSet(r)))
	}
	return list{encoded(a), encoded(b), encoded(a.Union(b)), encoded(a.Difference(b)), encoded(a.RecursiveDifference(b)), encoded(a.Intersection(b)), strings.Split(a.String(), "\n")}
}

// A case is [the client's text, its canonical spelling, or null if it is refused].
func decodeCase(r *rand.Rand) list {
	written := randomFields(r, 3)
	text, err := json.Marshal(written)
	if err != nil {
		panic(err)
	}
	var set fieldpath.Set
	if err := set.FromJSON(strings.NewReader(string(text))); err != nil {
		return list{written, nil}
	}
	return list{written, encoded(&set)}
}

func randomFields(r *rand.Rand, depth int) any {
	if chance(r, 2) {
		return []any{nil, "text", int64(1), list{}}[r.Intn(4)]
	}
	out := object{}
	for i := r.Intn(4); i > 0 && depth > 0; i-- {
		key := []string{".", "f:a", "f:b", "f:", "k:{\"b\":1, \"a\":\"x\"}", "k:{\"a\":\"x\",\"b\":1}", "v:1", "v:1.0", "v:\"<\"", "v:\"\\u003c\"", "i:3", "i:03", "x:unknown", "y:"}[r.Intn(14)]
		if chance(r, 3) {
			key = word(r, "f nocolon i:x v:{ k:1 k:[]")
		}
		out[key] = randomFields(r, depth-1)
	}
	return out
}
