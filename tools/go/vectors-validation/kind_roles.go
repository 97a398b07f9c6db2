package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
)

func init() {
	add(suite{
		resource: "roles.rbac.authorization.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"},
		create:   role.Strategy,
		updates:  map[string]update{"": role.Strategy},
		count:    1200,
	}, `
metadata: {name: "system:a", namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
rules: [{verbs: [get, list], apiGroups: ["", apps], resources: [pods, deployments], resourceNames: [a]}, {verbs: [watch], apiGroups: [""], resources: [pods]}]
---
metadata: {name: b, namespace: team-a, uid: u1, resourceVersion: "5"}
rules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"]}]
`)
}
