//go:build overlay

// Laid over upstream's package (tools/go/README.md): exports what the vectors ask.
package cleaner

import (
	"context"

	"github.com/go-logr/logr"
	certificates "k8s.io/api/certificates/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
)

// Deletes tells whether the controller deletes the request now.
func Deletes(csr *certificates.CertificateSigningRequest) bool {
	client := fake.NewSimpleClientset(csr)
	controller := &CSRCleanerController{csrClient: client.CertificatesV1().CertificateSigningRequests()}
	if err := controller.handle(klog.NewContext(context.Background(), logr.Discard()), csr); err != nil {
		panic(err)
	}
	return len(client.Actions()) > 0
}
