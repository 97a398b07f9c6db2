// Writes the tables that upstream prints for seeded objects of every kind. Times are stored as "$-<seconds>": this many
// seconds before now.
// Usage: vectors-printers > printers.json
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"

	"steersman/tools/fill"
)

// The stored version of each kind that has a printer.
var kinds = []string{
	"v1 ComponentStatus componentstatuses", "v1 ConfigMap configmaps", "v1 Endpoints endpoints", "v1 Event events", "v1 Namespace namespaces",
	"v1 Node nodes", "v1 PersistentVolume persistentvolumes", "v1 PersistentVolumeClaim persistentvolumeclaims", "v1 Pod pods", "v1 PodTemplate podtemplates",
	"v1 ReplicationController replicationcontrollers", "v1 ResourceQuota resourcequotas", "v1 Secret secrets", "v1 Service services", "v1 ServiceAccount serviceaccounts",
	"apps/v1 ControllerRevision controllerrevisions.apps", "apps/v1 DaemonSet daemonsets.apps", "apps/v1 Deployment deployments.apps", "apps/v1 ReplicaSet replicasets.apps",
	"apps/v1 StatefulSet statefulsets.apps", "batch/v1 CronJob cronjobs.batch", "batch/v1 Job jobs.batch", "autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers.autoscaling",
	"policy/v1 PodDisruptionBudget poddisruptionbudgets.policy", "scheduling.k8s.io/v1 PriorityClass priorityclasses.scheduling.k8s.io",
	"scheduling.k8s.io/v1alpha2 PodGroup podgroups.scheduling.k8s.io", "scheduling.k8s.io/v1alpha2 Workload workloads.scheduling.k8s.io",
	"certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests.certificates.k8s.io",
	"certificates.k8s.io/v1beta1 ClusterTrustBundle clustertrustbundles.certificates.k8s.io", "certificates.k8s.io/v1beta1 PodCertificateRequest podcertificaterequests.certificates.k8s.io",
	"storage.k8s.io/v1 CSIDriver csidrivers.storage.k8s.io", "storage.k8s.io/v1 CSINode csinodes.storage.k8s.io", "storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities.storage.k8s.io",
	"storage.k8s.io/v1 StorageClass storageclasses.storage.k8s.io", "storage.k8s.io/v1 VolumeAttachment volumeattachments.storage.k8s.io",
	"storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses.storage.k8s.io", "resource.k8s.io/v1 DeviceClass deviceclasses.resource.k8s.io",
	"resource.k8s.io/v1beta2 DeviceTaintRule devicetaintrules.resource.k8s.io", "resource.k8s.io/v1 ResourceClaim resourceclaims.resource.k8s.io",
	"resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates.resource.k8s.io", "resource.k8s.io/v1 ResourceSlice resourceslices.resource.k8s.io",
	"resource.k8s.io/v1alpha3 ResourcePoolStatusRequest resourcepoolstatusrequests.resource.k8s.io", "discovery.k8s.io/v1 EndpointSlice endpointslices.discovery.k8s.io",
	"flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas.flowcontrol.apiserver.k8s.io",
	"flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
	"networking.k8s.io/v1 Ingress ingresses.networking.k8s.io", "networking.k8s.io/v1 IngressClass ingressclasses.networking.k8s.io", "networking.k8s.io/v1 IPAddress ipaddresses.networking.k8s.io",
	"networking.k8s.io/v1 NetworkPolicy networkpolicies.networking.k8s.io", "networking.k8s.io/v1 ServiceCIDR servicecidrs.networking.k8s.io",
	"coordination.k8s.io/v1 Lease leases.coordination.k8s.io", "coordination.k8s.io/v1beta1 LeaseCandidate leasecandidates.coordination.k8s.io",
	"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations.admissionregistration.k8s.io",
	"admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations.admissionregistration.k8s.io",
	"admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies.admissionregistration.k8s.io",
	"admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings.admissionregistration.k8s.io",
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies.admissionregistration.k8s.io",
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings.admissionregistration.k8s.io",
	"rbac.authorization.k8s.io/v1 RoleBinding rolebindings.rbac.authorization.k8s.io", "rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings.rbac.authorization.k8s.io",
	"node.k8s.io/v1 RuntimeClass runtimeclasses.node.k8s.io", "internal.apiserver.k8s.io/v1alpha1 StorageVersion storageversions.internal.apiserver.k8s.io",
	"storagemigration.k8s.io/v1beta1 StorageVersionMigration storageversionmigrations.storagemigration.k8s.io",
}

