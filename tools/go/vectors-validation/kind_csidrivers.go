package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
)

func init() {
	add(suite{
		resource: "csidrivers.storage.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "CSIDriver"},
		create:   csidriver.Strategy,
		updates:  map[string]update{"": csidriver.Strategy},
		count:    1600,
	}, `
metadata: {name: hostpath.csi.example.com, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec: {attachRequired: true, podInfoOnMount: true, storageCapacity: true, fsGroupPolicy: File, requiresRepublish: true, seLinuxMount: true, volumeLifecycleModes: [Persistent, Ephemeral], tokenRequests: [{audience: vault, expirationSeconds: 3600}, {audience: ""}], nodeAllocatableUpdatePeriodSeconds: 60, serviceAccountTokenInSecrets: true}
---
metadata: {name: csi, uid: u1, resourceVersion: "5"}
spec: {attachRequired: false, podInfoOnMount: false, storageCapacity: false, seLinuxMount: false, volumeLifecycleModes: [Persistent]}
`)
}
