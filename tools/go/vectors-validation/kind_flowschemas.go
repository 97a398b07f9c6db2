package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
)

func init() {
	add(suite{
		resource: "flowschemas.flowcontrol.apiserver.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Kind: "FlowSchema"},
		create:   flowschema.Strategy,
		updates:  map[string]update{"": flowschema.Strategy, "status": flowschema.StatusStrategy},
		count:    2600,
	}, `
metadata: {name: fs, uid: u1, resourceVersion: "5", generation: 2}
spec: {priorityLevelConfiguration: {name: pl}, matchingPrecedence: 500, distinguisherMethod: {type: ByUser}, rules: [{subjects: [{kind: User, user: {name: u}}, {kind: Group, group: {name: g}}, {kind: ServiceAccount, serviceAccount: {name: "*", namespace: team-a}}], resourceRules: [{verbs: [get, list], apiGroups: [""], resources: [pods], namespaces: [team-a]}, {verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}], nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["/healthz/*", "/"]}]}]}
status: {conditions: [{type: Dangling, status: "False", reason: Found, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
metadata: {name: exempt, uid: u1, resourceVersion: "5", generation: 2}
spec: {priorityLevelConfiguration: {name: exempt}, matchingPrecedence: 1, rules: [{subjects: [{kind: Group, group: {name: "system:masters"}}], resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}], nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]}]}
`)
}
