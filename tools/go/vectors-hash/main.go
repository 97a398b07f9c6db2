// Writes hash vectors: pod templates with their template and revision hashes, and the hashed values of the endpoint and
// job controllers. Templates are seeded: some set every field, most a part. Run with TZ=UTC: a time inside a template
// is hashed together with the local zone.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/rand"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	endpointslice "k8s.io/endpointslice/util"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/history"
	hashutil "k8s.io/kubernetes/pkg/util/hash"

	"steersman/tools/internal/fill"
)

// templateRow is the template's JSON, the collision count or -1, the template hash, and the revision hashes of the
// StatefulSet and DaemonSet controllers.
type templateRow struct {
	template, templateHash, statefulHash, daemonHash string
	collisions                                       int32
}

func (r templateRow) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.template, r.collisions, r.templateHash, r.statefulHash, r.daemonHash})
}

// given are templates that the filler never generates: empty values where nil is usual, and forms that decoding
// normalises.
var given = []string{
	`{}`,
	`{"metadata":{"labels":{}},"spec":{"containers":[]}}`,
	`{"metadata":{"creationTimestamp":null},"spec":{"containers":null,"nodeSelector":{},"tolerations":[]}}`,
	`{"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"containers":[{"name":"a","args":[],"env":[]}]}}`,
	`{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":1,"memory":"1.5Gi","x":0.5,"y":"1e3","z":"100m"}}}]}}`,
	`{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"0.1","memory":"128974848","e":"129e6","m":"129M","i":"123Mi"}}}]}}`,
	`{"spec":{"containers":[{"name":"a","resources":{"limits":{"a":"12345678901234567890","b":"-0.0000000005","c":"1.2345678901","d":"9E","f":"8Ei","g":"0","h":"00.10"}}}]}}`,
	`{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":"http"}},"readinessProbe":{"tcpSocket":{"port":80}}}]}}`,
	`{"metadata":{"labels":{"b":"2","a":"1","aa":"ü","Z":"0"}},"spec":{"containers":[{"name":"a","securityContext":{}}],"securityContext":{},"affinity":{"podAntiAffinity":{}}}}`,
	`{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27","ports":[{"containerPort":80,"protocol":"TCP"}],"resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}}`,
	`{"spec":{"terminationGracePeriodSeconds":9223372036854775807,"activeDeadlineSeconds":9007199254740993,"securityContext":{"supplementalGroups":[-9223372036854775808,9007199254740992,9007199254740991]},"tolerations":[{"operator":"Exists","tolerationSeconds":1152921504606846977}]}}`,
	`{"metadata":{"annotations":{"a":"<b>&\u2028\n"}},"spec":{"volumes":[{"name":"v","emptyDir":{}},{"name":"w","emptyDir":{"sizeLimit":"1Gi"}},{"name":"x","configMap":{"name":"c","defaultMode":420,"items":[]}}]}}`,
}

func main() {
	// Logging initialises the local zone of a process, which is part of the dump.
	_ = time.Now().Format(time.RFC3339)
	rows := map[string]any{
		"templates":     templates(),
		"ports":         ports(),
		"subsets":       subsets(),
		"endpointPorts": endpointPorts(),
		"uids":          uids(),
		"texts":         texts(),
	}
	utilruntime.Must(json.NewEncoder(os.Stdout).Encode(rows))
}

func templates() []templateRow {
	rows := []templateRow{}
	for _, text := range given {
		for _, collisions := range []int32{-1, 0, 1, 1 << 30} {
			rows = append(rows, templateRowOf(text, collisions))
		}
	}
	for seed, density := range densities() {
		template := corev1.PodTemplateSpec{}
		fill.New(int64(seed), density).Object(&template)
		text, err := json.Marshal(template)
		utilruntime.Must(err)
		rows = append(rows, templateRowOf(string(text), int32(seed%5)-1))
	}
	return rows
}

