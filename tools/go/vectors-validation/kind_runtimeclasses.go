package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
)

func init() {
	add(suite{
		resource: "runtimeclasses.node.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "node.k8s.io", Version: "v1", Kind: "RuntimeClass"},
		create:   runtimeclass.Strategy,
		updates:  map[string]update{"": runtimeclass.Strategy},
		count:    1600,
	}, `
metadata: {name: gvisor, uid: u1, resourceVersion: "5", generation: 2}
handler: runsc
overhead: {podFixed: {cpu: 100m, memory: 64Mi}}
scheduling: {nodeSelector: {sandbox: "yes", beta.kubernetes.io/os: linux}, tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}, {key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]}
---
metadata: {name: runc, uid: u1, resourceVersion: "5", generation: 2}
handler: runc
`)
}
