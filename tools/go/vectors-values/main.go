// vectors-values writes the inputs and outputs of upstream's value packages (quantities, selectors,
// names, errors, times, schedules) as JSON, so that tests compare ours with them without Go.
//
//	go run ./vectors-values <directory>
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	_ "time/tzdata"
)

// row is one case; rows of one name are written one per line.
type row = []any

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vectors-values <directory>")
		os.Exit(2)
	}
	dir := os.Args[1]
	write(dir, "values-quantity.json", quantityVectors(newRand(1)))
	write(dir, "values-selectors.json", selectorVectors(newRand(2)))
	write(dir, "values-cron.json", cronVectors(newRand(3)))
	write(dir, "values-time.json", timeVectors(newRand(4)))
	write(dir, "values-names.json", nameVectors(newRand(5)))
	write(dir, "values-errors.json", errorVectors())
	write(dir, "values-equality.json", equalityVectors())
	write(dir, "pods.json", podVectors(newRand(6)))
	write(dir, "quota.json", quotaVectors(newRand(7)))
	write(dir, "object-meta.json", objectMetaVectors())
}

func newRand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

// section keeps the order of the file.
type section struct {
	name string
	rows []row
}

func write(dir, name string, sections []section) {
	var out bytes.Buffer
	out.WriteString("{")
	for i, s := range sections {
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n%q: [", s.name)
		for j, r := range s.rows {
			if j > 0 {
				out.WriteString(",")
			}
			out.WriteString("\n")
			out.Write(encode(r))
		}
		out.WriteString("\n]")
	}
	out.WriteString("\n}\n")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o644); err != nil {
		panic(err)
	}
	counts := map[string]int{}
	for _, s := range sections {
		counts[s.name] = len(s.rows)
	}
	fmt.Println(name, out.Len(), counts)
}

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// failure marks a case that upstream refuses.
func failure(err error) map[string]string { return map[string]string{"error": err.Error()} }

func pick[T any](r *rand.Rand, items []T) T { return items[r.Intn(len(items))] }
