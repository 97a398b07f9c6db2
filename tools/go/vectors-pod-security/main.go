// Writes the results of upstream's pod security checks for random pods, at random levels and versions.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

const cases = 700

type vector struct {
	Level       string            `json:"level"`
	Version     string            `json:"version"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Spec        v1.PodSpec        `json:"spec"`
	Detail      string            `json:"detail,omitempty"`
	Reason      string            `json:"reason,omitempty"`
}

type labelVector struct {
	Labels  map[string]string `json:"labels"`
	Enforce string            `json:"enforce"`
	Audit   string            `json:"audit"`
	Warn    string            `json:"warn"`
	Errors  []string          `json:"errors,omitempty"`
}

var random = rand.New(rand.NewSource(7))

func one[T any](values ...T) T { return values[random.Intn(len(values))] }

func chance(percent int) bool { return random.Intn(100) < percent }

func maybe[T any](percent int, values ...T) *T {
	if !chance(percent) {
		return nil
	}
	value := one(values...)
	return &value
}

func seLinux() *v1.SELinuxOptions {
	if !chance(15) {
		return nil
	}
	return &v1.SELinuxOptions{
		Type: one("", "container_t", "container_engine_t", "spc_t", "other_t"),
		User: one("", "", "u"),
		Role: one("", "", "r"),
	}
}

func seccomp() *v1.SeccompProfile {
	if !chance(40) {
		return nil
	}
	return &v1.SeccompProfile{Type: one(v1.SeccompProfileTypeRuntimeDefault, v1.SeccompProfileTypeRuntimeDefault, v1.SeccompProfileTypeLocalhost, v1.SeccompProfileTypeUnconfined)}
}

func appArmor() *v1.AppArmorProfile {
	if !chance(15) {
		return nil
	}
	return &v1.AppArmorProfile{Type: one(v1.AppArmorProfileTypeRuntimeDefault, v1.AppArmorProfileTypeLocalhost, v1.AppArmorProfileTypeUnconfined)}
}

func windows() *v1.WindowsSecurityContextOptions {
	if !chance(10) {
		return nil
	}
	return &v1.WindowsSecurityContextOptions{HostProcess: maybe(80, true, false)}
}

func securityContext() *v1.SecurityContext {
	if chance(15) {
		return nil
	}
	context := &v1.SecurityContext{
		AllowPrivilegeEscalation: maybe(80, false, false, false, true),
		Privileged:               maybe(20, true, false),
		RunAsNonRoot:             maybe(50, true, true, false),
		RunAsUser:                maybe(20, int64(0), int64(1000)),
		ProcMount:                maybe(15, v1.DefaultProcMount, v1.UnmaskedProcMount),
		SeccompProfile:           seccomp(),
		AppArmorProfile:          appArmor(),
		SELinuxOptions:           seLinux(),
		WindowsOptions:           windows(),
	}
	if chance(70) {
		context.Capabilities = &v1.Capabilities{}
		if chance(80) {
			context.Capabilities.Drop = []v1.Capability{one[v1.Capability]("ALL", "ALL", "CHOWN", "all")}
		}
		for chance(25) {
			context.Capabilities.Add = append(context.Capabilities.Add, one[v1.Capability]("NET_BIND_SERVICE", "NET_BIND_SERVICE", "CHOWN", "NET_RAW", "SYS_ADMIN"))
		}
	}
	return context
}

func handler() v1.ProbeHandler {
	if chance(50) {
		return v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{Host: one("", "", "a.example.com", "10.0.0.1")}}
	}
	return v1.ProbeHandler{TCPSocket: &v1.TCPSocketAction{Host: one("", "", "b.example.com")}}
}

func probe() *v1.Probe {
	if !chance(8) {
		return nil
	}
	return &v1.Probe{ProbeHandler: handler()}
}

func lifecycle() *v1.LifecycleHandler {
	if !chance(50) {
		return nil
	}
	from := handler()
	return &v1.LifecycleHandler{HTTPGet: from.HTTPGet, TCPSocket: from.TCPSocket}
}

func container(name string) v1.Container {
	made := v1.Container{Name: name, SecurityContext: securityContext(), LivenessProbe: probe(), ReadinessProbe: probe(), StartupProbe: probe()}
	if chance(8) {
		made.Lifecycle = &v1.Lifecycle{PostStart: lifecycle(), PreStop: lifecycle()}
	}
	for chance(12) {
		made.Ports = append(made.Ports, v1.ContainerPort{ContainerPort: 80, HostPort: one[int32](0, 80, 443, 9)})
	}
	return made
}

func volume(name string) v1.Volume {
	sources := []v1.VolumeSource{
		{EmptyDir: &v1.EmptyDirVolumeSource{}},
		{ConfigMap: &v1.ConfigMapVolumeSource{}},
		{Image: &v1.ImageVolumeSource{}},
		{HostPath: &v1.HostPathVolumeSource{Path: "/"}},
		{NFS: &v1.NFSVolumeSource{}},
		{GitRepo: &v1.GitRepoVolumeSource{}},
		{StorageOS: &v1.StorageOSVolumeSource{}},
		{PortworxVolume: &v1.PortworxVolumeSource{}},
		{},
	}
	return v1.Volume{Name: name, VolumeSource: one(sources...)}
}

func podSpec() v1.PodSpec {
	spec := v1.PodSpec{
		HostNetwork: chance(8),
		HostPID:     chance(8),
		HostIPC:     chance(8),
		HostUsers:   maybe(20, true, false),
	}
	if chance(15) {
		spec.OS = &v1.PodOS{Name: one(v1.Windows, v1.Linux)}
	}
	for i := range 1 + random.Intn(2) {
		spec.Containers = append(spec.Containers, container(fmt.Sprintf("c%d", i)))
	}
	if chance(30) {
		spec.InitContainers = append(spec.InitContainers, container("init"))
	}
	if chance(20) {
		spec.EphemeralContainers = append(spec.EphemeralContainers, v1.EphemeralContainer{EphemeralContainerCommon: v1.EphemeralContainerCommon(container("debug"))})
	}
	for i := 0; chance(30); i++ {
		spec.Volumes = append(spec.Volumes, volume(fmt.Sprintf("v%d", i)))
	}
	if chance(60) {
		spec.SecurityContext = &v1.PodSecurityContext{
			RunAsNonRoot:    maybe(60, true, true, false),
			RunAsUser:       maybe(20, int64(0), int64(1000)),
			SeccompProfile:  seccomp(),
			AppArmorProfile: appArmor(),
			SELinuxOptions:  seLinux(),
			WindowsOptions:  windows(),
		}
		for chance(15) {
			spec.SecurityContext.Sysctls = append(spec.SecurityContext.Sysctls, v1.Sysctl{Name: one(
				"kernel.shm_rmid_forced", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_rmem", "kernel.msgmax")})
		}
	}
	return spec
}

func annotations() map[string]string {
	made := map[string]string{}
	for _, key := range []string{
		"container.apparmor.security.beta.kubernetes.io/c0",
		"container.apparmor.security.beta.kubernetes.io/c1",
		"seccomp.security.alpha.kubernetes.io/pod",
		"container.seccomp.security.alpha.kubernetes.io/c0",
	} {
		if chance(8) {
			made[key] = one("", "runtime/default", "docker/default", "localhost/p", "unconfined", "od\"d")
		}
	}
	return made
}

func labels() map[string]string {
	made := map[string]string{}
	for _, mode := range []string{"enforce", "audit", "warn"} {
		if chance(60) {
			made["pod-security.kubernetes.io/"+mode] = one("privileged", "baseline", "restricted", "strict", "")
		}
		if chance(40) {
			made["pod-security.kubernetes.io/"+mode+"-version"] = one("latest", "v1.24", "v1.0", "v1.99", "v1.024", "1.24", "v2.0", "v1.99999999999999999999", "")
		}
	}
	return made
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	evaluator := must(policy.NewEvaluator(policy.DefaultChecks(), nil))
	var pods []vector
	for range cases {
		level := one(api.LevelBaseline, api.LevelRestricted, api.LevelRestricted)
		version := one("latest", "latest", fmt.Sprintf("v1.%d", random.Intn(40)))
		made := vector{Level: string(level), Version: version, Annotations: annotations(), Spec: podSpec()}
		parsed := must(api.ParseVersion(version))
		result := policy.AggregateCheckResults(evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: parsed}, &metav1.ObjectMeta{Annotations: made.Annotations}, &made.Spec))
		if !result.Allowed {
			made.Detail, made.Reason = result.ForbiddenDetail(), result.ForbiddenReason()
		}
		pods = append(pods, made)
	}
	latest := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	var namespaces []labelVector
	for range 400 {
		made := labels()
		parsed, errs := api.PolicyToEvaluate(made, api.Policy{Enforce: latest, Audit: latest, Warn: latest})
		row := labelVector{Labels: made, Enforce: parsed.Enforce.String(), Audit: parsed.Audit.String(), Warn: parsed.Warn.String()}
		for _, err := range errs {
			row.Errors = append(row.Errors, err.Error())
		}
		namespaces = append(namespaces, row)
	}
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(map[string]any{"pods": pods, "labels": namespaces}); err != nil {
		panic(err)
	}
}
