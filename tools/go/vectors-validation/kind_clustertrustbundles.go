package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
)

func init() {
	quoted := func(text string) string {
		raw, err := json.Marshal(text)
		must(err)
		return string(raw)
	}
	one := pemOf("CERTIFICATE", certificateDER("ca-one", true, certTime, 24*time.Hour))
	two := pemOf("CERTIFICATE", certificateDER("ca-two", true, certTime, 24*time.Hour))
	leaf := pemOf("CERTIFICATE", certificateDER("leaf", false, certTime, 24*time.Hour))
	bundles := []string{one + two, one + two + one, one + leaf, leaf, "no pem", "text before\n" + one, one + pemOf("PRIVATE KEY", []byte("x")),
		strings.Replace(one, "-----\n", "-----\nA: b\n\n", 1), pemOf("CERTIFICATE", []byte("junk")), two + two + one + one}
	odd := append(bundles, "kubernetes.io/kube-apiserver-serving", "example.com:signer:x", "kubernetes.io:kube-apiserver-serving:abc")
	add(suite{
		resource: "clustertrustbundles.certificates.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "certificates.k8s.io", Version: "v1beta1", Kind: "ClusterTrustBundle"},
		create:   clustertrustbundle.Strategy,
		updates:  map[string]update{"": clustertrustbundle.Strategy},
		count:    900,
		texts:    odd,
	}, fmt.Sprintf(`
metadata: {name: "example.com:signer:foo", uid: u1, resourceVersion: "5"}
spec: {signerName: example.com/signer, trustBundle: %[1]s}
---
metadata: {name: plain, uid: u1, resourceVersion: "5"}
spec: {trustBundle: %[2]s}
`, quoted(one), quoted(one+two)))
}