// Strings that printers compare with.
func init() {
	more := map[string][]string{
		"PodPhase": {"Pending", "Running", "Succeeded", "Failed"}, "ConditionStatus": {"True", "False"}, "PodConditionType": {"Ready", "Initialized", "PodScheduled"},
		"NodeConditionType": {"Ready", "DiskPressure"}, "ContainerRestartPolicy": {"Always", "Never"}, "JobConditionType": {"Complete", "Failed", "Suspended", "FailureTarget"},
		"MetricSourceType": {"Resource", "Pods", "Object", "External", "ContainerResource"}, "NodeAddressType": {"InternalIP", "ExternalIP"},
		"PersistentVolumeAccessMode": {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}, "RequestConditionType": {"Approved", "Denied", "Failed"},
		"FlowSchemaConditionType": {"Dangling"}, "ComponentConditionType": {"Healthy"}, "LabelSelectorOperator": {"In", "Exists", "bad"},
		"ResourceName": {"cpu", "memory", "storage", "limits.cpu", "pods"},
	}
	for name, values := range more {
		fill.Choices[name] = values
	}
}

var ages = []int64{0, 5, 100, 119, 120, 130, 599, 600, 3600, 10799, 10800, 12000, 28700, 28800, 172799, 172800, 180000, 691200, 700000, 63072000, 70000000, 252288000, 260000000}

type vector struct {
	Resource string `json:"r"`
	Object   any    `json:"o"`
	Cells    any    `json:"c"`
	// The conditions of the row.
	Conditions any `json:"s,omitempty"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	generator := printers.NewTableGenerator().With(printersinternal.AddHandlers)
	columns := map[string][]string{}
	var out []vector
	for _, line := range kinds {
		parts := strings.Fields(line)
		gv, err := schema.ParseGroupVersion(parts[0])
		must(err)
		gvk := gv.WithKind(parts[1])
		for variant := range 8 {
			// Early in a second, so that ages do not depend on the time of the run.
			for time.Now().Nanosecond() > 500_000_000 {
				time.Sleep(10 * time.Millisecond)
			}
			now := time.Now().Truncate(time.Second)
			rng := rand.New(rand.NewSource(int64(variant)))
			object, err := legacyscheme.Scheme.New(gvk)
			must(err)
			if variant > 0 {
				f := &fill.Filler{Rng: rng, Sparse: variant > 1}
				f.Time = func() time.Time { return now.Add(-time.Duration(ages[rng.Intn(len(ages))]) * time.Second).UTC() }
				f.Fill(object)
			}
			object, raw := stored(gvk, object)
			row, ok := print(generator, gvk, object, parts[2], columns)
			if !ok {
				continue
			}
			row.Object = json.RawMessage(relative(raw, now))
			out = append(out, row)
		}
	}
	raw, err := json.Marshal(columns)
	must(err)
	fmt.Printf("{\"columns\":%s,\n\"rows\":[\n", raw)
	for i, row := range out {
		raw, err := json.Marshal(row)
		must(err)
		if i > 0 {
			fmt.Println(",")
		}
		os.Stdout.Write(raw)
	}
	fmt.Println("\n]}")
}

// The object as the store returns it: converted once, without fields that the wire form omits.
func stored(gvk schema.GroupVersionKind, object runtime.Object) (runtime.Object, []byte) {
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	must(err)
	external, err := legacyscheme.Scheme.ConvertToVersion(internal, gvk.GroupVersion())
	must(err)
	raw, err := json.Marshal(external)
	must(err)
	out, err := legacyscheme.Scheme.New(gvk)
	must(err)
	must(json.Unmarshal(raw, out))
	return out, raw
}

// Random objects that make a printer panic, because it relies on validation, are left out.
func print(generator *printers.HumanReadableGenerator, gvk schema.GroupVersionKind, object runtime.Object, resource string, columns map[string][]string) (row vector, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	internal, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return row, false
	}
	table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
	must(err)
	if columns[resource] == nil {
		for _, c := range table.ColumnDefinitions {
			columns[resource] = append(columns[resource], fmt.Sprintf("%s %s %q %d", c.Name, c.Type, c.Format, c.Priority))
		}
	}
	row = vector{Resource: resource, Cells: table.Rows[0].Cells}
	if len(table.Rows[0].Conditions) > 0 {
		row.Conditions = table.Rows[0].Conditions
	}
	return row, true
}

var timeText = regexp.MustCompile(`"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"`)

func relative(raw []byte, now time.Time) []byte {
	return timeText.ReplaceAllFunc(raw, func(text []byte) []byte {
		at, err := time.Parse(time.RFC3339Nano, strings.Trim(string(text), `"`))
		must(err)
		return []byte(fmt.Sprintf(`"$-%d"`, int64(now.Sub(at).Seconds())))
	})
}
