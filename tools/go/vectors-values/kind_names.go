package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	apiserverinternal "k8s.io/kubernetes/pkg/apis/apiserverinternal/validation"
	apps "k8s.io/kubernetes/pkg/apis/apps/validation"
	certificates "k8s.io/kubernetes/pkg/apis/certificates/validation"
	coordination "k8s.io/kubernetes/pkg/apis/coordination/validation"
	core "k8s.io/kubernetes/pkg/apis/core/validation"
	networking "k8s.io/kubernetes/pkg/apis/networking/validation"
	rbac "k8s.io/kubernetes/pkg/apis/rbac/validation"
)

func kindNames() []row {
	kinds := []struct {
		group, kind, signer string
		check               validation.ValidateNameFunc
	}{
		{"", "Namespace", "", core.ValidateNamespaceName}, {"", "Service", "", validation.NameIsDNSLabel}, {"apps", "StatefulSet", "", apps.ValidateStatefulSetName}, {"apps", "Deployment", "", apps.ValidateDeploymentName},
		{"rbac.authorization.k8s.io", "ClusterRole", "", rbac.ValidateRBACName}, {"certificates.k8s.io", "CertificateSigningRequest", "", certificates.ValidateCertificateRequestName},
		{"certificates.k8s.io", "ClusterTrustBundle", "", validation.ValidateNameFunc(core.ValidateClusterTrustBundleName(""))}, {"certificates.k8s.io", "ClusterTrustBundle", "a.io/b", validation.ValidateNameFunc(core.ValidateClusterTrustBundleName("a.io/b"))},
		{"networking.k8s.io", "IPAddress", "", networking.ValidateIPAddressName}, {"coordination.k8s.io", "LeaseCandidate", "", coordination.ValidLeaseCandidateName}, {"internal.apiserver.k8s.io", "StorageVersion", "", apiserverinternal.ValidateStorageVersionName},
	}
	names := []string{"web", "we.b", "Web", "1web", "system:node", "a/b", "..", "a.io:b:c", "a.io:b:C", "10.0.0.1", "010.0.0.1", "::1", "::ffff:1.2.3.4", "2001:DB8::1", "2001:db8:0::1", "fe80::1%eth0", "apps.deployments", "-", strings.Repeat("a", 64)}
	var rows []row
	for _, k := range kinds {
		for _, name := range names {
			errs := k.check(name, false)
			if errs == nil {
				errs = []string{}
			}
			rows = append(rows, row{k.group, k.kind, k.signer, name, errs})
		}
	}
	return rows
}