func densities() []int {
	out := []int{}
	for _, group := range [][2]int{{100, 12}, {85, 18}, {60, 60}, {40, 110}, {20, 140}} {
		for range group[1] {
			out = append(out, group[0])
		}
	}
	return out
}

func templateRowOf(text string, collisions int32) templateRow {
	template := corev1.PodTemplateSpec{}
	utilruntime.Must(json.Unmarshal([]byte(text), &template))
	var count *int32
	if collisions >= 0 {
		count = &collisions
	}
	return templateRow{
		template:     text,
		collisions:   collisions,
		templateHash: controller.ComputeHash(&template, count),
		statefulHash: revisionHash(text, json.Unmarshal, count),
		daemonHash:   revisionHash(text, utiljson.Unmarshal, count),
	}
}

// revisionHash depends on the decoder: encoding/json reads integers as doubles, apimachinery's as int64.
func revisionHash(text string, unmarshal func([]byte, any) error, count *int32) string {
	raw := map[string]any{}
	utilruntime.Must(unmarshal([]byte(text), &raw))
	if metadata, ok := raw["metadata"].(map[string]any); ok && metadata["creationTimestamp"] == nil {
		// Go does not print a zero time.
		delete(metadata, "creationTimestamp")
	}
	raw["$patch"] = "replace"
	data, err := json.Marshal(map[string]any{"spec": map[string]any{"template": raw}})
	utilruntime.Must(err)
	revision := &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: data}}
	return history.HashControllerRevision(revision, count)
}

func asText(value any) string {
	text, err := json.Marshal(value)
	utilruntime.Must(err)
	return string(text)
}

// hash128 is the sort key of the endpoints controller.
func hash128(value any) string {
	hasher := fnv.New128a()
	hashutil.DeepHashObject(hasher, value)
	return hex.EncodeToString(hasher.Sum(nil))
}

func ports() [][2]string {
	rows := [][2]string{{"null", string(endpointslice.NewPortMapKey(nil))}, {"[]", string(endpointslice.NewPortMapKey([]discoveryv1.EndpointPort{}))}}
	for seed := range 300 {
		ports := make([]discoveryv1.EndpointPort, 1+seed%4)
		filler := fill.New(int64(seed), 30+seed%70)
		for i := range ports {
			filler.Object(&ports[i])
		}
		text := asText(ports)
		rows = append(rows, [2]string{text, string(endpointslice.NewPortMapKey(ports))})
	}
	return rows
}

func subsets() [][2]string {
	rows := [][2]string{}
	for seed := range 300 {
		subset := corev1.EndpointSubset{}
		fill.New(int64(seed), 20+seed%80).Object(&subset)
		rows = append(rows, [2]string{asText(subset), hash128(subset)})
	}
	return rows
}

func endpointPorts() [][2]string {
	rows := [][2]string{}
	for seed := range 300 {
		port := corev1.EndpointPort{}
		fill.New(int64(seed), 20+seed%80).Object(&port)
		rows = append(rows, [2]string{asText(port), hash128(port)})
	}
	return rows
}

func uids() [][2]string {
	rows := [][2]string{}
	for seed := range 20 {
		uid := types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", seed*7919, seed))
		hasher := fnv.New32a()
		hashutil.DeepHashObject(hasher, uid)
		rows = append(rows, [2]string{string(uid), rand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))})
	}
	return rows
}

// texts are strings with their FNV hashes, in hexadecimal: 32, 32a, 128a.
func texts() [][]string {
	rows := [][]string{}
	for _, text := range []string{"", "a", "foobar", "ü€😀", "The quick brown fox jumps over the lazy dog", string(make([]byte, 100))} {
		row := []string{text}
		for _, hasher := range []interface {
			Write([]byte) (int, error)
			Sum([]byte) []byte
		}{fnv.New32(), fnv.New32a(), fnv.New128a()} {
			hasher.Write([]byte(text))
			row = append(row, hex.EncodeToString(hasher.Sum(nil)))
		}
		rows = append(rows, row)
	}
	return rows
}
