package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
)

func init() {
	add(suite{
		resource: "ingresses.networking.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"},
		create:   ingress.Strategy,
		updates:  map[string]update{"": ingress.Strategy, "status": ingress.StatusStrategy},
		count:    2600,
	}, `
metadata: {name: web, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}, annotations: {kubernetes.io/ingress.class: nginx}}
spec: {ingressClassName: nginx, defaultBackend: {service: {name: web, port: {number: 80}}}, rules: [{host: a.example.com, http: {paths: [{path: /a, pathType: Prefix, backend: {service: {name: 1web, port: {name: http}}}}, {path: /b, pathType: Exact, backend: {resource: {apiGroup: example.com, kind: Bucket, name: b}}}]}}], tls: [{hosts: [a.example.com], secretName: tls}]}
status: {loadBalancer: {ingress: [{ip: 10.0.0.1, ports: [{port: 80, protocol: TCP}]}, {hostname: lb.example.com}]}}
---
metadata: {name: web2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec: {rules: [{host: "*.example.com", http: {paths: [{path: /, pathType: ImplementationSpecific, backend: {service: {name: web, port: {number: 80}}}}]}}, {host: b.example.com}], tls: [{hosts: ["*.example.com"]}]}
status: {loadBalancer: {ingress: [{ip: "010.0.0.1"}]}}
---
metadata: {name: web3, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec: {rules: [{host: "*.example.com", http: {paths: []}}], tls: [{hosts: ["x"], secretName: BAD}]}
`)
}
