package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest"
	testclock "k8s.io/utils/clock/testing"
)

type everythingAllowed struct{}

func (everythingAllowed) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

type statusAsTester struct {
	*podcertificaterequest.StatusStrategy
}

func (s statusAsTester) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	return s.StatusStrategy.ValidateUpdate(genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "tester"}), obj, old)
}

func init() {
	key := certKey("pod")
	stub, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	must(err)
	tampered := append([]byte{}, stub...)
	tampered[len(tampered)-1] ^= 1
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	must(err)
	proof, err := key.Sign(rand.Reader, []byte("pod-uid"), crypto.Hash(0))
	must(err)
	base := base64.StdEncoding.EncodeToString
	chain := func(name string, notBefore time.Time, lifetime time.Duration) string {
		raw, err := json.Marshal(pemOf("CERTIFICATE", certificateDER(name, false, notBefore, lifetime)))
		must(err)
		return string(raw)
	}
	odd := []string{base(tampered), base(public), base(proof), "kubernetes.io/foo",
		pemOf("CERTIFICATE", certificateDER("pod", false, certTime, time.Minute)),
		pemOf("CERTIFICATE", certificateDER("pod", false, certTime, 100*24*time.Hour)),
		pemOf("CERTIFICATE", certificateDER("other", false, certTime, 2*time.Hour)),
		pemOf("CERTIFICATE", certificateDER("pod", false, certTime, 2*time.Hour)) + pemOf("CERTIFICATE", []byte("x")),
		pemOf("PRIVATE KEY", []byte("x")), "2026-01-02T03:04:05Z", "2026-01-02T05:04:05Z", "2026-01-02T04:04:05Z", "Issued", "Denied", "Failed", "True"}
	strategy := podcertificaterequest.NewStrategy()
	status := podcertificaterequest.NewStatusStrategy(strategy, everythingAllowed{}, testclock.NewFakePassiveClock(certTime))
	common := "signerName: example.com/signer, podName: pod, podUID: pod-uid, serviceAccountName: sa, serviceAccountUID: sa-uid, nodeName: node, nodeUID: node-uid"
	condition := `reason: R, message: m, lastTransitionTime: "2026-01-02T00:00:00Z"`
	add(suite{
		resource: "podcertificaterequests.certificates.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "certificates.k8s.io", Version: "v1beta1", Kind: "PodCertificateRequest"},
		create:   strategy,
		updates:  map[string]update{"": strategy, "status": statusAsTester{status}},
		count:    3000,
		texts:    odd,
		numbers:  []int64{3599, 3600, 86400, 86401, 7862400, 7862401},
	}, fmt.Sprintf(`
metadata: {name: pcr, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {%[1]s, maxExpirationSeconds: 7200, stubPKCS10Request: %[2]s, unverifiedUserAnnotations: {example.com/a: b}}
---
metadata: {name: pcr2, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {%[1]s, maxExpirationSeconds: 86400, pkixPublicKey: %[3]s, proofOfPossession: %[4]s}
status: {conditions: [{type: Denied, status: "True", %[5]s}]}
---
metadata: {name: pcr3, namespace: team-a, uid: u1, resourceVersion: "5"}
spec: {%[1]s, maxExpirationSeconds: 7200, stubPKCS10Request: %[2]s}
status: {conditions: [{type: Issued, status: "True", %[5]s}], certificateChain: %[6]s, notBefore: "2026-01-02T03:04:05Z", notAfter: "2026-01-02T05:04:05Z", beginRefreshAt: "2026-01-02T04:04:05Z"}
`, common, base(stub), base(public), base(proof), condition, chain("pod", certTime, 2*time.Hour)))
}
