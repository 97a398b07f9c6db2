package main

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/kubernetes/fake"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
)

const claimSpec = `devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, allocationMode: ExactCount, count: 2, selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}], tolerations: [{key: example.com/broken, operator: Equal, value: "yes", effect: NoExecute, tolerationSeconds: 30}], capacity: {requests: {memory: 10Gi}}}}, {name: nic, firstAvailable: [{name: fast, deviceClassName: fast.example.com, allocationMode: All, tolerations: [{operator: Exists}]}, {name: slow, deviceClassName: slow.example.com, allocationMode: ExactCount, count: 1, selectors: [{cel: {expression: "true"}}]}]}], constraints: [{requests: [gpu, nic/fast], matchAttribute: gpu.example.com/numa}, {requests: [gpu], distinctAttribute: gpu.example.com/model}], config: [{requests: [gpu], opaque: {driver: gpu.example.com, parameters: {kind: Config}}}]}`

const adminSpec = `devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, allocationMode: All, adminAccess: true}}]}`

func namespaces() typedcore.NamespaceInterface {
	named := func(name string, labels map[string]string) *v1.Namespace {
		return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	admin := named("admin", map[string]string{"resource.kubernetes.io/admin-access": "true"})
	return fake.NewClientset(admin, named("team-a", nil)).CoreV1().Namespaces()
}

func init() {
	claims := resourceclaim.NewStrategy(namespaces(), authorizerfactory.NewAlwaysAllowAuthorizer())
	add(suite{
		resource: "resourceclaims.resource.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaim"},
		create:   claims,
		updates:  map[string]update{"": claims, "status": resourceclaim.NewStatusStrategy(claims)},
		count:    1600,
		texts:    deviceTexts,
	}, `
metadata: {name: claim, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {`+claimSpec+`}
---
metadata: {name: allocated, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {`+claimSpec+`}
status:
  allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: node-1, device: gpu-0, shareID: 550e8400-e29b-41d4-a716-446655440000, consumedCapacity: {memory: 10Gi}, tolerations: [{operator: Exists}], bindingConditions: [ready], bindingFailureConditions: [broken]}, {request: nic/fast, driver: nic.example.com, pool: a/b, device: nic-0}], config: [{source: FromClaim, requests: [gpu], opaque: {driver: gpu.example.com, parameters: {kind: Config}}}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node-1]}]}]}, allocationTimestamp: "2026-01-01T00:00:00Z"}
  reservedFor: [{resource: pods, name: pod-a, uid: p1}, {apiGroup: scheduling.k8s.io, resource: podgroups, name: group, uid: g1}]
  devices: [{driver: gpu.example.com, pool: node-1, device: gpu-0, shareID: 550e8400-e29b-41d4-a716-446655440000, conditions: [{type: Ready, status: "True", reason: Up, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}], data: {some: data}, networkData: {interfaceName: eth0, ips: [10.0.0.5/24, "fd00::1/64"], hardwareAddress: "aa:bb"}}, {driver: nic.example.com, pool: a/b, device: nic-0}]
---
metadata: {name: admin, namespace: admin, uid: u1, resourceVersion: "5"}
spec: {`+adminSpec+`}
status: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: p, device: d, adminAccess: true}]}}}
---
metadata: {name: not-admin, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {`+adminSpec+`}
---
metadata: {name: pending, namespace: team-a, uid: u1, resourceVersion: "5", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [resource.kubernetes.io/delete-protection]}
spec: {}
`)
	templates := resourceclaimtemplate.NewStrategy(namespaces())
	add(suite{
		resource: "resourceclaimtemplates.resource.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaimTemplate"},
		create:   templates,
		updates:  map[string]update{"": templates},
		count:    900,
		texts:    deviceTexts,
	}, `
metadata: {name: template, namespace: team-a, uid: u1, resourceVersion: "5", labels: {a: b}}
spec: {metadata: {labels: {c: d}, annotations: {e: f}}, spec: {`+claimSpec+`}}
---
metadata: {name: admin, namespace: admin, uid: u1, resourceVersion: "5"}
spec: {spec: {`+adminSpec+`}}
---
metadata: {name: not-admin, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {spec: {`+adminSpec+`}}
`)
}
