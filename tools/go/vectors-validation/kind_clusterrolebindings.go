package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
)

func init() {
	add(suite{
		resource: "clusterrolebindings.rbac.authorization.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"},
		create:   clusterrolebinding.Strategy,
		updates:  map[string]update{"": clusterrolebinding.Strategy},
		count:    1200,
	}, `
metadata: {name: "system:a", uid: u1, resourceVersion: "5", labels: {a: b}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}, {kind: Group, apiGroup: rbac.authorization.k8s.io, name: devs}, {kind: ServiceAccount, name: robot, namespace: team-b}]
---
metadata: {name: b, uid: u1, resourceVersion: "5"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:r"}
subjects: [{kind: ServiceAccount, name: robot, namespace: x}]
`)
}
