package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
)

func init() {
	add(suite{
		resource: "ingressclasses.networking.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "IngressClass"},
		create:   ingressclass.Strategy,
		updates:  map[string]update{"": ingressclass.Strategy},
		count:    900,
	}, `
metadata: {name: nginx, uid: u1, resourceVersion: "5", generation: 2, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
spec: {controller: example.com/controller, parameters: {apiGroup: example.com, kind: Params, name: p, scope: Namespace, namespace: team-a}}
---
metadata: {name: other, uid: u1, resourceVersion: "5", generation: 2}
spec: {controller: example.com/a/b, parameters: {kind: Params, name: p, scope: Cluster}}
`)
}
