package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
)

// Expressions, names and values with different results in the checks of devices.
var deviceTexts = []string{
	`device.driver == "gpu.example.com"`, `device.attributes["gpu.example.com"].healthy`, `device.nothing`, `1`, `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b ? c == d : true))))`,
	"ExactCount", "All", "gpu.example.com", "GPU.example.com", "gpu.example.com/model", "/model", "gpu.example.com/", "a/b/c/d", "1abc", "model_2", "gpu", "nic", "nic/fast", "nic/slow", "nic/none", "FromClass", "FromClaim",
	"550e8400-e29b-41d4-a716-446655440000", "550E8400-e29b-41d4-a716-446655440000", "{550e8400-e29b-41d4-a716-446655440000}", "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-44665544000g", "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
	"1.2.3", "1.2.3-rc.1+build", "01.2.3", "10.0.0.5/24", "10.0.0.0/24", "fd00::1/64", "5", "15", "40Gi", "requests.example.com/x", "example.com/gpu",
}

func init() {
	add(suite{
		resource: "deviceclasses.resource.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "DeviceClass"},
		create:   deviceclass.Strategy,
		updates:  map[string]update{"": deviceclass.Strategy},
		count:    900,
		texts:    deviceTexts,
	}, `
metadata: {name: gpu.example.com, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec:
  selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}, {cel: {expression: 'device.attributes["gpu.example.com"].healthy'}}]
  config: [{opaque: {driver: gpu.example.com, parameters: {apiVersion: example.com/v1, kind: Config, level: 3}}}]
  extendedResourceName: example.com/gpu
---
metadata: {name: all, uid: u1, resourceVersion: "5", generation: 1}
spec: {}
`)
}
