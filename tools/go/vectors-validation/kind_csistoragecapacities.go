package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
)

func init() {
	add(suite{
		resource: "csistoragecapacities.storage.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "CSIStorageCapacity"},
		create:   csistoragecapacity.Strategy,
		updates:  map[string]update{"": csistoragecapacity.Strategy},
		count:    1600,
	}, `
metadata: {name: capacity-a, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
storageClassName: fast
nodeTopology: {matchLabels: {topology.example.com/zone: a}, matchExpressions: [{key: topology.kubernetes.io/region, operator: In, values: [west]}]}
capacity: 10Gi
maximumVolumeSize: 1Gi
`)
}
