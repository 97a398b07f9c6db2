package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

func init() {
	add(suite{
		resource: "resourceslices.resource.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceSlice"},
		create:   resourceslice.Strategy,
		updates:  map[string]update{"": resourceslice.Strategy},
		count:    1800,
		texts:    deviceTexts,
	}, `
metadata: {name: slice, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec:
  driver: gpu.example.com
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  nodeName: node-1
  devices:
  - {name: gpu-0, attributes: {model: {string: A100}, gpu.example.com/driver: {version: 1.2.3}, healthy: {bool: true}, slots: {int: 3}}, capacity: {memory: {value: 40Gi}}, taints: [{key: example.com/broken, value: "yes", effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z"}], bindsToNode: true, bindingConditions: [ready], bindingFailureConditions: [broken]}
  - {name: gpu-1, allowMultipleAllocations: true, capacity: {memory: {value: "40", requestPolicy: {default: "10", validRange: {min: "5", max: "35", step: "5"}}}, cores: {value: "8", requestPolicy: {default: "2", validValues: ["1", "2", "4"]}}}}
---
metadata: {name: selected, uid: u1, resourceVersion: "5", generation: 1}
spec:
  driver: gpu.example.com
  pool: {name: a/b, generation: 1, resourceSliceCount: 2}
  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}]}]}
  sharedCounters: [{name: set-0, counters: {memory: {value: 40Gi}, cores: {value: "8"}}}]
---
metadata: {name: each, uid: u1, resourceVersion: "5", generation: 1}
spec:
  driver: gpu.example.com
  pool: {name: a, generation: 1, resourceSliceCount: 2}
  perDeviceNodeSelection: true
  devices:
  - {name: gpu-0, nodeName: node-1, consumesCounters: [{counterSet: set-0, counters: {memory: {value: 10Gi}}}]}
  - {name: gpu-1, allNodes: true, consumesCounters: [{counterSet: set-0, counters: {memory: {value: 10Gi}}}]}
  - {name: gpu-2, nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}
---
metadata: {name: all, uid: u1, resourceVersion: "5", generation: 1}
spec: {driver: gpu.example.com, pool: {name: a, generation: 0, resourceSliceCount: 1}, allNodes: true, devices: [{name: d, attributes: {list: {strings: [a, b]}, ints: {ints: [1]}}, nodeAllocatableResourceMappings: {cpu: {capacityKey: cores}}}]}
`)
}
