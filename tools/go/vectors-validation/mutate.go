package main

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
)

// Values that some check refuses, or that change which checks apply.
var texts = []string{
	"", "Bad_Name", "-x", "x-", "a.b", "UPPER", "with space", "..", "../x", "..x", "/abs", "a/b", "a/b/c", "a/../b", strings.Repeat("a", 64), strings.Repeat("b", 254),
	"é", "Always", "Never", "OnFailure", "Exists", "In", "NotIn", "Gt", "Equal", "None", "TCP", "UDP", "1", "-1", "1.5", "25%", "0", "100m", "2Mi", "1Gi", "3Mi", "-5",
	"10.0.0.300", "010.0.0.1", "::ffff:1.2.3.4", "fd00::1", "10.0.0.0/33", "10.0.0.1/24", "kubernetes.io/x", "example.com/x", "Localhost", "RuntimeDefault", "metadata.name", "limits.cpu",
	"main", "c", "data", "web", "team-a", "http", "nginx", " nginx", "Unmasked", "Default", "NoExecute", "NoSchedule", "BestEffort", "PriorityClass", "CAP_SYS_ADMIN", "windows", "linux",
	"cpu", "memory", "hugepages-2Mi", "pods", "storage", "example.com/foo", "requests.cpu", "kubernetes", "orphan", "foregroundDeletion", "plain", "Bidirectional", "Enabled", "latest", "v1", "v2",
	"eA==", "e30=", "bm90IGpzb24=", "WzFd", "Active", "Terminating", "1.36.0", "1.2", "2.0.0-rc.1", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00.000000Z", "unconfined", "localhost/x", "beta.kubernetes.io/os", "1500u", "0.5", "Recursive", "MountOption",
}
var numbers = []int64{-1, 0, 1, 2, 3, 7, 80, 81, 100, 101, 256, 300, 420, 512, 600, 65535, 65536, 70000, 2147483647, 4294967297}

type mutator struct {
	rng     *rand.Rand
	donors  []any
	texts   []string
	numbers []int64
}

func clone(value any) any {
	raw, err := json.Marshal(value)
	must(err)
	return decode(raw)
}

func (m *mutator) mutate(base any) any {
	value := clone(base)
	for range 1 + m.rng.Intn(2) {
		if m.rng.Intn(5) == 0 {
			m.graft(value)
		} else {
			m.change(value)
		}
	}
	return value
}

func keysOf(node map[string]any) []string {
	keys := make([]string, 0, len(node))
	for k := range node {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Every place in the tree, as the container and the key or index in it.
type place struct {
	object map[string]any
	list   []any
	key    string
	index  int
}

func places(node any, out *[]place) {
	switch n := node.(type) {
	case map[string]any:
		for _, k := range keysOf(n) {
			*out = append(*out, place{object: n, key: k})
			places(n[k], out)
		}
	case []any:
		for i := range n {
			*out = append(*out, place{list: n, index: i})
			places(n[i], out)
		}
	}
}

func (p place) get() any {
	if p.object != nil {
		return p.object[p.key]
	}
	return p.list[p.index]
}

func (p place) set(value any) {
	if p.object != nil {
		p.object[p.key] = value
	} else {
		p.list[p.index] = value
	}
}

func (m *mutator) change(root any) {
	var all []place
	places(root, &all)
	p := all[m.rng.Intn(len(all))]
	switch old := p.get().(type) {
	case string:
		p.set(m.texts[m.rng.Intn(len(m.texts))])
	case json.Number:
		p.set(m.numbers[m.rng.Intn(len(m.numbers))])
	case bool:
		p.set(!old)
	case map[string]any:
		keys := keysOf(old)
		switch {
		case len(keys) > 0 && m.rng.Intn(3) > 0:
			k := keys[m.rng.Intn(len(keys))]
			if m.rng.Intn(2) == 0 {
				delete(old, k)
			} else if _, isText := old[k].(string); isText {
				old[m.texts[m.rng.Intn(len(m.texts))]] = old[k]
			}
		case p.object != nil:
			delete(p.object, p.key)
		}
	case []any:
		switch {
		case len(old) > 0 && m.rng.Intn(2) == 0:
			p.set(append(slices.Clone(old), clone(old[m.rng.Intn(len(old))])))
		case len(old) > 0:
			p.set(slices.Delete(slices.Clone(old), 0, 1))
		case p.object != nil:
			delete(p.object, p.key)
		}
	case nil:
		p.set(m.texts[m.rng.Intn(len(m.texts))])
	}
}

// Copies a field of another object into the first object at the same path.
func (m *mutator) graft(root any) {
	donor := m.donors[m.rng.Intn(len(m.donors))]
	to, from := root, donor
	for {
		t, tOk := to.(map[string]any)
		f, fOk := from.(map[string]any)
		if !tOk || !fOk {
			return
		}
		keys := keysOf(f)
		if len(keys) == 0 {
			return
		}
		k := keys[m.rng.Intn(len(keys))]
		next, has := t[k]
		if !has || m.rng.Intn(4) == 0 {
			t[k] = clone(f[k])
			return
		}
		to, from = next, f[k]
		if tl, ok := to.([]any); ok {
			fl, ok := from.([]any)
			if !ok || len(tl) == 0 || len(fl) == 0 {
				return
			}
			to, from = tl[m.rng.Intn(len(tl))], fl[m.rng.Intn(len(fl))]
		}
	}
}
