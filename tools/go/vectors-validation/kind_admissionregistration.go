package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
)

// Expressions and other texts with different results in the checks of these kinds. None has a character that Go escapes
// in JSON.
var registrationTexts = []string{
	"*", "*/*", "pods", "pods/*", "*/scale", "pods/status", "CREATE", "DELETE", "UPDATE", "CONNECT", "Fail", "Ignore", "Exact", "Equivalent", "Cluster", "Namespaced",
	"NoneOnDryRun", "Some", "Unknown", "IfNeeded", "v1beta1", "v9", "a.b.c", "policy.static.k8s.io", "https://example.com/x", "http://u:p@h/x?q=1#f", "https://h:x/", "https://h/%zz", ":x", "https://[::1", "/a//b", "a b",
	"true", "1", "object.spec.replicas != 1", "object.spec.replicas", "request.userInfo.username == 'x'", "request.nothing", "params.max != 1", "variables.count != 1", "variables.none", "authorizer.requestResource.check('get').allowed()",
	"authorizer.group('').resource('pods').check('get').allowed()", "has(object.metadata.labels)", "namespaceObject.metadata.name", "1 +", "'a'.matches('[')", "undefined(1)", "'text'", "null", "[1, 'a']", "duration('1x')", "duration('1s')", "timestamp('2026-01-01T00:00:00Z')", "type(object)", "string(1) + 1",
	"Object{spec: Object.spec{replicas: 3}}", "Object.spec{}", "JSONPatch{op: 'add', path: '/a', value: 1}", "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('x/y'), value: 1}]", "[JSONPatch{op: 1}]", "JSONPatch{nothing: 1}", "Invalid{}",
	"object.spec.list.all(x, x != 1)", "Object{?metadata: optional.of(1)}", "Object{?metadata: 1}", "Object{a: 1}.b == 1", "kubernetes.Namespace{}", "line\nbreak", " ", "Deny", "Warn", "Audit", "Allow", "Forbidden", "JSONPatch", "ApplyConfiguration", "apps/v1", "a/b/c", "ConfigMap", "count", "namespace", "spec.validations[0].expression", "spec[", "a..b", "x[?(@.a==1)]", "x['a'", "[-]", "true || ", "authorizer",
}

func registration(resource, kind string, create strategy, more map[string]update, documents string) {
	updates := map[string]update{"": create}
	for name, u := range more {
		updates[name] = u
	}
	add(suite{
		resource: resource + ".admissionregistration.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: kind},
		create:   create,
		updates:  updates,
		count:    1300,
		texts:    registrationTexts,
		numbers:  []int64{30, 31, 443},
	}, documents)
}

func init() {
	var resolve resolver.ResourceResolverFunc = func(kind schema.GroupVersionKind) (schema.GroupVersionResource, error) {
		return schema.GroupVersionResource{}, fmt.Errorf("no %v", kind)
	}
	const match = `{matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {matchLabels: {a: b}}, resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, deployments/scale], resourceNames: [web], scope: "*"}], excludeResourceRules: [{apiGroups: [""], apiVersions: ["*"], operations: ["*"], resources: ["*/*"]}]}`
	validating := validatingadmissionpolicy.NewStrategy(nil, resolve)
	registration("validatingadmissionpolicies", "ValidatingAdmissionPolicy", validating, map[string]update{"status": validatingadmissionpolicy.NewStatusStrategy(validating)}, fmt.Sprintf(`
metadata: {name: policy, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
spec: {failurePolicy: Fail, paramKind: {apiVersion: v1, kind: ConfigMap}, matchConstraints: %[1]s, matchConditions: [{name: c, expression: "params.on == 'x'"}], variables: [{name: count, expression: "size(object.spec.list)"}, {name: twice, expression: "variables.count * 2"}], validations: [{expression: "variables.twice != 2", message: m, reason: Invalid}, {expression: "object.a == params.b", messageExpression: "'x' + string(variables.count)"}], auditAnnotations: [{key: k, valueExpression: "'v'"}, {key: l, valueExpression: "variables.count != 1 ? 'v' : 'w'"}]}
status: {observedGeneration: 2, typeChecking: {expressionWarnings: [{fieldRef: "spec.validations[0].expression", warning: w}]}, conditions: [{type: Ready, status: "True", reason: R, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
metadata: {name: plain, uid: u1, resourceVersion: "5", generation: 2}
spec: {failurePolicy: Ignore, matchConstraints: %[1]s, validations: [{expression: "has(object.spec) ? authorizer.path('/x').check('get').allowed() : false"}]}
`, match))
	registration("mutatingadmissionpolicies", "MutatingAdmissionPolicy", mutatingadmissionpolicy.NewStrategy(nil, resolve), nil, fmt.Sprintf(`
metadata: {name: policy, uid: u1, resourceVersion: "5", generation: 2}
spec: {failurePolicy: Fail, reinvocationPolicy: Never, paramKind: {apiVersion: apps/v1, kind: Deployment}, matchConstraints: {matchPolicy: Exact, namespaceSelector: {}, objectSelector: {}, resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, matchConditions: [{name: c, expression: "true"}], variables: [{name: count, expression: "1 + 1"}], mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{replicas: variables.count}}"}}, {patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/x', value: params.y}]"}}]}
---
metadata: {name: plain, uid: u1, resourceVersion: "5", generation: 2}
spec: {failurePolicy: Fail, reinvocationPolicy: IfNeeded, matchConstraints: %[1]s, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"}}]}
`, match))
	const binding = `
metadata: {name: binding, uid: u1, resourceVersion: "5", generation: 2}
spec: {policyName: policy, paramRef: {name: p, namespace: team-a, parameterNotFoundAction: Deny}, matchResources: %[1]s%[2]s}
---
metadata: {name: other, uid: u1, resourceVersion: "5", generation: 2}
spec: {policyName: policy, paramRef: {selector: {matchLabels: {a: b}}, parameterNotFoundAction: Allow}%[2]s}
`
	registration("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", validatingadmissionpolicybinding.NewStrategy(nil, nil, resolve), nil,
		fmt.Sprintf(binding, match, ", validationActions: [Deny, Audit]"))
	registration("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", mutatingadmissionpolicybinding.NewStrategy(nil, nil, resolve), nil,
		fmt.Sprintf(binding, match, ""))
	const hooks = `
metadata: {name: hooks, uid: u1, resourceVersion: "5", generation: 2, labels: {a: b}}
webhooks:
- {name: one.example.com, sideEffects: None, admissionReviewVersions: [v1, v9], failurePolicy: Fail, matchPolicy: Equivalent, timeoutSeconds: 10, namespaceSelector: {}, objectSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}, clientConfig: {service: {name: s, namespace: team-a, path: /x/y, port: 443}}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods, "*/scale"], scope: Namespaced}], matchConditions: [{name: c, expression: "request.name != 'x'"}]%[1]s}
- {name: two.example.com, sideEffects: NoneOnDryRun, admissionReviewVersions: [v1beta1], clientConfig: {url: "https://example.com/x"}}
---
metadata: {name: plain, uid: u1, resourceVersion: "5", generation: 2}
webhooks:
- {name: one.example.com, sideEffects: Some, admissionReviewVersions: [v9], clientConfig: {url: "https://example.com:8443"}}
`
	registration("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", validatingwebhookconfiguration.Strategy, nil, fmt.Sprintf(hooks, ""))
	registration("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", mutatingwebhookconfiguration.Strategy, nil, fmt.Sprintf(hooks, ", reinvocationPolicy: Never"))
}
