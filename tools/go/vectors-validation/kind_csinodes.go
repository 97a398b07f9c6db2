package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
)

func init() {
	add(suite{
		resource: "csinodes.storage.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "CSINode"},
		create:   csinode.Strategy,
		updates:  map[string]update{"": csinode.Strategy},
		count:    1600,
	}, `
metadata: {name: node-a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {drivers: [{name: hostpath.csi.example.com, nodeID: i-1, topologyKeys: [topology.example.com/zone, region], allocatable: {count: 10}}, {name: other.example.com, nodeID: i-2}]}
---
metadata: {name: node-b, uid: u1, resourceVersion: "5"}
spec: {drivers: []}
`)
}
