package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
)

func init() {
	strategy := podgroup.NewStrategy()
	add(suite{
		resource: "podgroups.scheduling.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "scheduling.k8s.io", Version: "v1alpha2", Kind: "PodGroup"},
		create:   strategy,
		updates:  map[string]update{"": strategy, "status": podgroup.NewStatusStrategy(strategy)},
		count:    1200,
	}, `
metadata: {name: gang, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {schedulingPolicy: {gang: {minCount: 2}}, podGroupTemplateRef: {workload: {workloadName: w, podGroupTemplateName: t}}, resourceClaims: [{name: gpu, resourceClaimName: c}, {name: disk, resourceClaimTemplateName: t}], disruptionMode: PodGroup, priorityClassName: high, priority: 5, schedulingConstraints: {topology: [{key: example.com/rack}]}}
status: {conditions: [{type: PodGroupScheduled, status: "True", reason: Scheduled, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}], resourceClaimStatuses: [{name: gpu, resourceClaimName: c-1}]}
---
metadata: {name: basic, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {schedulingPolicy: {basic: {}}}
`)
	add(suite{
		resource: "workloads.scheduling.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "scheduling.k8s.io", Version: "v1alpha2", Kind: "Workload"},
		create:   workload.Strategy,
		updates:  map[string]update{"": workload.Strategy},
		count:    900,
	}, `
metadata: {name: work, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {controllerRef: {apiGroup: batch, kind: Job, name: j}, podGroupTemplates: [{name: t, schedulingPolicy: {gang: {minCount: 2}}}, {name: u, schedulingPolicy: {basic: {}}}]}
`)
}
