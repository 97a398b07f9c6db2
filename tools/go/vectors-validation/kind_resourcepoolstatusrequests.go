package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
)

func init() {
	add(suite{
		resource: "resourcepoolstatusrequests.resource.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1alpha3", Kind: "ResourcePoolStatusRequest"},
		create:   resourcepoolstatusrequest.Strategy,
		updates:  map[string]update{"": resourcepoolstatusrequest.Strategy, "status": resourcepoolstatusrequest.StatusStrategy},
		count:    900,
	}, `
metadata: {name: request, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {driver: gpu.example.com, poolName: a/b, limit: 10}
---
metadata: {name: answered, uid: u1, resourceVersion: "5"}
spec: {driver: gpu.example.com, limit: 100}
status: {poolCount: 1, pools: [{driver: gpu.example.com, poolName: p, generation: 2, resourceSliceCount: 1, totalDevices: 2, allocatedDevices: 1, availableDevices: 1, unavailableDevices: 0, nodeName: node-1, validationError: e}], conditions: [{type: Complete, status: "True", reason: CalculationComplete, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`)
}
