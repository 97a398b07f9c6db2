package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

func init() {
	add(suite{
		resource: "volumeattributesclasses.storage.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "VolumeAttributesClass"},
		create:   volumeattributesclass.Strategy,
		updates:  map[string]update{"": volumeattributesclass.Strategy},
		count:    1200,
	}, `
metadata: {name: gold, uid: u1, resourceVersion: "5", labels: {a: b}}
driverName: hostpath.csi.example.com
parameters: {iops: "1000", tier: gold}
`)
}
