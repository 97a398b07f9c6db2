package main

import (
	"fmt"
	"math/rand"
	"strings"
)

var mergeKeys = map[string]string{
	"containers": "name", "initContainers": "name", "env": "name", "volumes": "name", "imagePullSecrets": "name",
	"secrets": "name", "volumeMounts": "mountPath", "hostAliases": "ip", "ownerReferences": "uid", "conditions": "type",
	"addresses": "type", "topologySpreadConstraints": "topologyKey",
}

// Ports of a container and of a service have the same field name but different merge keys.
func mergeKeyOf(name string, elements list) string {
	if name != "ports" {
		return mergeKeys[name]
	}
	for _, element := range elements {
		if _, ok := element.(object)["containerPort"]; ok {
			return "containerPort"
		}
	}
	return "port"
}

func some(r *rand.Rand, most int, make func() any, key string) list {
	out, seen := list{}, map[any]bool{}
	for i := r.Intn(most + 1); i > 0; i-- {
		element := make()
		identity := any(fmt.Sprint(element))
		if key != "" {
			identity = element.(object)[key]
		}
		if !seen[identity] {
			out, seen[identity] = append(out, element), true
		}
	}
	return out
}

func words(r *rand.Rand, most int, from string) list {
	return some(r, most, func() any { return word(r, from) }, "")
}

func labels(r *rand.Rand) object {
	out := object{}
	for i := r.Intn(3); i > 0; i-- {
		out[word(r, "app tier a.b/c")] = word(r, "x y z")
	}
	return out
}

func drop(r *rand.Rand, from object, percent int) object {
	for _, key := range sortedKeys(from) {
		if chance(r, percent) {
			delete(from, key)
		}
	}
	return from
}

func container(r *rand.Rand) any {
	out := drop(r, object{
		"image": word(r, "nginx redis busybox"),
		"args":  words(r, 3, "a b c"),
		"ports": some(r, 3, func() any {
			return drop3(r, object{"containerPort": pick(r, list{int64(80), int64(443), int64(53)}), "protocol": word(r, "TCP UDP"), "name": word(r, "web dns")}, "containerPort")
		}, "containerPort"),
		"env":             some(r, 3, func() any { return object{"name": word(r, "A B C"), "value": word(r, "1 2")} }, "name"),
		"volumeMounts":    some(r, 2, func() any { return object{"mountPath": word(r, "/a /b"), "name": word(r, "v1 v2")} }, "mountPath"),
		"resources":       object{"limits": object{"cpu": word(r, "1 2"), "memory": "1Gi"}},
		"securityContext": object{"capabilities": object{"add": words(r, 2, "X Y")}},
	}, 45)
	out["name"] = word(r, "c1 c2 c3 c4")
	return out
}

func drop3(r *rand.Rand, from object, keep string) object {
	kept := from[keep]
	drop(r, from, 30)
	from[keep] = kept
	return from
}

func volume(r *rand.Rand) any {
	out := object{"name": word(r, "v1 v2 v3")}
	switch r.Intn(3) {
	case 0:
		out["emptyDir"] = object{}
	case 1:
		out["hostPath"] = object{"path": word(r, "/x /y")}
	case 2:
		out["configMap"] = object{"name": "cm", "items": list{object{"key": "k", "path": "p"}}}
	}
	return out
}

func podSpec(r *rand.Rand) object {
	return drop(r, object{
		"containers":       some(r, 4, func() any { return container(r) }, "name"),
		"volumes":          some(r, 3, func() any { return volume(r) }, "name"),
		"imagePullSecrets": some(r, 3, func() any { return object{"name": word(r, "s1 s2 s3")} }, "name"),
		"tolerations":      some(r, 2, func() any { return object{"key": word(r, "k1 k2"), "operator": "Exists"} }, ""),
		"hostAliases":      some(r, 2, func() any { return object{"ip": word(r, "1.1.1.1 2.2.2.2"), "hostnames": words(r, 2, "a b")} }, "ip"),
		"nodeSelector":     labels(r),
		"restartPolicy":    word(r, "Always Never"),
		"topologySpreadConstraints": some(r, 2, func() any {
			return object{"topologyKey": word(r, "zone host"), "maxSkew": int64(1 + r.Intn(2)), "whenUnsatisfiable": "DoNotSchedule"}
		}, "topologyKey"),
		"terminationGracePeriodSeconds": int64(r.Intn(3)),
	}, 40)
}

