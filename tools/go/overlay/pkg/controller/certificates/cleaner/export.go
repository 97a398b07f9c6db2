//go:build overlay

// Overlaid on upstream's package (tools/go/README.md): exports the functions that the vectors need.
package cleaner

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	certificates "k8s.io/api/certificates/v1"
	certificatesbeta "k8s.io/api/certificates/v1beta1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	clock "k8s.io/utils/clock/testing"
)

// Deletes returns whether the controller deletes the request now.
func Deletes(csr *certificates.CertificateSigningRequest) bool {
	client := fake.NewSimpleClientset(csr)
	controller := &CSRCleanerController{csrClient: client.CertificatesV1().CertificateSigningRequests()}
	if err := controller.handle(klog.NewContext(context.Background(), logr.Discard()), csr); err != nil {
		panic(err)
	}
	return len(client.Actions()) > 0
}

// DeletedPodRequests returns the requests that the controller deletes at that time, in order, with the UID in the
// precondition. The threshold is that of newPodCertificateRequestCleanerController.
func DeletedPodRequests(now time.Time, requests ...*certificatesbeta.PodCertificateRequest) [][2]string {
	client := fake.NewSimpleClientset()
	informer := informers.NewSharedInformerFactory(client, 0).Certificates().V1beta1().PodCertificateRequests()
	for _, request := range requests {
		if err := client.Tracker().Add(request); err != nil {
			panic(err)
		}
		if err := informer.Informer().GetStore().Add(request); err != nil {
			panic(err)
		}
	}
	controller := NewPCRCleanerController(client, informer, clock.NewFakePassiveClock(now), 15*time.Minute, 5*time.Minute)
	controller.worker(klog.NewContext(context.Background(), logr.Discard()))
	deleted := [][2]string{}
	for _, action := range client.Actions() {
		deletion := action.(clienttesting.DeleteAction)
		deleted = append(deleted, [2]string{deletion.GetName(), string(*deletion.GetDeleteOptions().Preconditions.UID)})
	}
	return deleted
}
