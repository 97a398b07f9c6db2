// Warnings of the type checker of validating admission policies, for policies over built-in and custom kinds.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"

	v1 "k8s.io/api/admissionregistration/v1"
	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	k8sscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"
	openapi "k8s.io/kubernetes/pkg/generated/openapi"
)

type kind struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Kind     string `json:"kind"`
	Resource string `json:"resource"`
}

type vector struct {
	Policy   v1.ValidatingAdmissionPolicySpec `json:"policy"`
	Warnings []v1.ExpressionWarning           `json:"warnings"`
}

var kinds = map[string]kind{
	"deployments":  {"apps", "v1", "Deployment", "deployments"},
	"statefulsets": {"apps", "v1", "StatefulSet", "statefulsets"},
	"pods":         {"", "v1", "Pod", "pods"},
	"configmaps":   {"", "v1", "ConfigMap", "configmaps"},
	"secrets":      {"", "v1", "Secret", "secrets"},
	"services":     {"", "v1", "Service", "services"},
	"namespaces":   {"", "v1", "Namespace", "namespaces"},
	"jobs":         {"batch", "v1", "Job", "jobs"},
	"leases":       {"coordination.k8s.io", "v1", "Lease", "leases"},
	"definitions":  {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions"},
	"widgets":      {"example.com", "v1", "Widget", "widgets"},
	"free":         {"example.com", "v1", "Free", "frees"},
}

const customSchemas = `{
  "Widget": {"type": "object", "properties": {
    "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
    "spec": {"type": "object", "required": ["size"], "properties": {
      "size": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"},
      "name": {"type": "string"}, "when": {"type": "string", "format": "date-time"}, "for": {"type": "string", "format": "duration"},
      "any": {"x-kubernetes-preserve-unknown-fields": true}, "port": {"x-kubernetes-int-or-string": true},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "parts": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, "count": {"type": "integer"}}}},
      "template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
      "dashed-name": {"type": "string"}, "namespace": {"type": "string"}
    }}}},
  "Free": {"x-kubernetes-preserve-unknown-fields": true}
}`

type schemas struct {
	builtIn resolver.SchemaResolver
	custom  map[string]*spec.Schema
}

func (s schemas) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	if gvk.Group == "example.com" {
		if found, ok := s.custom[gvk.Kind]; ok {
			return found, nil
		}
		return nil, resolver.ErrSchemaNotFound
	}
	return s.builtIn.ResolveSchema(gvk)
}

func rules(resources ...string) *v1.MatchResources {
	match := &v1.MatchResources{}
	for _, name := range resources {
		k := kinds[name]
		match.ResourceRules = append(match.ResourceRules, v1.NamedRuleWithOperations{RuleWithOperations: v1.RuleWithOperations{
			Operations: []v1.OperationType{"*"},
			Rule:       v1.Rule{APIGroups: []string{k.Group}, APIVersions: []string{k.Version}, Resources: []string{k.Resource}},
		}})
	}
	return match
}

func main() {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, k := range kinds {
		gv := schema.GroupVersion{Group: k.Group, Version: k.Version}
		mapper.AddSpecific(gv.WithKind(k.Kind), gv.WithResource(k.Resource), gv.WithResource(k.Resource), meta.RESTScopeNamespace)
	}
	custom := map[string]*spec.Schema{}
	if err := json.Unmarshal([]byte(customSchemas), &custom); err != nil {
		panic(err)
	}
	checker := validating.TypeChecker{
		SchemaResolver: schemas{resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, k8sscheme.Scheme, apiextensionsscheme.Scheme), custom},
		RestMapper:     mapper,
	}
	// Upstream names the type of an object by its kind and a number that depends on the time.
	suffix := regexp.MustCompile(`\b(Deployment|StatefulSet|Pod|ConfigMap|Secret|Service|Namespace|Job|Lease|CustomResourceDefinition|Widget|Free)\d+`)
	var vectors []vector
	for _, p := range policies() {
		warnings := checker.Check(&v1.ValidatingAdmissionPolicy{Spec: p})
		for i := range warnings {
			warnings[i].Warning = suffix.ReplaceAllString(warnings[i].Warning, "$1")
		}
		vectors = append(vectors, vector{p, warnings})
	}
	out, err := json.Marshal(map[string]any{"schemas": json.RawMessage(customSchemas), "vectors": vectors})
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, len(vectors), "policies")
	fmt.Println(string(out))
}

