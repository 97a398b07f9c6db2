package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
)

func init() {
	add(suite{
		resource: "poddisruptionbudgets.policy",
		gvk:      schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
		create:   poddisruptionbudget.Strategy,
		updates:  map[string]update{"": poddisruptionbudget.Strategy, "status": poddisruptionbudget.StatusStrategy},
		count:    2600,
	}, `
metadata: {name: pdb, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec: {minAvailable: 50%, selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}, unhealthyPodEvictionPolicy: AlwaysAllow}
status: {disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 2, conditions: [{type: DisruptionAllowed, status: "True", reason: Enough, message: m, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 2}]}
---
metadata: {name: pdb2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec: {maxUnavailable: 1, selector: {}}
`)
}
