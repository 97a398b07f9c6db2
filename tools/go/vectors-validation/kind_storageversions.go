package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	"k8s.io/kubernetes/pkg/registry/apiserverinternal/storageversion"
)

func init() {
	add(suite{
		resource: "storageversions.internal.apiserver.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "internal.apiserver.k8s.io", Version: "v1alpha1", Kind: "StorageVersion"},
		create:   storageversion.Strategy,
		updates:  map[string]update{"": storageversion.Strategy, "status": storageversion.StatusStrategy},
		count:    1500,
	}, `
metadata: {name: example.com.things, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {}
status: {commonEncodingVersion: example.com/v1, storageVersions: [{apiServerID: server-a, encodingVersion: example.com/v1, decodableVersions: [example.com/v1, example.com/v1beta1], servedVersions: [example.com/v1]}], conditions: [{type: AllEncodingVersionsEqual, status: "True", reason: CommonEncodingVersionSet, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
metadata: {name: example.com.things, uid: u1, resourceVersion: "5"}
spec: {}
status: {storageVersions: [{apiServerID: server-a, encodingVersion: v1, decodableVersions: [v1]}, {apiServerID: server-b, encodingVersion: v2, decodableVersions: [v1, v2]}]}
`)
}