func policies() []v1.ValidatingAdmissionPolicySpec {
	var out []v1.ValidatingAdmissionPolicySpec
	add := func(resources []string, change func(*v1.ValidatingAdmissionPolicySpec), expressions ...string) {
		p := v1.ValidatingAdmissionPolicySpec{MatchConstraints: rules(resources...)}
		for _, e := range expressions {
			p.Validations = append(p.Validations, v1.Validation{Expression: e})
		}
		if change != nil {
			change(&p)
		}
		out = append(out, p)
	}
	for _, e := range []string{
		"object.spec.replicas <= 5", "object.spec.replicas > '1'", "object.spec.maxReplicas < 3", "object.spec.replicas == null",
		"object.metadata.name.startsWith('a')", "object.metadata.labels['app'] == 'web'", "object.metadata.labels.app == 1",
		"object.spec.template.spec.containers.all(c, c.image.contains(':'))", "object.spec.template.spec.containers.all(c, c.images == '')",
		"object.spec.strategy.rollingUpdate.maxSurge == 1", "object.spec.strategy.rollingUpdate.maxSurge == '25%'",
		"object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')", "object.metadata.creationTimestamp == 'yesterday'",
		"has(object.spec.paused) && object.spec.paused", "has(object.spec.pausing)", "object.spec.paused + 1", "object.spec + 1 == 2",
		"oldObject.spec.replicas == object.spec.replicas", "oldObject.spec.replica == object.spec.replicas",
		"request.operation == 'CREATE'", "request.user == 'me'", "request.userInfo.groups.exists(g, g == 'system:masters')", "request.dryRun == 'yes'",
		"request.options.fieldManager == 'x'", "namespaceObject.metadata.labels.env == 'prod'", "namespaceObject.spec.zone == 'a'",
		"authorizer.group('apps').resource('deployments').namespace('default').name('x').check('get').allowed()", "authorizer.allowed()",
		"authorizer.path('/healthz').check('get').reason() == ''", "authorizer.serviceAccount('default', 'x').group('').resource('pods').check(1).allowed()",
		"authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c').check('list').errored()",
		"params.spec == null", "variables.foo == 1", "unknownThing", "object.spec.replicas >", "1 +", "'a' == 1 || true", "size(object.spec.template.spec.containers) > 0",
		"object.spec.template.spec.volumes[0].name == 'x'", "object.spec.template.spec.volumes['x'].name == 'x'",
		"object.spec.template.spec.containers.map(c, c.name).join(',') == ''", "object.spec.template.spec.containers.exists(c, c.ports.exists(p, p.containerPort == 'http'))",
		"quantity(object.spec.template.spec.containers[0].resources.limits['cpu']).isGreaterThan(quantity('1'))",
		"object.spec.template.spec.containers[0].resources.limits['cpu'] > 1", "object.spec.selector.matchLabels.size() < 2", "object.spec.minReadySeconds == 1.5",
		"object.spec.template.spec.containers[0].livenessProbe.httpGet.port == 80", "object.status.conditions.filter(c, c.type == 'Available').size() == 1",
		"object.spec.?replicas.orValue(1) == 1", "object.?spec.?replicas.orValue('1') == 1", "object.kind == 'Deployment' && object.apiVersion == 2",
		"object.metadata.managedFields[0].fieldsV1 == null", "object.metadata.namespace == 'x' ? 1 : 'two'", "{'a': 1}['b']", "[1, 'a', true].size() == 3", "object.metadata.finalizers.indexOf('x') >= 0",
		"matches(object.metadata.name, '[')", "isURL(object.metadata.name)", "ip(object.metadata.name).family() == 4", "format.dns1123Label().validate(object.metadata.name).hasValue()", "dyn(object).spec.anything == 1",
		"string(object.spec.replicas) == '1'", "int(object.metadata.name) == 1", "duration(object.spec.progressDeadlineSeconds) == duration('1s')", "object.spec.replicas in [1, 2]", "'x' in object.metadata.labels", "1 in object.metadata.labels",
		"object == oldObject", "object.spec == oldObject.spec.template", "type(object.spec.replicas) == int", "!object.spec.replicas", "-object.metadata.name == ''", "cel.bind(x, object.spec.replicas, x + 'a')",
	} {
		add([]string{"deployments"}, nil, e)
	}
	for _, e := range []string{"object.data.key == 'x'", "object.data == {}", "object.binaryData['a'] == b'x'", "object.immutable == 'no'", "object.spec.x == 1"} {
		add([]string{"configmaps"}, nil, e)
		add([]string{"secrets", "configmaps"}, nil, e)
	}
	for _, e := range []string{"object.spec.replicas > 0", "object.spec.template.spec.nodeName == ''", "object.spec.nodeName == ''", "object.metadata.name == 1"} {
		add([]string{"pods", "deployments", "statefulsets", "jobs"}, nil, e)
	}
	for _, e := range []string{
		"object.spec.size > 1", "object.spec.size > 1.5", "object.spec.ratio > 1.5", "object.spec.ratio > 1", "object.spec.on == 'true'", "object.spec.when > timestamp('2026-01-01T00:00:00Z')", "object.spec.for > duration('1s')",
		"object.spec.any.thing == 1", "object.spec.port == 1 || object.spec.port == 'a'", "object.spec.labels.a == 1", "object.spec.parts[0].count == 'a'", "object.spec.parts.exists(p, p.idd == '')",
		"object.spec.template.metadata.name == 'x'", "object.spec.template.spec == 1", "object.spec.dashed__dash__name == ''", "object.spec.__namespace__ == ''", "object.metadata.labels == null", "object.metadata.name == ''",
	} {
		add([]string{"widgets"}, nil, e)
	}
	for _, e := range []string{"object.anything == 1", "object > 1"} {
		add([]string{"free"}, nil, e)
	}
	add([]string{"deployments"}, nil, "object.spec.a == 1", "object.spec.replicas == 1", "object.spec.b == 1")
	add([]string{"deployments"}, func(p *v1.ValidatingAdmissionPolicySpec) {
		p.Validations[0].MessageExpression = "'replicas: ' + object.spec.replicas"
		p.Validations[1].MessageExpression = "'fine'"
	}, "object.spec.replicas < 1", "object.spec.x")
	params := func(apiVersion, kind string) func(*v1.ValidatingAdmissionPolicySpec) {
		return func(p *v1.ValidatingAdmissionPolicySpec) {
			p.ParamKind = &v1.ParamKind{APIVersion: apiVersion, Kind: kind}
		}
	}
	add([]string{"deployments"}, params("v1", "ConfigMap"), "params.data.max == '1'", "params.data.max == 1", "params.spec == 1")
	add([]string{"deployments"}, params("example.com/v1", "Widget"), "params.spec.size == object.spec.replicas", "params.spec.name == object.spec.replicas")
	add([]string{"deployments"}, params("example.com/v1", "Nothing"), "params.spec.size == 1", "params.spec.name + 1 == 2")
	add([]string{"deployments"}, params("a/b/c", "Nothing"), "params.spec.size == 1")
	variables := func(pairs ...string) func(*v1.ValidatingAdmissionPolicySpec) {
		return func(p *v1.ValidatingAdmissionPolicySpec) {
			for i := 0; i < len(pairs); i += 2 {
				p.Variables = append(p.Variables, v1.Variable{Name: pairs[i], Expression: pairs[i+1]})
			}
		}
	}
	add([]string{"deployments"}, variables("n", "object.spec.replicas", "twice", "variables.n * 2"), "variables.twice == 4", "variables.twice == '4'", "variables.none == 1")
	add([]string{"deployments"}, variables("bad", "object.spec.none", "names", "object.spec.template.spec.containers.map(c, c.name)"), "variables.bad == 1", "variables.names == ['a']", "variables.names[0] == 1")
	add([]string{"deployments"}, variables("spec", "object.spec", "labels", "object.metadata.labels", "t", "object.metadata.creationTimestamp"), "variables.spec.none == 1", "variables.labels.a == 1", "variables.t == 1", "variables.spec.replicas == 'a'")
	add([]string{"deployments", "pods"}, variables("n", "object.spec.replicas"), "variables.n == 1", "variables.n == '1'")
	add([]string{"services", "namespaces", "leases"}, nil, "object.spec.finalizers.size() == 0", "object.spec.renewTime == 'x'", "object.spec.ports.all(p, p.targetPort == 80)", "object.spec.ports.all(p, p.port == '80')")
	add([]string{"definitions"}, nil, "object.spec.versions.all(v, v.schema.openAPIV3Schema.properties['spec'].type == 'object')", "object.spec.versions.all(v, v.schema.openAPIV3Schema.type == 1)", "object.spec.versions[0].schema.openAPIV3Schema.properties['a'].properties['b'].type == 1")
	return out
}
