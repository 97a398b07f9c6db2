package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
)

func init() {
	add(suite{
		resource: "networkpolicies.networking.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
		create:   networkpolicy.Strategy,
		updates:  map[string]update{"": networkpolicy.Strategy},
		count:    2600,
	}, `
metadata: {name: np, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec: {podSelector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [front]}]}, policyTypes: [Ingress, Egress], ingress: [{ports: [{protocol: TCP, port: 80, endPort: 90}, {port: http}], from: [{podSelector: {matchLabels: {a: b}}, namespaceSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]}], egress: [{ports: [{protocol: UDP, port: 53}], to: [{ipBlock: {cidr: "2001:db8::/32", except: ["2001:db8:1::/48"]}}]}]}
---
metadata: {name: np2, namespace: team-a, uid: u1, resourceVersion: "5", generation: 2}
spec: {podSelector: {matchExpressions: [{key: tier, operator: In, values: ["bad value"]}]}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: "010.0.0.0/8", except: ["10.1.2.3/16", "::ffff:10.2.0.0/112"]}}]}]}
`)
}
