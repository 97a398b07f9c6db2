package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
)

func init() {
	add(suite{
		resource: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Kind: "PriorityLevelConfiguration"},
		create:   prioritylevelconfiguration.Strategy,
		updates:  map[string]update{"": prioritylevelconfiguration.Strategy, "status": prioritylevelconfiguration.StatusStrategy},
		count:    2200,
	}, `
metadata: {name: pl, uid: u1, resourceVersion: "5", generation: 2}
spec: {type: Limited, limited: {nominalConcurrencyShares: 10, lendablePercent: 50, borrowingLimitPercent: 20, limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}}}
status: {conditions: [{type: Ready, status: "True", reason: r, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
metadata: {name: exempt, uid: u1, resourceVersion: "5", generation: 2}
spec: {type: Exempt, exempt: {nominalConcurrencyShares: 3, lendablePercent: 20}}
---
metadata: {name: catch-all, uid: u1, resourceVersion: "5", generation: 2}
spec: {type: Limited, limited: {nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: {type: Reject}}}
`)
}
