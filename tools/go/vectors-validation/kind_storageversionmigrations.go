package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration"
)

func init() {
	add(suite{
		resource: "storageversionmigrations.storagemigration.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storagemigration.k8s.io", Version: "v1beta1", Kind: "StorageVersionMigration"},
		create:   storagemigration.Strategy,
		updates:  map[string]update{"": storagemigration.Strategy, "status": storagemigration.StatusStrategy},
		count:    1500,
	}, `
metadata: {name: secrets, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec: {resource: {group: example.com, resource: things}}
status: {resourceVersion: "12", conditions: [{type: Running, status: "True", reason: MigrationRunning, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
metadata: {name: secrets, uid: u1, resourceVersion: "5", generation: 2}
spec: {resource: {resource: secrets}}
status: {resourceVersion: "12", conditions: [{type: Succeeded, status: "True", reason: Done, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Failed, status: "False", reason: Not, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`)
}
