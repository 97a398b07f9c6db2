//go:build overlay

// Writes which requests for certificates upstream's cleaner deletes, by the ages of the request and of its conditions.
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
	"time"

	certificates "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steersman/tools/upstream/pkg/controller/certificates/cleaner"
)

type row []any

// certificate has fixed times: it has expired, or will in twenty years.
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

func main() {
	random := rand.New(rand.NewSource(1))
	issued := [][]byte{nil, nil, nil, certificate(2046), certificate(2021), []byte("no PEM"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})}
	// In minutes, a minute off each limit.
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
	if err := json.NewEncoder(os.Stdout).Encode(map[string][]row{"requests": rows}); err != nil {
		panic(err)
	}
}
