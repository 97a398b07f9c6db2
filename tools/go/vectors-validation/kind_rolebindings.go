package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
)

func init() {
	add(suite{
		resource: "rolebindings.rbac.authorization.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
		create:   rolebinding.Strategy,
		updates:  map[string]update{"": rolebinding.Strategy},
		count:    1200,
	}, `
metadata: {name: "system:a", namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}, {kind: Group, apiGroup: rbac.authorization.k8s.io, name: devs}, {kind: ServiceAccount, name: robot, namespace: team-b}]
---
metadata: {name: b, namespace: team-a, uid: u1, resourceVersion: "5"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:r"}
subjects: [{kind: ServiceAccount, name: robot}]
`)
}
