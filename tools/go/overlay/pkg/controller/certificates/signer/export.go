//go:build overlay

package signer

import (
	"time"

	capi "k8s.io/api/certificates/v1"
	capihelper "k8s.io/kubernetes/pkg/apis/certificates"
)

// Outcome is the result of a signer for an approved request.
type Outcome struct {
	// Why the signer refuses it.
	Refusal     string
	Certificate []byte
}

// Sign answers as the signing controller does for an approved request, at the given time.
func Sign(signerName, certFile, keyFile string, ttl time.Duration, spec capi.CertificateSigningRequestSpec, now time.Time) (Outcome, error) {
	s, err := newSigner(signerName, certFile, keyFile, nil, ttl)
	if err != nil {
		return Outcome{}, err
	}
	request, err := capihelper.ParseCSR(spec.Request)
	if err != nil {
		return Outcome{}, err
	}
	if _, err := s.isRequestForSignerFn(request, spec.Usages, signerName); err != nil {
		return Outcome{Refusal: err.Error()}, nil
	}
	certificate, err := s.sign(request, spec.Usages, spec.ExpirationSeconds, func() time.Time { return now })
	return Outcome{Certificate: certificate}, err
}
