package main

type m = map[string]any

func inSpec(value any, path ...any) mutation { return at(value, append([]any{"spec"}, path...)...) }
func inVersion(value any, path ...any) mutation {
	return inSpec(value, append([]any{"versions", 0}, path...)...)
}
func inRoot(value any, path ...any) mutation {
	return inVersion(value, append([]any{"schema", "openAPIV3Schema"}, path...)...)
}
func inField(value any, path ...any) mutation {
	return inRoot(value, append([]any{"properties", "spec", "properties"}, path...)...)
}
func rule(rule m) mutation { return inField([]any{rule}, "a", "x-kubernetes-validations") }

var mutations = []mutation{
	// Names, group and scope.
	at("other.example.com", "metadata", "name"), at("Widgets.example.com", "metadata", "name"), inSpec("", "group"), inSpec("example", "group"), inSpec("Example.com", "group"), inSpec("", "scope"), inSpec("Global", "scope"),
	inSpec("", "names", "plural"), inSpec("Widgets", "names", "plural"), inSpec("", "names", "singular"), inSpec("", "names", "kind"), inSpec("", "names", "listKind"), inSpec("Widget", "names", "listKind"), inSpec("wid_get", "names", "kind"),
	inSpec([]any{"ok", "Bad"}, "names", "shortNames"), inSpec([]any{"all", "Bad!"}, "names", "categories"), inSpec(true, "preserveUnknownFields"),
	// Versions.
	inSpec([]any{}, "versions"), inVersion("V1", "name"), inVersion(false, "storage"), inVersion(false, "served"), inVersion("old", "deprecationWarning"), inVersion(nil, "schema"), inVersion(m{}, "schema"),
	inSpec(m{"name": "v2", "served": true, "storage": true, "schema": m{"openAPIV3Schema": m{"type": "object"}}}, "versions", 1), inSpec(m{"name": "v2", "served": true, "storage": false, "schema": m{"openAPIV3Schema": m{"type": "object"}}}, "versions", 1),
	inSpec(m{"name": "v1", "served": true, "storage": false, "schema": m{"openAPIV3Schema": m{"type": "object"}}}, "versions", 1), inSpec(m{"name": "v2", "served": true, "storage": false}, "versions", 1),
	inSpec(m{"name": "v2", "served": true, "storage": false, "deprecated": true, "deprecationWarning": "", "schema": m{"openAPIV3Schema": m{"type": "string"}}}, "versions", 1),
	at([]any{"v0"}, "status", "storedVersions"), at([]any{}, "status", "storedVersions"), at([]any{"v1", "v0"}, "status", "storedVersions"),
	// Conversion.
	inSpec("", "conversion", "strategy"), inSpec("Magic", "conversion", "strategy"), inSpec(m{"conversionReviewVersions": []any{"v1"}}, "conversion", "webhook"),
	// Subresources, columns, selectable fields.
	inVersion(m{"status": m{}}, "subresources"), inVersion(m{"scale": m{"specReplicasPath": "", "statusReplicasPath": ""}}, "subresources"), inVersion(m{"scale": m{"specReplicasPath": "spec.replicas", "statusReplicasPath": ".spec.replicas"}}, "subresources"),
	inVersion(m{"scale": m{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".metadata.x"}}, "subresources"),
	inVersion([]any{m{"name": "", "type": "", "jsonPath": ""}}, "additionalPrinterColumns"), inVersion([]any{m{"name": "A", "type": "text", "jsonPath": "spec"}}, "additionalPrinterColumns"), inVersion([]any{m{"name": "A", "type": "string", "format": "x", "jsonPath": ".spec.a"}}, "additionalPrinterColumns"),
	inVersion([]any{m{"jsonPath": ".spec.a"}}, "selectableFields"), inVersion([]any{m{"jsonPath": ".spec.nope"}}, "selectableFields"), inVersion([]any{m{"jsonPath": ""}}, "selectableFields"), inVersion([]any{m{"jsonPath": ".spec.l"}}, "selectableFields"), inVersion([]any{m{"jsonPath": ".spec.a"}, m{"jsonPath": ".spec.a"}}, "selectableFields"),
	inVersion([]any{m{"jsonPath": "spec.a"}}, "selectableFields"), inVersion([]any{m{"jsonPath": ".spec['a']"}}, "selectableFields"), inVersion([]any{m{"jsonPath": ".metadata.name"}}, "selectableFields"),
	// The root of the schema.
	inRoot("array", "type"), inRoot("", "type"), inRoot("string", "type"), inRoot(true, "nullable"), inRoot(m{"type": "string"}, "additionalProperties"), inRoot(m{"type": "string"}, "properties", "metadata"), inRoot(m{"type": "object", "properties": m{"name": m{"type": "string"}}}, "properties", "metadata"),
	inRoot(m{"type": "object", "properties": m{"labels": m{"type": "object"}}}, "properties", "metadata"), inRoot(m{"type": "integer"}, "properties", "kind"), inRoot(m{"type": "string", "default": "x"}, "properties", "apiVersion"), inRoot([]any{m{"required": []any{"spec"}}}, "anyOf"), inRoot([]any{m{"type": "object"}}, "allOf"),
	// Fields.
	inField(m{}, "a"), inField(m{"type": "text"}, "a"), inField(m{"type": "null"}, "a"), inField(m{"type": "array"}, "a"), inField(m{"type": "string", "pattern": "["}, "a"), inField(m{"type": "string", "id": "x"}, "a"), inField(m{"type": "string", "$ref": "#/x"}, "a"), inField(m{"type": "string", "uniqueItems": true}, "a"),
	inField(m{"type": "object", "patternProperties": m{"x": m{"type": "string"}}}, "a"), inField(m{"type": "object", "definitions": m{"x": m{"type": "string"}}}, "a"), inField(m{"type": "object", "dependencies": m{"x": []any{"y"}}}, "a"), inField(m{"type": "array", "items": []any{m{"type": "string"}}}, "a"), inField(m{"type": "array", "items": m{"type": "string"}, "additionalItems": true}, "a"),
	inField(m{"type": "object", "properties": m{"x": m{"type": "string"}}, "additionalProperties": m{"type": "string"}}, "a"), inField(m{"type": "object", "properties": m{"x": m{"type": "string"}}, "additionalProperties": false}, "a"),
	inField(m{"type": "string", "anyOf": []any{m{"type": "string"}, m{"default": "x"}, m{"nullable": true}, m{"description": "x"}}}, "a"), inField(m{"type": "object", "properties": m{"x": m{"type": "string"}}, "oneOf": []any{m{"required": []any{"x"}}, m{"properties": m{"y": m{"minLength": 1}}}}}, "a"), inField(m{"type": "object", "not": m{"properties": m{"metadata": m{}}}}, "a"),
	inField(m{"type": "object", "allOf": []any{m{"x-kubernetes-preserve-unknown-fields": true}, m{"additionalProperties": true}, m{"items": m{"minLength": 1}}}}, "a"),
	// Defaults.
	inField("x", "a", "default"), inField(5, "a", "default"), inField(m{"type": "object", "properties": m{"x": m{"type": "string"}}, "default": m{"x": "y", "z": 1}}, "a"), inField(m{"type": "array", "items": m{"type": "integer"}, "default": []any{1, "x"}}, "a"), inField(m{"type": "integer", "minimum": 5, "default": 1}, "a"), inField(m{"type": "string", "enum": []any{"a"}, "default": "b"}, "a"),
	// Extensions.
	inField(false, "a", "x-kubernetes-preserve-unknown-fields"), inField(m{"x-kubernetes-int-or-string": true}, "a"), inField(m{"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}, "a"), inField(m{"type": "object", "x-kubernetes-embedded-resource": true}, "a"), inField(m{"type": "string", "x-kubernetes-embedded-resource": true}, "a"), inField(m{"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}, "a"),
	inField(m{"x-kubernetes-int-or-string": true, "anyOf": []any{m{"type": "integer"}, m{"type": "string"}}}, "a"), inField("map", "a", "x-kubernetes-list-type"), inField("atomic", "a", "x-kubernetes-map-type"), inField("map", "l", "x-kubernetes-list-type"), inField("set", "l", "x-kubernetes-list-type"), inField("bag", "l", "x-kubernetes-list-type"), inField([]any{"name"}, "l", "x-kubernetes-list-map-keys"),
	inField(m{"type": "array", "items": m{"type": "object", "properties": m{"name": m{"type": "string"}}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"}}, "l"), inField(m{"type": "array", "items": m{"type": "object", "properties": m{"name": m{"type": "object"}}, "required": []any{"name"}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name", "name", "nope"}}, "l"),
	inField(m{"type": "array", "items": m{"type": "string", "nullable": true}, "x-kubernetes-list-type": "set"}, "l"), inField(m{"type": "object", "x-kubernetes-map-type": "odd"}, "a"),
	// Rules.
	rule(m{"rule": "self == 'x'"}), rule(m{"rule": ""}), rule(m{"rule": "self + 1 == 2"}), rule(m{"rule": "self"}), rule(m{"rule": "self == 'x'", "message": " "}), rule(m{"rule": "self == 'x'", "message": "a\nb"}), rule(m{"rule": "self ==\n'x'"}), rule(m{"rule": "self == 'x'", "messageExpression": " "}), rule(m{"rule": "self == 'x'", "messageExpression": "1"}),
	rule(m{"rule": "self == 'x'", "messageExpression": "'got ' + self"}), rule(m{"rule": "self == 'x'", "messageExpression": "nope"}), rule(m{"rule": "self == 'x'", "reason": "FieldValueForbidden"}), rule(m{"rule": "self == 'x'", "reason": "Odd"}), rule(m{"rule": "self == 'x'", "fieldPath": ".x"}), rule(m{"rule": "self == oldSelf"}), rule(m{"rule": "self == 'x'", "optionalOldSelf": true}), rule(m{"rule": "oldSelf.orValue('') == self", "optionalOldSelf": true}),
	rule(m{"rule": "self.size() > 0 && self.nope()"}), rule(m{"rule": "self.size() > "}), inField([]any{m{"rule": "self.name == oldSelf.name"}}, "l", "items", "x-kubernetes-validations"), inRoot([]any{m{"rule": "self.metadata.name == 'x'"}}, "x-kubernetes-validations"), inRoot([]any{m{"rule": "self.metadata.labels == {}"}}, "x-kubernetes-validations"), inRoot([]any{m{"rule": "has(self.spec.a)", "fieldPath": ".spec.a"}}, "x-kubernetes-validations"),
	inRoot([]any{m{"rule": "has(self.spec.a)", "fieldPath": ".spec.nope"}}, "x-kubernetes-validations"), inField(m{"type": "string", "default": "y", "x-kubernetes-validations": []any{m{"rule": "self == 'x'"}}}, "a"), inField(m{"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": []any{m{"rule": "self == 'x'"}}}, "a"),
	// Approval.
	inSpec("widgets.k8s.io", "group"), at(m{"api-approved.kubernetes.io": "unapproved, test"}, "metadata", "annotations"),
}
