package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
)

func init() {
	add(suite{
		resource: "clusterroles.rbac.authorization.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"},
		create:   clusterrole.Strategy,
		updates:  map[string]update{"": clusterrole.Strategy},
		count:    1200,
	}, `
metadata: {name: "system:a", uid: u1, resourceVersion: "5", labels: {a: b}}
rules: [{verbs: [get, list], apiGroups: ["", apps], resources: [pods, deployments], resourceNames: [a]}, {verbs: [get], nonResourceURLs: [/healthz]}]
aggregationRule: {clusterRoleSelectors: [{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}, {matchExpressions: [{key: x, operator: Exists}]}]}
---
metadata: {name: b, uid: u1, resourceVersion: "5"}
rules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"]}]
`)
}
