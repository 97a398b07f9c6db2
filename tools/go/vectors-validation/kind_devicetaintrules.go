package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
)

func init() {
	add(suite{
		resource: "devicetaintrules.resource.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1beta2", Kind: "DeviceTaintRule"},
		create:   devicetaintrule.Strategy,
		updates:  map[string]update{"": devicetaintrule.Strategy, "status": devicetaintrule.StatusStrategy},
		count:    1200,
	}, `
metadata: {name: rule, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec: {deviceSelector: {driver: gpu.example.com, pool: a/b, device: gpu-0}, taint: {key: example.com/broken, value: "yes", effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z"}}
status: {conditions: [{type: EvictionInProgress, status: "True", reason: PodsPendingEviction, message: m, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 2}]}
---
metadata: {name: none, uid: u1, resourceVersion: "5", generation: 1}
spec: {taint: {key: k, effect: None, timeAdded: "2026-01-01T00:00:00Z"}}
`)
}
