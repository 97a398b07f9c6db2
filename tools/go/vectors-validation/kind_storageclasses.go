package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
)

func init() {
	add(suite{
		resource: "storageclasses.storage.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"},
		create:   storageclass.Strategy,
		updates:  map[string]update{"": storageclass.Strategy},
		count:    1200,
	}, `
metadata: {name: gold, uid: u1, resourceVersion: "5", labels: {a: b}}
provisioner: csi.example.com
parameters: {tier: gold}
reclaimPolicy: Retain
volumeBindingMode: WaitForFirstConsumer
allowVolumeExpansion: true
mountOptions: [ro]
allowedTopologies:
- matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a, b]}, {key: failure-domain.beta.kubernetes.io/region, values: [c]}]
- matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b, a]}]
---
metadata: {name: plain, uid: u1, resourceVersion: "5"}
provisioner: kubernetes.io/no-provisioner
reclaimPolicy: Delete
volumeBindingMode: Immediate
`)
}
