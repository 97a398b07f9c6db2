//go:build overlay

// Writes which certificate requests upstream's cleaners delete, by the ages of the request and of its conditions.
package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"time"

	certificates "k8s.io/api/certificates/v1"
	certificatesbeta "k8s.io/api/certificates/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steersman/tools/upstream/pkg/controller/certificates/cleaner"
)

type row []any

// certificate has fixed times: it has expired, or expires in twenty years.
func certificate(notAfter int) []byte {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7),
		Subject:      pkix.Name{CommonName: "web"},
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(notAfter, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// podRequests are runs on a few pod certificate requests: the age of each in seconds, its condition, whether it is
// being deleted, and the names and UIDs of the deleted ones.
func podRequests(random *rand.Rand) []row {
	ages := []int{-60, 0, 60, 299, 600, 840, 898, 899, 900, 901, 902, 960, 1200, 86400}
	kinds := []any{nil, certificatesbeta.PodCertificateRequestConditionTypeIssued, certificatesbeta.PodCertificateRequestConditionTypeDenied, certificatesbeta.PodCertificateRequestConditionTypeFailed}
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	rows := []row{}
	for range 100 {
		requests, texts := []*certificatesbeta.PodCertificateRequest{}, []row{}
		for index := range 1 + random.Intn(6) {
			age, condition, isTerminating := ages[random.Intn(len(ages))], kinds[random.Intn(len(kinds))], random.Intn(5) == 0
			request := &certificatesbeta.PodCertificateRequest{}
			request.Namespace, request.Name, request.UID = "web", "pcr-"+strconv.Itoa(index), someUID(random)
			request.CreationTimestamp = metav1.NewTime(now.Add(-time.Duration(age) * time.Second))
			if kind, isGiven := condition.(string); isGiven {
				request.Status.Conditions = []metav1.Condition{{Type: kind, Status: "True", Reason: "Test", LastTransitionTime: request.CreationTimestamp}}
			}
			if isTerminating {
				request.DeletionTimestamp, request.Finalizers = &request.CreationTimestamp, []string{"example.com/hold"}
			}
			requests = append(requests, request)
			texts = append(texts, row{request.UID, age, condition, isTerminating})
		}
		// Upstream lists its cache in any order.
		deleted := cleaner.DeletedPodRequests(now, requests...)
		slices.SortFunc(deleted, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
		rows = append(rows, row{texts, deleted})
	}
	return rows
}

func someUID(random *rand.Rand) types.UID {
	return types.UID("uid-" + strconv.Itoa(random.Intn(1_000_000)))
}

func main() {
	random := rand.New(rand.NewSource(1))
	issued := [][]byte{nil, nil, nil, certificate(2046), certificate(2021), []byte("no PEM"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})}
	// In minutes, one minute from each limit.
	ages := []int{-90, 0, 30, 59, 61, 120, 23 * 60, 24*60 - 1, 24*60 + 1, 26 * 60}
	types := []certificates.RequestConditionType{certificates.CertificateApproved, certificates.CertificateDenied, certificates.CertificateFailed, "Other"}
	rows := []row{}
	for range 400 {
		now := time.Now()
		created := ages[random.Intn(len(ages))]
		csr := &certificates.CertificateSigningRequest{}
		csr.Name = "csr"
		csr.CreationTimestamp = metav1.NewTime(now.Add(-time.Duration(created) * time.Minute))
		csr.Status.Certificate = issued[random.Intn(len(issued))]
		conditions := []row{}
		for range random.Intn(4) {
			kind := types[random.Intn(len(types))]
			condition := certificates.CertificateSigningRequestCondition{Type: kind}
			age := any(nil)
			if random.Intn(6) > 0 {
				minutes := ages[random.Intn(len(ages))]
				age, condition.LastUpdateTime = minutes, metav1.NewTime(now.Add(-time.Duration(minutes)*time.Minute))
			}
			csr.Status.Conditions = append(csr.Status.Conditions, condition)
			conditions = append(conditions, row{kind, age})
		}
		rows = append(rows, row{created, conditions, csr.Status.Certificate, cleaner.Deletes(csr)})
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string][]row{"requests": rows, "podRequests": podRequests(random)}); err != nil {
		panic(err)
	}
}