func randomObject(r *rand.Rand, kind string) object {
	meta := drop(r, object{
		"labels": labels(r), "annotations": labels(r), "finalizers": words(r, 3, "f/a f/b f/c"),
		"ownerReferences": some(r, 2, func() any {
			return object{"uid": word(r, "u1 u2"), "kind": "X", "name": word(r, "n1 n2"), "apiVersion": "v1"}
		}, "uid"),
	}, 50)
	meta["name"] = "it"
	out := object{"metadata": meta}
	switch kind {
	case "v1/Pod":
		out["spec"] = podSpec(r)
		if chance(r, 40) {
			out["status"] = object{"conditions": some(r, 3, func() any {
				return object{"type": word(r, "Ready Initialized Scheduled"), "status": word(r, "True False")}
			}, "type")}
		}
	case "apps/v1/Deployment":
		strategy := object{"type": "Recreate"}
		if chance(r, 60) {
			strategy = object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": pick(r, list{int64(1), "25%"})}}
		}
		out["spec"] = drop(r, object{
			"replicas": int64(r.Intn(4)), "strategy": strategy, "selector": object{"matchLabels": labels(r)},
			"template": object{"metadata": object{"labels": labels(r)}, "spec": podSpec(r)},
		}, 20)
	case "v1/Service":
		out["spec"] = drop(r, object{
			"type": word(r, "ClusterIP NodePort"), "selector": labels(r), "externalIPs": words(r, 2, "1.1.1.1 2.2.2.2"),
			"ports": some(r, 3, func() any {
				return drop3(r, object{"port": pick(r, list{int64(80), int64(443), int64(53)}), "protocol": word(r, "TCP UDP"), "name": word(r, "a b"), "targetPort": pick(r, list{int64(8080), "web"})}, "port")
			}, "port"),
		}, 25)
	case "v1/ServiceAccount":
		out["secrets"] = some(r, 3, func() any { return object{"name": word(r, "s1 s2 s3"), "namespace": word(r, "x y")} }, "name")
		out["imagePullSecrets"] = some(r, 3, func() any { return object{"name": word(r, "s1 s2 s3")} }, "name")
	case "v1/Node":
		out["spec"] = drop(r, object{
			"podCIDRs": words(r, 3, "10.0.0.0/24 10.1.0.0/24 fd00::/64"), "unschedulable": true,
			"taints": some(r, 2, func() any { return object{"key": word(r, "k1 k2"), "effect": word(r, "NoSchedule NoExecute")} }, "key"),
		}, 25)
		out["status"] = object{"addresses": some(r, 3, func() any {
			return object{"type": word(r, "InternalIP Hostname ExternalIP"), "address": word(r, "a b")}
		}, "type")}
	}
	return out
}

// vary takes parts of another random object of the kind, and shuffles lists.
func vary(r *rand.Rand, before object, kind string) object {
	return mix(r, before, randomObject(r, kind)).(object)
}

func mix(r *rand.Rand, a, b any) any {
	am, aIsMap := a.(object)
	bm, bIsMap := b.(object)
	if aIsMap && bIsMap {
		out := object{}
		for _, key := range sortedKeys(am) {
			if other, ok := bm[key]; ok {
				out[key] = mix(r, am[key], other)
			} else if chance(r, 75) {
				out[key] = am[key]
			}
		}
		for _, key := range sortedKeys(bm) {
			if _, ok := am[key]; !ok && chance(r, 40) {
				out[key] = bm[key]
			}
		}
		return out
	}
	if al, ok := a.(list); ok && chance(r, 50) {
		out := append(list{}, al...)
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		if len(out) > 0 && chance(r, 40) {
			out = out[:len(out)-1]
		}
		return out
	}
	if chance(r, 50) {
		return clone(b)
	}
	return clone(a)
}

func isListOfMaps(v list) bool {
	for _, element := range v {
		if _, ok := element.(object); !ok {
			return false
		}
	}
	return len(v) > 0
}

// randomStrategicPatch walks an object and chooses at random how each part changes.
func randomStrategicPatch(r *rand.Rand, original object, at string) object {
	out := object{}
	for _, key := range sortedKeys(original) {
		if chance(r, 35) {
			continue
		}
		switch value := original[key].(type) {
		case object:
			switch n := r.Intn(20); {
			case n == 0:
				out[key] = nil
			case n == 1:
				out[key] = object{"$patch": word(r, "replace delete merge bogus"), "x": "y"}
			case n == 2:
				out[key] = "wrong type"
			default:
				out[key] = randomStrategicPatch(r, value, key)
			}
		case list:
			if isListOfMaps(value) {
				patchMaps(r, out, key, value)
			} else {
				patchScalars(r, out, key, value)
			}
		default:
			out[key] = pick(r, list{value, value, "changed", nil, int64(7), object{"a": nil, "b": int64(1)}})
		}
	}
	if at == "strategy" || at == "volumes" || chance(r, 3) {
		retainKeys(r, out, original)
	}
	if chance(r, 4) {
		out[word(r, "labels annotations unknown")] = pick(r, list{object{"k": "v", "n": nil}, "text", list{"a"}, object{"$patch": "replace"}, object{"m": object{"$patch": "delete"}, "z": "1"}})
	}
	if chance(r, 1) {
		out["$patch"] = pick(r, list{"replace", "delete", "merge", "bogus", int64(3), nil, true})
	}
	return out
}

