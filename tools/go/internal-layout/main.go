// Writes how upstream's internal core types print as JSON: error messages contain them with Go's field names. Each
// field is "GoName wireName form"; see src/kinds/parts/internal-form.ts. Usage: internal-layout > internal-layout.ts
package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	v1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/certificates"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/flowcontrol"
	"k8s.io/kubernetes/pkg/apis/policy"
	resourceapi "k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/apis/storage"
)

var layouts = map[string]string{}

// The JSON of an absent value; or a type, in a pointer, a list or by value.
func form(internal, wire reflect.Type) string {
	switch internal {
	case reflect.TypeFor[metav1.LabelSelector](), reflect.TypeFor[metav1.LabelSelectorRequirement](), reflect.TypeFor[metav1.OwnerReference](), reflect.TypeFor[metav1.Condition]():
		return "@" + tagged(internal)
	case reflect.TypeFor[resource.Quantity]():
		return `"0"`
	case reflect.TypeFor[intstr.IntOrString]():
		return "0"
	case reflect.TypeFor[metav1.ObjectMeta]():
		return "{}"
	}
	if reflect.PointerTo(internal).Implements(reflect.TypeFor[json.Marshaler]()) || internal.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
		return "null"
	}
	switch internal.Kind() {
	case reflect.Pointer:
		if inner := form(internal.Elem(), deref(wire)); strings.HasPrefix(inner, "@") {
			return "*" + inner[1:]
		}
		return "null"
	case reflect.Slice:
		if inner := form(internal.Elem(), deref(wire).Elem()); strings.HasPrefix(inner, "@") {
			return "[" + inner[1:]
		}
		return "null"
	case reflect.Map:
		return "null"
	case reflect.Struct:
		return "@" + layout(internal, deref(wire))
	case reflect.String:
		return `""`
	case reflect.Bool:
		return "false"
	default:
		return "0"
	}
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func wireName(t reflect.Type, name string) (string, reflect.Type, bool) {
	f, ok := t.FieldByName(name)
	if !ok {
		return "", nil, false
	}
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return tag, f.Type, true
}

func fields(internal, wire reflect.Type) []string {
	var out []string
	for i := range internal.NumField() {
		f := internal.Field(i)
		if f.Anonymous {
			embedded := wire
			if w, ok := wire.FieldByName(f.Name); ok {
				embedded = w.Type
			}
			out = append(out, fields(f.Type, embedded)...)
			continue
		}
		name, wireType, ok := wireName(wire, f.Name)
		if !ok {
			// Internal pods have host namespaces in the security context, the wire form has them in the spec.
			name, wireType = strings.ToLower(f.Name[:1])+f.Name[1:], f.Type
		}
		out = append(out, f.Name+" "+name+" "+form(f.Type, wireType))
	}
	return out
}

// Types of apimachinery print in wire form: tagged names, optional fields only if set ("?").
func tagged(t reflect.Type) string {
	if _, done := layouts[t.Name()]; !done {
		var out []string
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			kind := form(f.Type, f.Type)
			if strings.Contains(options, "omitempty") {
				kind = "?" + kind
			}
			out = append(out, name+" "+name+" "+kind)
		}
		layouts[t.Name()] = strings.Join(out, ",")
	}
	return t.Name()
}

func layout(internal, wire reflect.Type) string {
	name := internal.Name()
	if _, done := layouts[name]; !done {
		layouts[name] = ""
		layouts[name] = strings.Join(fields(internal, wire), ",")
	}
	return name
}

func main() {
	layout(reflect.TypeFor[core.PodSpec](), reflect.TypeFor[v1.PodSpec]())
	layout(reflect.TypeFor[core.PodIP](), reflect.TypeFor[v1.PodIP]())
	layout(reflect.TypeFor[core.HostIP](), reflect.TypeFor[v1.HostIP]())
	layout(reflect.TypeFor[core.Taint](), reflect.TypeFor[v1.Taint]())
	layout(reflect.TypeFor[core.NodeAddress](), reflect.TypeFor[v1.NodeAddress]())
	layout(reflect.TypeFor[core.NodeConfigSource](), reflect.TypeFor[v1.NodeConfigSource]())
	layout(reflect.TypeFor[core.ScopeSelector](), reflect.TypeFor[v1.ScopeSelector]())
	layout(reflect.TypeFor[core.ObjectReference](), reflect.TypeFor[v1.ObjectReference]())
	layout(reflect.TypeFor[core.ServicePort](), reflect.TypeFor[v1.ServicePort]())
	layout(reflect.TypeFor[core.EventSource](), reflect.TypeFor[v1.EventSource]())
	layout(reflect.TypeFor[apps.DeploymentStrategy](), reflect.TypeFor[appsv1.DeploymentStrategy]())
	layout(reflect.TypeFor[apps.DaemonSetUpdateStrategy](), reflect.TypeFor[appsv1.DaemonSetUpdateStrategy]())
	layout(reflect.TypeFor[apps.StatefulSetUpdateStrategy](), reflect.TypeFor[appsv1.StatefulSetUpdateStrategy]())
	layout(reflect.TypeFor[policy.PodDisruptionBudgetSpec](), reflect.TypeFor[policyv1.PodDisruptionBudgetSpec]())
	layout(reflect.TypeFor[storage.CSINodeDriver](), reflect.TypeFor[storagev1.CSINodeDriver]())
	layout(reflect.TypeFor[storage.VolumeAttachmentSpec](), reflect.TypeFor[storagev1.VolumeAttachmentSpec]())
	layout(reflect.TypeFor[batch.PodFailurePolicy](), reflect.TypeFor[batchv1.PodFailurePolicy]())
	layout(reflect.TypeFor[batch.SuccessPolicy](), reflect.TypeFor[batchv1.SuccessPolicy]())
	layout(reflect.TypeFor[batch.UncountedTerminatedPods](), reflect.TypeFor[batchv1.UncountedTerminatedPods]())
	layout(reflect.TypeFor[certificates.PodCertificateRequestSpec](), reflect.TypeFor[certificatesv1beta1.PodCertificateRequestSpec]())
	layout(reflect.TypeFor[resourceapi.ResourcePoolStatusRequestStatus](), reflect.TypeFor[resourcev1alpha3.ResourcePoolStatusRequestStatus]())
	layout(reflect.TypeFor[flowcontrol.FlowSchemaSpec](), reflect.TypeFor[flowcontrolv1.FlowSchemaSpec]())
	layout(reflect.TypeFor[flowcontrol.PriorityLevelConfigurationSpec](), reflect.TypeFor[flowcontrolv1.PriorityLevelConfigurationSpec]())
	layout(reflect.TypeFor[resourceapi.ResourceClaimSpec](), reflect.TypeFor[resourcev1.ResourceClaimSpec]())
	layout(reflect.TypeFor[resourceapi.AllocationResult](), reflect.TypeFor[resourcev1.AllocationResult]())
	layout(reflect.TypeFor[resourceapi.DeviceAttribute](), reflect.TypeFor[resourcev1.DeviceAttribute]())
	tagged(reflect.TypeFor[metav1.LabelSelector]())
	tagged(reflect.TypeFor[metav1.ObjectMeta]())
	tagged(reflect.TypeFor[metav1.OwnerReference]())
	names := make([]string, 0, len(layouts))
	for name := range layouts {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Println("// Generated by tools/go/internal-layout. Do not edit.")
	fmt.Println("export const INTERNAL_LAYOUT = {")
	for _, name := range names {
		fmt.Printf("  %s: %q,\n", name, layouts[name])
	}
	fmt.Println("} as const;")
}
