package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kube-aggregator/pkg/registry/apiservice"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

func init() {
	install.Install(legacyscheme.Scheme)
	add(suite{
		resource: "apiservices.apiregistration.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"},
		create:   apiservice.NewStrategy(legacyscheme.Scheme),
		updates: map[string]update{
			"":       apiservice.NewStrategy(legacyscheme.Scheme),
			"status": apiservice.NewStatusStrategy(legacyscheme.Scheme),
		},
		count: 1800,
	}, `
metadata: {name: v1beta1.wardle.example.com, uid: u1, resourceVersion: "5", labels: {a: b}, annotations: {c: d}, finalizers: [example.com/f]}
spec: {group: wardle.example.com, version: v1beta1, groupPriorityMinimum: 1000, versionPriority: 15, caBundle: Y2E=, service: {namespace: wardle, name: api, port: 443}}
status: {conditions: [{type: Available, status: "True", reason: Passed, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
metadata: {name: v1.apps, uid: u1, resourceVersion: "5"}
spec: {group: apps, version: v1, groupPriorityMinimum: 17800, versionPriority: 15}
---
metadata: {name: v1beta1.wardle.example.com, uid: u1, resourceVersion: "5"}
spec: {group: wardle.example.com, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: wardle, name: api, port: 8443}}
`)
}
