package main

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	certificatesregistry "k8s.io/kubernetes/pkg/registry/certificates/certificates"
)

// The user in the tests of strategies.
type asTester struct{ rest.RESTCreateStrategy }

func (s asTester) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	tester := &user.DefaultInfo{Name: "tester"}
	s.RESTCreateStrategy.PrepareForCreate(genericapirequest.WithUser(ctx, tester), obj)
}

// Keys are derived from names, so that the output is the same each time.
func certKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func requestDER(name string, key crypto.Signer) []byte {
	uri, err := url.Parse("spiffe://cluster.local/ns/a/sa/b")
	must(err)
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject:     pkix.Name{CommonName: name, Organization: []string{"system:nodes"}},
		DNSNames:    []string{name + ".example.com"},
		IPAddresses: []net.IP{net.ParseIP("10.0.0.1")},
		URIs:        []*url.URL{uri},
	}, key)
	must(err)
	return der
}

func certificateDER(name string, isCA bool, notBefore time.Time, lifetime time.Duration) []byte {
	key := certKey(name)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(7),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             notBefore,
		NotAfter:              notBefore.Add(lifetime),
		IsCA:                  isCA,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(err)
	return der
}

var certTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func init() {
	request := pemOf("CERTIFICATE REQUEST", requestDER("web", certKey("web")))
	certificate := pemOf("CERTIFICATE", certificateDER("web", false, certTime, time.Hour))
	tampered := requestDER("web", certKey("web"))
	tampered[len(tampered)-1] ^= 1
	broken := []string{
		pemOf("CERTIFICATE REQUEST", tampered),
		pemOf("CERTIFICATE", requestDER("web", certKey("web"))),
		certificate + pemOf("PRIVATE KEY", []byte("x")),
		strings.Replace(certificate, "-----\n", "-----\nA: b\n\n", 1),
		pemOf("CERTIFICATE REQUEST", requestDER("other", certKey("other"))),
		certificate,
		"nothing",
	}
	var odd []string
	for _, text := range broken {
		odd = append(odd, encoded(text))
	}
	odd = append(odd, "digital signature", "client auth", "any", "kubernetes.io/legacy-unknown", "kubernetes.io/kubelet-serving", "Approved", "Denied", "Failed", "True", "False")
	spec := fmt.Sprintf("request: %s, usages: [digital signature, client auth]", encoded(request))
	updates := map[string]update{
		"":         certificatesregistry.Strategy,
		"status":   certificatesregistry.StatusStrategy,
		"approval": certificatesregistry.ApprovalStrategy,
	}
	add(suite{
		resource: "certificatesigningrequests.certificates.k8s.io",
		gvk:      schema.GroupVersionKind{Group: "certificates.k8s.io", Version: "v1", Kind: "CertificateSigningRequest"},
		create:   asTester{certificatesregistry.Strategy},
		updates:  updates,
		count:    2000,
		texts:    odd,
	}, fmt.Sprintf(`
metadata: {name: csr, uid: u1, resourceVersion: "5"}
spec: {%[1]s, signerName: kubernetes.io/kube-apiserver-client, expirationSeconds: 3600, username: bob, uid: u2, groups: [a, b], extra: {x: [z]}}
---
metadata: {name: csr2, uid: u1, resourceVersion: "5"}
spec: {%[1]s, signerName: example.com/signer}
status: {certificate: %[2]s, conditions: [{type: Approved, status: "True", reason: R, message: m, lastUpdateTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Custom, status: Unknown}]}
---
metadata: {name: csr3, uid: u1, resourceVersion: "5"}
spec: {%[1]s, signerName: example.com/signer}
status: {conditions: [{type: Denied, status: "True", lastUpdateTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Failed, status: "True"}]}
`, spec, encoded(certificate)))
}
