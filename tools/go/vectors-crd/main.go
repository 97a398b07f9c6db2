// vectors-crd writes upstream's results for custom resources, so that tests compare ours with them without Go: pruning,
// defaulting and validation of objects, CEL expressions, and validation of definitions.
//
//	go run ./vectors-crd <directory for rules vectors>
//	go run ./vectors-crd functions
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vectors-crd <rules vectors> | functions")
		os.Exit(2)
	}
	if os.Args[1] == "functions" {
		for _, l := range functionLines() {
			fmt.Println(l)
		}
		return
	}
	write(os.Args[1], "crd-objects.json", objectCases(rand.New(rand.NewSource(1))))
	write(os.Args[1], "crd-cel.json", celCases())
	write(os.Args[1], "crd-definitions.json", definitionCases(rand.New(rand.NewSource(2))))
}

func write[T any](dir, name string, rows []T) {
	var out bytes.Buffer
	out.WriteString("[")
	for i, r := range rows {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n")
		line, err := json.Marshal(r)
		must(err)
		out.Write(line)
	}
	out.WriteString("\n]\n")
	must(os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o644))
	fmt.Println(name, len(rows), out.Len())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func parse(text string) any {
	var v any
	must(json.Unmarshal([]byte(text), &v))
	return normalize(v)
}

// normalize turns whole floats into int64, as the API server's decoder does.
func normalize(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k := range t {
			t[k] = normalize(t[k])
		}
		return t
	case []any:
		for i := range t {
			t[i] = normalize(t[i])
		}
		return t
	case float64:
		if t == float64(int64(t)) {
			return int64(t)
		}
	}
	return v
}

func clone(v any) any {
	b, err := json.Marshal(v)
	must(err)
	return parse(string(b))
}