func retainKeys(r *rand.Rand, patch, original object) {
	keys := list{}
	for _, key := range sortedKeys(patch) {
		if !strings.HasPrefix(key, "$") && chance(r, 95) {
			keys = append(keys, key)
		}
	}
	for _, key := range sortedKeys(original) {
		if _, ok := patch[key]; !ok && chance(r, 50) {
			keys = append(keys, key)
		}
	}
	patch["$retainKeys"] = keys
	if chance(r, 4) {
		patch["$retainKeys"] = "text"
	}
}

func patchMaps(r *rand.Rand, out object, key string, value list) {
	mergeKey := mergeKeyOf(key, value)
	if mergeKey == "" {
		mergeKey = "key"
	}
	patch, order := list{}, list{}
	for _, element := range value {
		typed := element.(object)
		switch n := r.Intn(10); {
		case n < 2:
			patch = append(patch, object{mergeKey: typed[mergeKey], "$patch": "delete"})
		case n < 6:
			change := randomStrategicPatch(r, typed, key)
			change[mergeKey] = typed[mergeKey]
			patch = append(patch, change)
			order = append(order, object{mergeKey: typed[mergeKey]})
		default:
			order = append(order, object{mergeKey: typed[mergeKey]})
		}
	}
	if chance(r, 30) {
		added := pick(r, list{"c9", "v9", "z"})
		if strings.Contains(mergeKey, "ort") {
			added = int64(9000)
		}
		patch = append(patch, object{mergeKey: added, "name": "new", "nothing": nil})
		order = append(order, object{mergeKey: added})
	}
	switch r.Intn(30) {
	case 0:
		patch = append(patch, object{"$patch": "replace"})
	case 1:
		patch = append(patch, object{"$patch": word(r, "merge bogus")})
	case 2:
		patch = append(patch, object{"x": "no key"})
	case 3:
		patch = append(patch, pick(r, list{"text", list{"nested"}, int64(1)}))
	case 4:
		patch = append(patch, object{"$patch": "delete"})
	}
	if len(patch) > 0 || chance(r, 30) {
		out[key] = patch
	}
	if chance(r, 45) {
		if chance(r, 40) {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			if chance(r, 80) {
				sortLike(r, out, key, mergeKey, order)
			}
		}
		out["$setElementOrder/"+key] = order
	}
	setOrderTypos(r, out, key)
}

// sortLike sorts the elements of a patch in the order of $setElementOrder.
func sortLike(r *rand.Rand, out object, key, mergeKey string, order list) {
	patch, ok := out[key].(list)
	if !ok {
		return
	}
	sorted := list{}
	for _, name := range order {
		for _, element := range patch {
			if typed, ok := element.(object); ok && typed["$patch"] == nil && typed[mergeKey] == name.(object)[mergeKey] {
				sorted = append(sorted, element)
			}
		}
	}
	for _, element := range patch {
		if typed, ok := element.(object); !ok || typed["$patch"] != nil {
			sorted = append(sorted, element)
		}
	}
	out[key] = sorted
}

func setOrderTypos(r *rand.Rand, out object, key string) {
	switch r.Intn(80) {
	case 0:
		out["$setElementOrder/"+key] = "text"
	case 1:
		out["$setElementOrder"] = list{"a"}
	case 2:
		out["$setElementOrder/missing"] = list{"a"}
	case 3:
		out["$deleteFromPrimitiveList"] = list{"a"}
	case 4:
		out["$setElementOrder/"+key] = list{"a", object{"x": "y"}}
	}
}

func patchScalars(r *rand.Rand, out object, key string, value list) {
	kept, deleted := list{}, list{}
	for _, element := range value {
		if chance(r, 35) {
			deleted = append(deleted, element)
		} else {
			kept = append(kept, element)
		}
	}
	added := list{}
	if chance(r, 60) {
		added = append(added, word(r, "n1 n2 n3"))
	}
	if chance(r, 20) && len(kept) > 0 {
		added = append(added, kept[0])
	}
	if len(added) > 0 || chance(r, 30) {
		out[key] = added
	}
	if len(deleted) > 0 && chance(r, 70) {
		out["$deleteFromPrimitiveList/"+key] = deleted
	}
	if chance(r, 40) {
		order := append(append(list{}, kept...), added...)
		if chance(r, 50) {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		out["$setElementOrder/"+key] = order
	}
	setOrderTypos(r, out, key)
}
