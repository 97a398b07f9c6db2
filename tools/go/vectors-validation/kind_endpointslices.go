package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
)

func init() {
	add(suite{
		resource: "endpoints",
		gvk:      core("Endpoints"),
		create:   endpoint.Strategy,
		updates:  map[string]update{"": endpoint.Strategy},
		count:    1600,
	}, `
metadata: {name: web, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
subsets:
- addresses: [{ip: 10.1.1.1, hostname: web-0, nodeName: node-a, targetRef: {kind: Pod, namespace: team-a, name: web-0, uid: p1}}, {ip: "2001:db8::1"}]
  notReadyAddresses: [{ip: 10.1.1.2}]
  ports: [{name: http, port: 80, protocol: TCP, appProtocol: kubernetes.io/h2c}, {name: dns, port: 53, protocol: UDP}]
---
metadata: {name: old, namespace: team-a, uid: u1, resourceVersion: "5"}
subsets:
- addresses: [{ip: 010.1.1.1}, {ip: "::ffff:10.1.1.2"}, {ip: 127.0.0.1}, {ip: "::"}]
  ports: [{port: 80, protocol: SCTP}]
- notReadyAddresses: [{ip: 169.254.1.1}, {ip: 224.0.0.5}, {ip: "ff02::1"}, {ip: "2001:DB8::1"}]
`)
	add(suite{
		resource: "endpointslices.discovery.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"},
		create:   endpointslice.Strategy,
		updates:  map[string]update{"": endpointslice.Strategy},
		count:    2000,
	}, `
metadata: {name: web-abc, namespace: team-a, uid: u1, resourceVersion: "5", generation: 3, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
endpoints:
- {addresses: [10.1.1.1], conditions: {ready: true, serving: true, terminating: false}, hostname: web-0, nodeName: node-a, zone: zone-a, hints: {forZones: [{name: zone-a}, {name: zone-b}], forNodes: [{name: node-a}]}, targetRef: {kind: Pod, namespace: team-a, name: web-0, uid: p1}}
- {addresses: [10.1.1.2, 10.1.1.3], deprecatedTopology: {kubernetes.io/hostname: node-b, example.com/rack: r1}}
ports: [{name: http, port: 80, protocol: TCP, appProtocol: kubernetes.io/h2c}, {name: dns, port: 53, protocol: UDP}]
---
metadata: {name: web-six, namespace: team-a, uid: u1, resourceVersion: "5", generation: 3}
addressType: IPv6
endpoints: [{addresses: ["2001:db8::1"], conditions: {ready: false}}, {addresses: ["2001:db8::2"], zone: zone-a}]
ports: [{name: "", port: 80, protocol: SCTP}]
---
metadata: {name: web-old, namespace: team-a, uid: u1, resourceVersion: "5", generation: 3}
addressType: IPv4
endpoints: [{addresses: [010.1.1.1, "::ffff:10.1.1.2", 127.0.0.1, 169.254.1.1]}, {addresses: [224.0.0.5, 0.0.0.0]}]
---
metadata: {name: web-names, namespace: team-a, uid: u1, resourceVersion: "5", generation: 3}
addressType: FQDN
endpoints: [{addresses: [www.example.com, example.org.]}]
ports: [{name: all, protocol: TCP}]
`)
}
